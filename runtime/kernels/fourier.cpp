#include "runtime/kernels/fourier.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

#include "base/check.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/fourier_plan.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

using synth::FourierKind;

// As many lines side by side as sixteen bytes hold.
using Floats [[gnu::vector_size(16)]] = float;
using Doubles [[gnu::vector_size(16)]] = double;
template <class T>
using LanesOf = std::conditional_t<sizeof(T) == sizeof(float), Floats, Doubles>;
template <class T>
inline constexpr std::int64_t kLanes = 16 / sizeof(T);
template <class T>
inline constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));

// Where lines lie: how far apart their elements are, and each line's first.
struct LinesOf {
  std::int64_t from_step = 1;
  std::int64_t to_step = 1;
  std::int64_t read = 0;     // elements of a line that are there
  std::int64_t written = 0;  // and those of the result
};

// The lines of one tile.
template <class T>
class LineTransform {
 public:
  LineTransform(FourierKind kind, const LinesOf& lines, std::int64_t length, const std::byte* from, std::byte* to)
      : kind_(kind), lines_(lines), n_(length), plan_(length), from_(from), to_(to) {}

  // How many numbers of type V a transform works with.
  std::size_t room() const { return static_cast<std::size_t>(2 * n_ + plan_.scratch()); }
  std::int64_t length() const { return n_; }

  // `count` lines, one in each lane of V; the first element of each.
  template <class V, std::size_t count>
  void run(const std::array<std::int64_t, count>& from, const std::array<std::int64_t, count>& to, V* memory) const {
    const Line<V> line{memory, memory + n_};
    const Line<V> exchanged{line.im, line.re};
    for (std::size_t lane = 0; lane < count; ++lane) read(line, lane, from[lane]);
    const bool is_inverse = kind_ == FourierKind::inverse || kind_ == FourierKind::inverse_real;
    plan_.forward(is_inverse ? exchanged : line, memory + 2 * n_);
    for (std::size_t lane = 0; lane < count; ++lane) write(line, lane, to[lane]);
  }

 private:
  template <class V>
  static T& lane_of(V* numbers, std::int64_t at, std::size_t lane) {
    return reinterpret_cast<T*>(numbers + at)[lane];
  }

  template <class V>
  void read(const Line<V>& line, std::size_t lane, std::int64_t first) const {
    if (kind_ == FourierKind::forward_real) {
      const auto* const numbers = reinterpret_cast<const T*>(from_) + first;
      const auto some = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) put(line, k, lane, {numbers[k * lines_.from_step], T{0}});
      };
      return in_pieces(n_, some, lines_.from_step * kBytes<T>);
    }
    const auto* const numbers = reinterpret_cast<const Complex<T>*>(from_) + first;
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) put(line, k, lane, numbers[k * lines_.from_step]);
    };
    in_pieces(lines_.read, some, lines_.from_step * kBytes<Complex<T>>);
    if (kind_ == FourierKind::inverse_real) complete(line, lane);
  }
  template <class V>
  static void put(const Line<V>& line, std::int64_t at, std::size_t lane, const Complex<T>& number) {
    lane_of(line.re, at, lane) = number.re;
    lane_of(line.im, at, lane) = number.im;
  }
  // The transform of a real line: number n - k is the conjugate of number k.
  template <class V>
  void complete(const Line<V>& line, std::size_t lane) const {
    lane_of(line.im, 0, lane) = 0;
    if (n_ % 2 == 0) lane_of(line.im, n_ / 2, lane) = 0;
    in_pieces((n_ - 1) / 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin + 1; k <= end; ++k)
        put(line, n_ - k, lane, {lane_of(line.re, k, lane), -lane_of(line.im, k, lane)});
    });
  }

  template <class V>
  void write(const Line<V>& line, std::size_t lane, std::int64_t first) const {
    const auto n = static_cast<T>(n_);
    if (kind_ == FourierKind::inverse_real) {
      auto* const numbers = reinterpret_cast<T*>(to_) + first;
      const auto some = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) numbers[k * lines_.to_step] = lane_of(line.re, k, lane) / n;
      };
      return in_pieces(n_, some, lines_.to_step * kBytes<T>);
    }
    const T divisor = kind_ == FourierKind::inverse ? n : T{1};
    auto* const numbers = reinterpret_cast<Complex<T>*>(to_) + first;
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        numbers[k * lines_.to_step] = {lane_of(line.re, k, lane) / divisor, lane_of(line.im, k, lane) / divisor};
    };
    in_pieces(lines_.written, some, lines_.to_step * kBytes<Complex<T>>);
  }

  FourierKind kind_;
  LinesOf lines_;
  std::int64_t n_;
  FourierPlan<T> plan_;
  const std::byte* from_;
  std::byte* to_;
};

// Lines side by side as far as there are enough, the rest one after the other: the bits are the same.
template <class T>
void run_lines(const LineTransform<T>& transform, const Nest<2>& nest) {
  using Vector = LanesOf<T>;
  constexpr auto kCount = static_cast<std::size_t>(kLanes<T>);
  const std::int64_t grain = std::max<std::int64_t>(kLanes<T>, kGrain / std::max<std::int64_t>(1, transform.length()));
  parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
    const auto memory = std::make_unique_for_overwrite<Vector[]>(transform.room());
    std::array<std::int64_t, kCount> from{};
    std::array<std::int64_t, kCount> to{};
    std::size_t waiting = 0;
    for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
      const Offsets<2> steps = nest.inner_strides();
      for (std::int64_t i = 0; i < n && !is_given_up(); ++i) {
        from[waiting] = at[0] + i * steps[0];
        to[waiting] = at[1] + i * steps[1];
        if (++waiting < kCount) continue;
        transform.template run<Vector>(from, to, memory.get());
        waiting = 0;
      }
    });
    for (std::size_t k = 0; k < waiting && !is_given_up(); ++k)
      transform.template run<T>(std::array{from[k]}, std::array{to[k]}, reinterpret_cast<T*>(memory.get()));
  });
}

}  // namespace

void fourier(const synth::Fourier& how, const TileView& operand, const TileOut& out) {
  if (is_empty(out.shape) || is_empty(operand.shape)) return;
  const std::uint8_t dimension = how.dimension;
  const auto others = other_dimensions(operand.shape.size(), std::span(&dimension, 1));
  const auto kept_dimensions = std::span(others.begin(), others.size());
  const TileView kept = chosen_dimensions(operand, kept_dimensions);
  const TileView kept_out = chosen_dimensions(dense_view(out), kept_dimensions);
  const auto nest = make_nest<2>(kept.shape, {kept.strides, kept_out.strides});
  const bool gives_reals = how.kind == FourierKind::inverse_real;
  const LinesOf lines{operand.strides[dimension], dense_strides(out.shape)[dimension], operand.shape[dimension],
                      out.shape[dimension]};
  const std::int64_t length = gives_reals ? out.shape[dimension] : operand.shape[dimension];
  synth::visit_part(gives_reals ? operand.element : out.element, [&](auto zero) {
    using T = decltype(zero);
    run_lines(LineTransform<T>(how.kind, lines, length, operand.data, out.data), nest);
  });
}

}  // namespace tessera::runtime
