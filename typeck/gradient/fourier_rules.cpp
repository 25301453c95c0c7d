// Derivatives of Fourier transforms, which are linear. A cotangent g of complex numbers z stands for the real part of
// g dz, with no conjugate, so that g of a product or a transform is a product or the same transform.
#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

using synth::FourierKind;
using synth::MapOp;

// Formulas of lines along a dimension, n real numbers or the first half of their transform.
class Lines {
 public:
  Lines(const Build& build, std::size_t dimension, std::int64_t n) : build_(build), dimension_(dimension), n_(n) {}

  Use transformed(FourierKind kind, const Use& a, const open::Type& type) const {
    return build_.compute(type, synth::Operation(synth::Fourier{kind, static_cast<std::uint8_t>(dimension_)}), {a});
  }
  Use whole(const Use& a) const {
    return build_.compute(build_.graph().type(a), open::Whole{{dimension_}, build_.span()}, {a});
  }
  // The conjugates, times one number where a number of the transform stands for itself, and times another where it
  // stands for its conjugate, too.
  Use weighted_conjugate(const Use& a, double alone, double paired) const {
    const Use re = build_.real(a);
    const Use weight = build_.select(stand_alone(a), build_.number(alone, re), build_.number(paired, re));
    return build_.complex(build_.multiply(re, weight), build_.negate(build_.multiply(build_.imaginary(a), weight)));
  }

 private:
  // Is it the first number, or of an even n the last?
  Use stand_alone(const Use& a) const {
    const Use numbers = numbers_along(build_, build_.graph().type(a), dimension_);
    const synth::MeshRef mesh = build_.graph().type(a).mesh_ref();
    const auto is_number = [&](std::int64_t k) {
      const Use number = build_.graph().number(build_.span(), k, synth::ElementType::i64, mesh);
      return build_.compare(MapOp::equal, numbers, number);
    };
    const Use first = is_number(0);
    return n_ % 2 != 0 ? first : build_.graph().flat(build_.map(MapOp::logical_or, {first, is_number(n_ / 2)}));
  }

  const Build& build_;
  std::size_t dimension_;
  std::int64_t n_;
};

}  // namespace

void reverse_fourier(const Reversal& r, const synth::Fourier& fourier) {
  const bool gives_reals = fourier.kind == FourierKind::inverse_real;
  const open::Type result = r.graph().type(r.g);
  const std::int64_t n = (gives_reals ? result : r.type(0)).shape()[fourier.dimension];
  const Lines lines(r.build, fourier.dimension, n);
  const Use g = lines.whole(r.g);
  const auto size = static_cast<double>(n);
  switch (fourier.kind) {
    case FourierKind::forward:
    case FourierKind::inverse: return r.give(0, lines.transformed(fourier.kind, g, r.type(0)));
    case FourierKind::forward_real:
      return r.give(
          0, lines.transformed(FourierKind::inverse_real, lines.weighted_conjugate(g, size, size / 2), r.type(0)));
    case FourierKind::inverse_real:
      return r.give(
          0, lines.weighted_conjugate(lines.transformed(FourierKind::forward_real, g, r.type(0)), 1 / size, 2 / size));
  }
}

}  // namespace tessera::typeck::gradient
