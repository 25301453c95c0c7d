#include "runtime/kernels/generate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.hpp"
#include "runtime/elements/random.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

namespace {

// f(to, first, step, n) fills n elements of the tile: those that in the whole array have the numbers first, first +
// step, ...
template <class T, class F>
void fill_runs_by_number(const TilePlace& place, const TileOut& out, std::int64_t grain, const F& f) {
  if (is_empty(out.shape)) return;
  const synth::Shape strides = dense_strides(place.shape);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) start += place.box[d].begin * strides[d];
  const auto nest = make_nest<1>(out.shape, {strides});
  const std::int64_t step = nest.inner_strides()[0];
  parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<1>& at, std::int64_t n) {
      f(typed<T>(out) + position, start + at[0], step, n);
    });
  });
}

// Elements first, first + step, ... of the whole array.
template <class Distribution>
struct RandomRun {
  template <class T>
  TESSERA_INLINE static void run(std::int64_t seed, std::int64_t first, std::int64_t step, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = Distribution::template of<T>(random_words(seed, first + i * step));
  }
};

template <class F>
void visit_float(synth::ElementType element, F&& f) {
  TESSERA_CHECK(synth::is_float(element), "random numbers are floats");
  if (element == synth::ElementType::f32)
    f(float{});
  else
    f(double{});
}

constexpr std::int64_t kRandomGrain = 4'096;

// make(to, at, n) writes elements at, at + 1, ... of a run: into the run itself or into strips that go past the caches.
template <class T, class Make>
void write_strips(T* run, std::int64_t n, Writing writing, const Make& make) {
  constexpr std::int64_t kStrip = 2'048;
  if (writing == Writing::through_caches || n < kStrip) return make(run, 0, n);
  std::array<T, kStrip> strip;
  for (std::int64_t at = 0; at < n; at += kStrip) {
    const std::int64_t length = std::min(kStrip, n - at);
    make(strip.data(), at, length);
    stream_copy(reinterpret_cast<std::byte*>(run + at), reinterpret_cast<const std::byte*>(strip.data()),
                static_cast<std::size_t>(length) * sizeof(T));
  }
  finish_streaming();
}

template <class T, class Number>
void write_numbers_as(T* to, Number first, Number step, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const Number number = first + static_cast<Number>(i) * step;
    if constexpr (Boolean<T>)
      to[i] = number != 0;
    else
      to[i] = static_cast<T>(number);
  }
}
// Numbers of 32 bits become floats in vectors, on every processor; those of 64 do not.
template <class T>
void write_numbers(T* to, std::int64_t first, std::int64_t step, std::int64_t n) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (first + n * step <= kMost && step <= kMost)
    write_numbers_as(to, static_cast<std::int32_t>(first), static_cast<std::int32_t>(step), n);
  else
    write_numbers_as(to, first, step, n);
}

}  // namespace

void fill(const std::byte* scalar, const TileOut& out, Writing writing) {
  synth::visit_bytes(out.element, [&](auto zero) {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, scalar, sizeof(T));
    parallel_ranges(count(out.shape), 4 * kGrain, [&](std::int64_t begin, std::int64_t end) {
      write_strips(typed<T>(out) + begin, end - begin, writing,
                   [&](T* to, std::int64_t, std::int64_t n) { std::fill(to, to + n, value); });
    });
  });
}

void iota(const TilePlace& place, const TileOut& out, Writing writing) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    fill_runs_by_number<T>(place, out, kGrain, [&](T* to, std::int64_t first, std::int64_t step, std::int64_t n) {
      write_strips(to, n, writing, [&](T* strip, std::int64_t at, std::int64_t length) {
        write_numbers(strip, first + at * step, step, length);
      });
    });
  });
}

namespace {

template <class Distribution>
void fill_randomly(std::int64_t seed, const TilePlace& place, const TileOut& out, VectorTarget target) {
  visit_float(out.element, [&](auto zero) {
    using T = decltype(zero);
    using Run = typename for_target<RandomRun<Distribution>>::template with<std::int64_t, std::int64_t, std::int64_t,
                                                                            T*, std::int64_t>;
    const auto run = Run::of(target);
    fill_runs_by_number<T>(place, out, kRandomGrain, [&](T* to, std::int64_t first, std::int64_t step, std::int64_t n) {
      run(seed, first, step, to, n);
    });
  });
}

}  // namespace

void random(std::int64_t seed, const TilePlace& place, const TileOut& out, VectorTarget target) {
  fill_randomly<Uniform>(seed, place, out, target);
}

void normal(std::int64_t seed, const TilePlace& place, const TileOut& out, VectorTarget target) {
  fill_randomly<Gaussian>(seed, place, out, target);
}

}  // namespace tessera::runtime
