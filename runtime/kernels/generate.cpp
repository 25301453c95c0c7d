#include "runtime/kernels/generate.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include "base/check.hpp"
#include "runtime/kernels/arithmetic.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/philox.hpp"

namespace tessera::runtime {

namespace {

// out = f(number of the element in the whole array).
template <class T, class F>
void fill_by_number(const TilePlace& place, const TileOut& out, std::int64_t grain, const F& f) {
  if (is_empty(out.shape)) return;
  const synth::Shape strides = dense_strides(place.shape);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) start += place.box[d].begin * strides[d];
  const auto nest = make_nest<1>(out.shape, {strides});
  const std::int64_t step = nest.inner_strides()[0];
  parallel_ranges(nest.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<1>& at, std::int64_t n) {
      T* const run = typed<T>(out) + position;
      for (std::int64_t i = 0; i < n; ++i) run[i] = f(start + at[0] + i * step);
    });
  });
}

PhiloxCounter block(std::int64_t seed, std::int64_t number) {
  const auto low = [](std::int64_t x) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)); };
  const auto high = [](std::int64_t x) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) >> 32U); };
  return philox4x32({low(number), high(number), 0, 0}, {low(seed), high(seed)});
}

double uniform53(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32U | low) >> 11U;
  return static_cast<double>(bits) * 0x1p-53;
}

template <class T>
T uniform(const PhiloxCounter& words) {
  if constexpr (std::same_as<T, float>)
    return static_cast<float>(words[0] >> 8U) * 0x1p-24F;
  else
    return uniform53(words[0], words[1]);
}

double gaussian(const PhiloxCounter& words) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform53(words[0], words[1])));
  return radius * std::cos(2 * std::numbers::pi * uniform53(words[2], words[3]));
}

template <class F>
void visit_float(synth::ElementType element, F&& f) {
  TESSERA_CHECK(synth::is_float(element), "random numbers are floats");
  if (element == synth::ElementType::f32)
    f(float{});
  else
    f(double{});
}

constexpr std::int64_t kRandomGrain = 2'048;

}  // namespace

void fill(const std::byte* scalar, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, scalar, sizeof(T));
    parallel_ranges(count(out.shape), 4 * kGrain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(typed<T>(out) + begin, typed<T>(out) + end, value);
    });
  });
}

void iota(const TilePlace& place, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    fill_by_number<T>(place, out, kGrain, [](std::int64_t number) {
      if constexpr (Boolean<T>)
        return number != 0;
      else
        return static_cast<T>(number);
    });
  });
}

void random(std::int64_t seed, const TilePlace& place, const TileOut& out) {
  visit_float(out.element, [&](auto zero) {
    using T = decltype(zero);
    fill_by_number<T>(place, out, kRandomGrain, [&](std::int64_t number) { return uniform<T>(block(seed, number)); });
  });
}

void normal(std::int64_t seed, const TilePlace& place, const TileOut& out) {
  visit_float(out.element, [&](auto zero) {
    using T = decltype(zero);
    fill_by_number<T>(place, out, kRandomGrain,
                      [&](std::int64_t number) { return static_cast<T>(gaussian(block(seed, number))); });
  });
}

}  // namespace tessera::runtime
