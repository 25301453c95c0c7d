#include "runtime/kernels/generate.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "runtime/elements/philox.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

// The known answers of the generator's authors (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsTheTopOfThePhiloxWords) {
  Array<float> a(Shape{1});
  random(0, {Shape{1}, synth::whole(Shape{1})}, a.out());
  EXPECT_EQ(a[0], static_cast<float>(0x6627e8d5U >> 8U) / 16777216.0F);
  Array<double> b(Shape{1});
  random(0, {Shape{1}, synth::whole(Shape{1})}, b.out());
  EXPECT_EQ(b[0], std::ldexp(static_cast<double>(0xe169c58d6627e8d5U >> 11U), -53));
}

// A tile holds the numbers of its place, whatever else there is.
template <class T, class F>
void expect_parts_of_the_whole(const F& generate) {
  const Shape shape{5, 7, 3};
  Array<T> all(shape);
  generate(TilePlace{shape, synth::whole(shape)}, all.out());
  const synth::Box box = {{1, 4}, {2, 3}, {0, 3}};
  Array<T> part(synth::shape_of(box));
  generate(TilePlace{shape, box}, part.out());
  for_indices(part.shape, [&](const Shape& index) {
    const Shape there{index[0] + 1, index[1] + 2, index[2]};
    EXPECT_EQ(part[position(part.shape, index)], all[position(shape, there)]);
  });
}

TEST(Generate, TilesArePartsOfTheWhole) {
  expect_parts_of_the_whole<float>([](const TilePlace& place, const TileOut& out) { random(42, place, out); });
  expect_parts_of_the_whole<double>([](const TilePlace& place, const TileOut& out) { random(42, place, out); });
  expect_parts_of_the_whole<float>([](const TilePlace& place, const TileOut& out) { normal(-42, place, out); });
  expect_parts_of_the_whole<std::int64_t>([](const TilePlace& place, const TileOut& out) { iota(place, out); });
}

template <class T>
void expect_same_bits_for_all_targets() {
  const TilePlace place{Shape{1001}, synth::whole(Shape{1001})};
  for (const auto& generate : {random, normal}) {
    Array<T> baseline(place.shape);
    generate(-3, place, baseline.out(), VectorTarget::baseline);
    for (const VectorTarget target : vector_targets()) {
      Array<T> got(place.shape);
      generate(-3, place, got.out(), target);
      EXPECT_TRUE(got.bytes == baseline.bytes) << name(target);
    }
  }
}

TEST(Random, HasTheSameBitsForAllTargets) {
  expect_same_bits_for_all_targets<float>();
  expect_same_bits_for_all_targets<double>();
}

// Box and Muller's formula by the library, in more digits than f64 has.
TEST(Normal, IsBoxAndMullersFormula) {
  constexpr std::int64_t n = 2'000;
  const TilePlace place{Shape{n}, synth::whole(Shape{n})};
  Array<double> wide(place.shape);
  Array<float> narrow(place.shape);
  normal(5, place, wide.out());
  normal(5, place, narrow.out());
  const auto uniform = [](std::uint32_t low, std::uint32_t high) {
    return std::ldexp(static_cast<long double>((std::uint64_t{high} << 32U | low) >> 11U), -53);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const PhiloxCounter words = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {5, 0});
    const long double turns = uniform(words[2], words[3]);
    const long double want = std::sqrt(-2 * std::log(1 - uniform(words[0], words[1]))) *
                             std::cos(2 * std::numbers::pi_v<long double> * turns);
    EXPECT_NEAR(wide[i], static_cast<double>(want), 6e-16 * std::abs(static_cast<double>(want)) + 1e-18) << i;
    EXPECT_NEAR(narrow[i], static_cast<double>(want), 7e-8 * std::abs(static_cast<double>(want)) + 1e-18) << i;
  }
}

TEST(Random, IsUniform) {
  Array<float> a(Shape{100'000});
  random(7, {a.shape, synth::whole(a.shape)}, a.out());
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    ASSERT_GE(a[i], 0.0F);
    ASSERT_LT(a[i], 1.0F);
    sum += a[i];
    squares += a[i] * a[i];
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 0.005);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.005);
}

TEST(Normal, HasTheMomentsOfTheNormalDistribution) {
  Array<double> a(Shape{100'000});
  normal(7, {a.shape, synth::whole(a.shape)}, a.out());
  double sum = 0, squares = 0, fourths = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(std::isfinite(a[i]));
    sum += a[i];
    squares += a[i] * a[i];
    fourths += std::pow(a[i], 4);
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_NEAR(fourths / 1e5, 3, 0.1);
}

TEST(Iota, ConvertsTheNumber) {
  Array<float> a(Shape{2, 2});
  iota({Shape{4, 4}, {{1, 3}, {2, 4}}}, a.out());
  EXPECT_THAT(a.values(), ElementsAre(6, 7, 10, 11));
  Array<bool> b(Shape{2});
  iota({Shape{2}, {{0, 2}}}, b.out());
  EXPECT_THAT(b.values(), ElementsAre(false, true));
}

// Beyond 32 bits numbers are counted and rounded as before.
TEST(Iota, GoesOnBehindTheLargestNumberOf32Bits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t begin : {kMost - 40, kMost - 7, kMost, 4 * kMost}) {
    const TilePlace place{Shape{begin + 20}, {{begin, begin + 20}}};
    Array<float> rounded(Shape{20});
    Array<double> exact(Shape{20});
    Array<std::int64_t> counted(Shape{20});
    iota(place, rounded.out());
    iota(place, exact.out());
    iota(place, counted.out());
    for (std::int64_t i = 0; i < 20; ++i) {
      EXPECT_EQ(rounded[i], static_cast<float>(begin + i));
      EXPECT_EQ(exact[i], static_cast<double>(begin + i));
      EXPECT_EQ(counted[i], begin + i);
    }
  }
}

TEST(Iota, PastTheCachesIsTheSame) {
  for (const std::int64_t n : {7, 2'047, 2'048, 100'001}) {
    Array<float> a(Shape{2, n});
    Array<std::int64_t> column(Shape{n, 1});
    iota({Shape{2, n}, synth::whole(Shape{2, n})}, a.out(), Writing::past_caches);
    iota({Shape{n, 3}, {{0, n}, {1, 2}}}, column.out(), Writing::past_caches);
    for (std::int64_t i = 0; i < 2 * n; ++i) ASSERT_EQ(a[i], static_cast<float>(i));
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(column[i], 3 * i + 1);
  }
}

TEST(Fill, PastTheCachesIsTheSame) {
  const auto half = Array<double>::scalar(0.5);
  for (const std::int64_t n : {7, 2'048, 100'001}) {
    Array<double> a(Shape{n});
    fill(half.bytes.data(), a.out(), Writing::past_caches);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a[i], 0.5);
  }
}

TEST(Fill, EveryElement) {
  Array<std::int32_t> a(Shape{3});
  const auto seven = Array<std::int32_t>::scalar(7);
  fill(seven.bytes.data(), a.out());
  EXPECT_THAT(a.values(), ElementsAre(7, 7, 7));
}

}  // namespace
}  // namespace tessera::runtime::test
