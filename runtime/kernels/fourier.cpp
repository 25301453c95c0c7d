#include "runtime/kernels/fourier.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/fourier_plan.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

using synth::FourierKind;

// As many lines side by side as 32 bytes hold: one vector of AVX2, two of SSE2.
using Floats [[gnu::vector_size(32)]] = float;
using Doubles [[gnu::vector_size(32)]] = double;
template <class T>
using LanesOf = std::conditional_t<sizeof(T) == sizeof(float), Floats, Doubles>;
template <class T>
inline constexpr std::int64_t kLanes = 32 / sizeof(T);
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
  LineTransform(FourierKind kind, const LinesOf& lines, FourierPlan<T> plan, const std::byte* from, std::byte* to)
      : kind_(kind), lines_(lines), n_(plan.length()), plan_(std::move(plan)), from_(from), to_(to) {}

  // `count` lines, one in each lane of V; the first element of each.
  template <class V, std::size_t count>
  void run(const std::array<std::int64_t, count>& from, const std::array<std::int64_t, count>& to, V* memory) const {
    const Line<V> line{memory, memory + n_};
    const Line<V> exchanged{line.im, line.re};
    read(line, from);
    const bool is_inverse = kind_ == FourierKind::inverse || kind_ == FourierKind::inverse_real;
    plan_.forward(is_inverse ? exchanged : line, memory + 2 * n_);
    write(line, to);
  }

  std::int64_t length() const { return n_; }

 private:
  template <class V>
  static T& lane_of(V* numbers, std::int64_t at, std::size_t lane) {
    return reinterpret_cast<T*>(numbers + at)[lane];
  }

  // Number k of every line, then k + 1: lines that lie side by side are read together.
  template <class V, std::size_t count>
  void read(const Line<V>& line, const std::array<std::int64_t, count>& first) const {
    const auto all = [&](std::int64_t numbers, std::int64_t bytes, const auto& number) {
      const auto some = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          for (std::size_t lane = 0; lane < count; ++lane)
            put(line, k, lane, number(first[lane] + k * lines_.from_step));
        }
      };
      in_pieces(numbers, some, lines_.from_step * bytes * static_cast<std::int64_t>(count));
    };
    if (kind_ == FourierKind::forward_real) {
      const auto* const numbers = reinterpret_cast<const T*>(from_);
      return all(n_, kBytes<T>, [&](std::int64_t at) { return Complex<T>{numbers[at], T{0}}; });
    }
    const auto* const numbers = reinterpret_cast<const Complex<T>*>(from_);
    all(lines_.read, kBytes<Complex<T>>, [&](std::int64_t at) { return numbers[at]; });
    for (std::size_t lane = 0; kind_ == FourierKind::inverse_real && lane < count; ++lane) complete(line, lane);
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

  template <class V, std::size_t count>
  void write(const Line<V>& line, const std::array<std::int64_t, count>& first) const {
    const auto all = [&](std::int64_t numbers, std::int64_t bytes, const auto& set) {
      const auto some = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          for (std::size_t lane = 0; lane < count; ++lane)
            set(first[lane] + k * lines_.to_step, lane_of(line.re, k, lane), lane_of(line.im, k, lane));
        }
      };
      in_pieces(numbers, some, lines_.to_step * bytes * static_cast<std::int64_t>(count));
    };
    const auto n = static_cast<T>(n_);
    if (kind_ == FourierKind::inverse_real) {
      auto* const numbers = reinterpret_cast<T*>(to_);
      return all(n_, kBytes<T>, [&](std::int64_t at, T re, T) { numbers[at] = re / n; });
    }
    auto* const numbers = reinterpret_cast<Complex<T>*>(to_);
    if (kind_ == FourierKind::inverse)
      return all(lines_.written, kBytes<Complex<T>>,
                 [&](std::int64_t at, T re, T im) { numbers[at] = {re / n, im / n}; });
    all(lines_.written, kBytes<Complex<T>>, [&](std::int64_t at, T re, T im) { numbers[at] = {re, im}; });
  }

  FourierKind kind_;
  LinesOf lines_;
  std::int64_t n_;
  FourierPlan<T> plan_;
  const std::byte* from_;
  std::byte* to_;
};

// The memory that the lines of a tile are transformed in.
struct Room {
  std::int64_t kept = 0;    // bytes of the plan's numbers
  std::int64_t each = 0;    // bytes of a place
  std::int64_t places = 1;  // that work at the same time
  bool is_wide = false;     // lines go side by side

  std::int64_t bytes() const { return kept + places * each; }
};

template <class T>
Room room_of(std::int64_t length, std::int64_t lines) {
  constexpr std::int64_t kLineUnit = 64;
  constexpr std::int64_t kWideMax = 1 << 18;  // longer lines fill the caches alone
  constexpr std::int64_t kPlacesMax = 64;
  constexpr std::int64_t kLittle = 1 << 20;
  const auto whole_units = [](std::int64_t bytes) { return (bytes + kLineUnit - 1) / kLineUnit * kLineUnit; };
  Room room;
  room.is_wide = lines >= kLanes<T> && length <= kWideMax;
  room.kept = whole_units(FourierPlan<T>::numbers(length) * kBytes<Complex<T>>);
  const std::int64_t numbers = 2 * length + FourierPlan<T>::scratch(length);
  room.each = whole_units(numbers * (room.is_wide ? kBytes<LanesOf<T>> : kBytes<T>));
  const std::int64_t groups = room.is_wide ? (lines + kLanes<T> - 1) / kLanes<T> : lines;
  const std::int64_t half = lines * length * kBytes<T>;  // the bytes of half of the tile
  room.places = std::min({groups, kPlacesMax, std::max<std::int64_t>(1, std::max(kLittle, half) / room.each)});
  return room;
}

// Lines side by side as far as there are enough, the rest one after the other: the bits are the same.
template <class T>
void run_lines(const LineTransform<T>& transform, const Nest<2>& nest, const Room& room, std::byte* memory) {
  using Vector = LanesOf<T>;
  constexpr auto kCount = static_cast<std::size_t>(kLanes<T>);
  const auto some = [&](std::int64_t begin, std::int64_t end, std::byte* place) {
    std::array<std::int64_t, kCount> from{};
    std::array<std::int64_t, kCount> to{};
    std::size_t waiting = 0;
    const auto one_by_one = [&] {
      for (std::size_t k = 0; k < waiting && !is_given_up(); ++k)
        transform.template run<T>(std::array{from[k]}, std::array{to[k]}, reinterpret_cast<T*>(place));
      waiting = 0;
    };
    for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
      const Offsets<2> steps = nest.inner_strides();
      for (std::int64_t i = 0; i < n && !is_given_up(); ++i) {
        from[waiting] = at[0] + i * steps[0];
        to[waiting] = at[1] + i * steps[1];
        if (++waiting < kCount) continue;
        if (!room.is_wide) {
          one_by_one();
          continue;
        }
        transform.template run<Vector>(from, to, reinterpret_cast<Vector*>(place));
        waiting = 0;
      }
    });
    one_by_one();
  };
  // Each place takes as many whole groups of lines as another, one more or less.
  const std::int64_t size = room.is_wide ? kLanes<T> : 1;
  const std::int64_t groups = (nest.count + size - 1) / size;
  const bool is_little = room.places == 1 || nest.count * transform.length() < kGrain;
  parallel_ranges(room.places, is_little ? room.places : 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t place = first; place < last; ++place) {
      const std::int64_t begin = groups * place / room.places * size;
      const std::int64_t end = std::min(nest.count, groups * (place + 1) / room.places * size);
      some(begin, end, memory + place * room.each);
    }
  });
}

// The length of the lines of a tile: of the longer of both, where a half is left out.
std::int64_t length_of(const synth::Fourier& how, const synth::Shape& from, const synth::Shape& to) {
  return how.kind == FourierKind::inverse_real ? to[how.dimension] : from[how.dimension];
}

}  // namespace

std::int64_t fourier_scratch_bytes(const synth::Fourier& how, synth::ElementType part, const synth::Shape& from,
                                   const synth::Shape& to) {
  if (is_empty(from) || is_empty(to)) return 0;
  const std::int64_t lines = count(from) / from[how.dimension];
  const std::int64_t length = length_of(how, from, to);
  return part == synth::ElementType::f32 ? room_of<float>(length, lines).bytes()
                                         : room_of<double>(length, lines).bytes();
}

void fourier(const synth::Fourier& how, const TileView& operand, const TileOut& out, std::byte* scratch) {
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
  const std::int64_t length = length_of(how, operand.shape, out.shape);
  synth::visit_part(gives_reals ? operand.element : out.element, [&](auto zero) {
    using T = decltype(zero);
    const Room room = room_of<T>(length, nest.count);
    FourierPlan<T> plan(length, reinterpret_cast<Complex<T>*>(scratch), reinterpret_cast<T*>(scratch + room.kept));
    run_lines(LineTransform<T>(how.kind, lines, std::move(plan), operand.data, out.data), nest, room,
              scratch + room.kept);
  });
}

}  // namespace tessera::runtime
