// Fourier transforms. A dimension that is transformed is whole: where it is split, its axes are dealt to others first.
// Of several dimensions each is made whole just before its turn, so that slabs and pencils come by themselves:
// f32[N@x, M] is transformed along dimension 1, dealt to f32[N, M@x], and transformed along dimension 0.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/derived.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

using synth::FourierKind;

namespace {

bool is_inverse(FourierKind kind) { return kind == FourierKind::inverse || kind == FourierKind::inverse_real; }

class Transforms {
 public:
  Transforms(OperationCall& call, FourierKind kind) : call_(call), elaborator_(call.elaborator), kind_(kind) {}

  // The array, of floats or complex numbers as the transform takes them.
  MaybeValue array() {
    const bool is_literal = elaborator_.is_literal(call_.expr(0));
    const ElementType wanted = synth::part_of(call_.want.element.value_or(ElementType::f32));
    MaybeValue a = call_.array(0, is_literal ? std::optional(wanted) : std::nullopt);
    if (!a.has_value()) return std::nullopt;
    const ElementType own = elaborator_.element(*a);
    const bool is_real = synth::is_float(own);
    const bool fits = kind_ == FourierKind::forward_real ? is_real : is_real || synth::is_complex(own);
    const char* const help =
        synth::is_complex(own) ? "of complex numbers it is `fft`" : "cast it first, as in f64(...)";
    if (!call_.wants_element(*a, fits, help)) return std::nullopt;
    return has_a_line(*a) ? a : std::nullopt;
  }

  // The dimensions in the order in which they are transformed.
  std::optional<std::vector<std::size_t>> dimensions(const Checked& a) {
    const std::size_t rank = elaborator_.type(a).rank();
    if (!call_.has(1)) return std::vector<std::size_t>{rank - 1};
    auto all = call_.dims(1, rank);
    if (all.has_value() && all->empty()) {
      elaborator_.report(base::make(Kind::wrong_arguments, call_.who(), "there is no dimension to transform")
                             .at(call_.span_of(1))
                             .suggest("name one, as in `dims=0`, or leave it out for the last one"));
      return std::nullopt;
    }
    if (all.has_value() && !is_inverse(kind_)) std::reverse(all->begin(), all->end());
    return all;
  }

  MaybeValue run(Checked a, const std::vector<std::size_t>& order) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      const MaybeValue made = step(a, order[k], kind_of(k, order.size()));
      if (!made.has_value()) return std::nullopt;
      a = *made;
    }
    return a;
  }

 private:
  bool has_a_line(const Checked& a) {
    if (elaborator_.type(a).rank() > 0) return true;
    elaborator_.report(
        base::make(Kind::rank_mismatch, call_.quoted(), "an array", "rank 0").at(a.span, elaborator_.text(a)));
    return false;
  }

  // Real numbers stand on one side of the last dimension only: of the first transform forwards, of the last one back.
  FourierKind kind_of(std::size_t k, std::size_t count) const {
    if (kind_ == FourierKind::forward_real && k > 0) return FourierKind::forward;
    if (kind_ == FourierKind::inverse_real && k + 1 < count) return FourierKind::inverse;
    return kind_;
  }

  // The extent that a dimension of so many has afterwards.
  std::optional<std::int64_t> extent_after(const Checked& a, FourierKind kind, std::int64_t n) {
    const auto wrong = [&](const std::string& what, const std::string& help) {
      elaborator_.report(base::make(Kind::wrong_arguments, call_.who(), what)
                             .at(has_points() ? call_.span_of(kPoints) : a.span, elaborator_.text(a))
                             .suggest(help));
      return std::nullopt;
    };
    if (kind == FourierKind::forward_real) {
      if (n < 1) return wrong("the dimension has no element", "a transform of real numbers has one at least");
      return n / 2 + 1;
    }
    if (kind != FourierKind::inverse_real) return n;
    const auto points = has_points() ? call_.integer(kPoints) : std::optional(2 * (n - 1));
    if (!points.has_value()) return std::nullopt;
    if (*points >= 1 && *points / 2 + 1 == n) return points;
    return wrong(fmt::format("{} numbers are no transform of {} real ones", n, *points),
                 n == 1 ? "one number is the transform of one: `n=1`"
                        : fmt::format("they are that of {} or {}: `n={}`", 2 * n - 2, 2 * n - 1, 2 * n - 1));
  }

  MaybeValue step(const Checked& a, std::size_t dimension, FourierKind kind) {
    const open::Type own = elaborator_.type(a);
    const ElementType computed = synth::computed_as(own.element());
    const auto extent = extent_after(a, kind, own.shape()[dimension]);
    if (!extent.has_value()) return std::nullopt;
    // What is real moves as such, which takes half of the bytes.
    MaybeValue whole = a;
    whole->nodes = elaborator_
                       .compute(a.span, {computed, own.shape(), own.mesh_ref()}, open::Whole{{dimension}, call_.span},
                                {a}, call_.quoted())
                       .nodes;
    const ElementType complex = synth::is_complex(computed) ? computed : synth::complex_of(computed);
    MaybeValue ready = whole;
    if (kind != FourierKind::forward_real) ready = elaborator_.index_wise().cast_to(a.span, *whole, complex);
    if (!ready.has_value()) return std::nullopt;
    Shape shape = own.shape();
    shape[dimension] = *extent;
    const ElementType element = kind == FourierKind::inverse_real ? synth::part_of(complex) : complex;
    const auto result = elaborator_.made(call_.span, element, shape, own.mesh_ref());
    if (!result.has_value()) return std::nullopt;
    const synth::Fourier fourier{kind, static_cast<std::uint8_t>(dimension)};
    Checked made = elaborator_.compute(call_.span, *result, synth::Operation(fourier), {*ready}, call_.quoted());
    elaborator_.share_wish(made, *whole);
    return made;
  }

  static constexpr std::size_t kPoints = 2;  // the parameter of `irfft` alone
  bool has_points() const { return call_.info.parameters.size() > kPoints && call_.has(kPoints); }

  OperationCall& call_;
  Elaborator& elaborator_;
  FourierKind kind_;
};

}  // namespace

// The parameters are a, dims and, of `irfft`, n.
MaybeValue run_fourier(OperationCall& call) {
  Transforms transforms(call, std::get<FourierKind>(call.info.detail));
  const MaybeValue a = transforms.array();
  if (!a.has_value()) return std::nullopt;
  const auto order = transforms.dimensions(*a);
  return order.has_value() ? transforms.run(*a, *order) : std::nullopt;
}

}  // namespace tessera::typeck
