#include "runtime/kernels/map.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr auto kLeast32 = std::numeric_limits<std::int32_t>::min();
constexpr auto kMost32 = std::numeric_limits<std::int32_t>::max();

template <class R, class A>
std::vector<R> one(MapOp op, const std::vector<A>& a) {
  const Array<A> operand(Shape{static_cast<std::int64_t>(a.size())}, a);
  Array<R> out(operand.shape);
  const TileView operands[] = {operand.view()};
  EXPECT_FALSE(map(op, operands, out.out()).has_value());
  return out.values();
}

template <class R, class A>
std::vector<R> two(MapOp op, const std::vector<A>& a, const std::vector<A>& b) {
  const Shape shape{static_cast<std::int64_t>(a.size())};
  const Array<A> left(shape, a);
  const Array<A> right(shape, b);
  Array<R> out(shape);
  const TileView operands[] = {left.view(), right.view()};
  EXPECT_FALSE(map(op, operands, out.out()).has_value());
  return out.values();
}

TEST(Map, IntegerArithmeticWraps) {
  EXPECT_THAT(two<std::int32_t>(MapOp::add, std::vector{kMost32}, {1}), ElementsAre(kLeast32));
  EXPECT_THAT(two<std::int32_t>(MapOp::subtract, std::vector{kLeast32}, {1}), ElementsAre(kMost32));
  EXPECT_THAT(two<std::int32_t>(MapOp::multiply, std::vector{1 << 30}, {4}), ElementsAre(0));
  EXPECT_THAT(one<std::int32_t>(MapOp::negate, std::vector{kLeast32, 5}), ElementsAre(kLeast32, -5));
  EXPECT_THAT(one<std::int32_t>(MapOp::abs, std::vector{kLeast32, -5, 5}), ElementsAre(kLeast32, 5, 5));
}

TEST(Map, IntegerDivisionFloors) {
  const std::vector<std::int64_t> a = {7, -7, 7, -7, std::numeric_limits<std::int64_t>::min()};
  const std::vector<std::int64_t> b = {2, 2, -2, -2, -1};
  EXPECT_THAT(two<std::int64_t>(MapOp::divide, a, b), ElementsAre(3, -4, -4, 3, a[4]));
  EXPECT_THAT(two<std::int64_t>(MapOp::remainder, a, b), ElementsAre(1, 1, -1, -1, 0));
}

TEST(Map, IntegerPowersWrap) {
  EXPECT_THAT(two<std::int32_t>(MapOp::power, std::vector{2, -3, 0, 7, 3}, {10, 3, 0, 0, 40}),
              ElementsAre(1024, -27, 1, 1, 689956897));
}

// One exponent for all elements and one for each give the same, and as std::pow has it, but for a last digit.
TEST(Map, SmallPowersOfFloatsAreProducts) {
  const std::vector<float> a = {1.1F, -3.0F, 0.0F, -0.0F, kInf, -kInf, kNan, 1e-30F, 1e30F, 0.3F, 7.0F, -1e-12F};
  for (const float exponent : {-1.0F, 0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F}) {
    const Array<float> base(Shape{static_cast<std::int64_t>(a.size())}, a);
    const Array<float> one_for_all = Array<float>::scalar(exponent);
    Array<float> out(base.shape);
    const TileView operands[] = {base.view(), one_for_all.view()};
    EXPECT_FALSE(map(MapOp::power, operands, out.out()).has_value());
    const std::vector<float> each = two<float>(MapOp::power, a, std::vector<float>(a.size(), exponent));
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(out.values()[i]), std::bit_cast<std::uint32_t>(each[i])) << a[i];
      const float power = std::pow(a[i], exponent);
      const bool near = !std::isfinite(power) || std::abs(each[i] - power) <= 3e-7F * std::abs(power);
      EXPECT_TRUE(near) << a[i] << " to " << exponent;
      EXPECT_EQ(std::isnan(each[i]), std::isnan(power));
      EXPECT_EQ(std::signbit(each[i]), std::signbit(power)) << a[i] << " to " << exponent;
    }
  }
}

TEST(Map, ReportsTheFirstElementWithoutAValue) {
  const Array<std::int32_t> a(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
  const Array<std::int32_t> b(Shape{3}, {1, 0, -2});
  Array<std::int32_t> out(Shape{2, 3});
  const TileView operands[] = {a.view(), b.view()};
  EXPECT_EQ(map(MapOp::divide, operands, out.out()), 1);
  EXPECT_EQ(map(MapOp::remainder, operands, out.out()), 1);
  EXPECT_EQ(map(MapOp::power, operands, out.out()), 2);
  EXPECT_EQ(map(MapOp::add, operands, out.out()), std::nullopt);
}

TEST(Map, NothingIsDividedInAnEmptyResult) {
  const Array<std::int32_t> a(Shape{0, 1});
  const Array<std::int32_t> zero = Array<std::int32_t>::scalar(0);
  Array<std::int32_t> out(Shape{0, 1});
  const TileView operands[] = {a.view(), zero.view()};
  EXPECT_EQ(map(MapOp::divide, operands, out.out()), std::nullopt);
}

TEST(Map, FloatRemainderTakesTheDivisorsSign) {
  const auto rest = two<float>(MapOp::remainder, std::vector{5.5F, -5.5F, 5.5F, -5.5F, 6.0F, -1.0F},
                               {2.0F, 2.0F, -2.0F, -2.0F, -3.0F, kInf});
  EXPECT_THAT(rest, ElementsAre(1.5F, 0.5F, -0.5F, -1.5F, 0.0F, kInf));
  EXPECT_TRUE(std::signbit(rest[4]));
  EXPECT_TRUE(std::isnan(two<float>(MapOp::remainder, std::vector{1.0F}, {0.0F})[0]));
}

// Floats of any bits, and of ordinary sizes.
template <class T>
std::vector<T> any_floats(std::size_t n, std::uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(seed);
  std::vector<T> values = {0,
                           static_cast<T>(-0.0),
                           static_cast<T>(0.5),
                           static_cast<T>(-0.5),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::quiet_NaN(),
                           static_cast<T>(sizeof(T) == 4 ? 0x1p23 : 0x1p52)};
  while (values.size() < n) {
    values.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    for (const double size : {4.0, 1e5, 1e12})
      values.push_back(static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63 * size));
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

template <class T>
void expect_same_bits(const std::vector<T>& got, const std::vector<T>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool same = got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i]);
    ASSERT_TRUE(same || (std::isnan(got[i]) && std::isnan(want[i]))) << got[i] << " for " << want[i];
  }
}

template <class T>
void expect_floor_and_remainder(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> floors;
  std::vector<T> rests;
  for (std::size_t i = 0; i < a.size(); ++i) {
    floors.push_back(std::floor(a[i]));
    const T rest = std::fmod(a[i], b[i]);
    rests.push_back(rest == 0 ? std::copysign(T{0}, b[i]) : (rest < 0) != (b[i] < 0) ? rest + b[i] : rest);
  }
  expect_same_bits(one<T>(MapOp::floor, a), floors);
  expect_same_bits(two<T>(MapOp::remainder, a, b), rests);
}

TEST(Map, FloorAndRemainderAreTheLibrarys) {
  expect_floor_and_remainder(any_floats<float>(40'000, 1), any_floats<float>(40'000, 2));
  expect_floor_and_remainder(any_floats<double>(40'000, 1), any_floats<double>(40'000, 2));
}

// Quotients below 2^29 are taken in vectors, where a whole block of them lies side by side: whole ones, what is next to
// whole ones, and amid them, now and then, one that is beyond.
TEST(Map, FloatRemainderIsTheLibrarysInVectors) {
  std::mt19937_64 random(3);
  std::vector<float> a;
  std::vector<float> b;
  for (int i = 0; i < 200'000; ++i) {
    b.push_back(
        std::ldexp(1.0F + static_cast<float>(random() % (1U << 23U)) * 0x1p-23F, static_cast<int>(random() % 60)));
    if (random() % 2 == 0) b.back() = -b.back();
    const auto whole = static_cast<float>(static_cast<std::int64_t>(random() % (1ULL << random() % 30U)));
    a.push_back(std::nextafter(whole * b.back(), random() % 2 == 0 ? -kInf : kInf));
    if (random() % 3 == 0) a.back() = whole * b.back();
    if (i % 1000 == 999) b.back() *= 0x1p-40F;
  }
  a[70] = kNan;
  b[170] = kInf;
  b[270] = 0.0F;
  expect_floor_and_remainder(a, b);
}

TEST(Map, NanWinsInMinimumMaximumAndClip) {
  for (const MapOp op : {MapOp::minimum, MapOp::maximum}) {
    EXPECT_TRUE(std::isnan(two<float>(op, std::vector{kNan}, {1.0F})[0]));
    EXPECT_TRUE(std::isnan(two<float>(op, std::vector{1.0F}, {kNan})[0]));
  }
  const Array<float> x(Shape{4}, {kNan, -5.0F, 0.5F, 5.0F});
  const Array<float> low = Array<float>::scalar(0.0F);
  const Array<float> high = Array<float>::scalar(1.0F);
  Array<float> out(Shape{4});
  const TileView operands[] = {x.view(), low.view(), high.view()};
  map(MapOp::clip, operands, out.out());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_THAT(out.values(), ElementsAre(testing::_, 0.0F, 0.5F, 1.0F));
}

TEST(Map, SignKeepsZerosAndNan) {
  const auto signs = one<float>(MapOp::sign, std::vector{-3.0F, -0.0F, 0.0F, 8.0F, kNan});
  EXPECT_THAT(signs, ElementsAre(-1.0F, 0.0F, 0.0F, 1.0F, testing::_));
  EXPECT_TRUE(std::signbit(signs[1]));
  EXPECT_FALSE(std::signbit(signs[2]));
  EXPECT_TRUE(std::isnan(signs[4]));
}

TEST(Map, CastsTruncateAndSaturate) {
  const std::vector<float> x = {1.9F, -1.9F, 3e9F, -3e9F, kNan, kInf, -kInf, 2147483648.0F, -2147483648.0F};
  EXPECT_THAT(one<std::int32_t>(MapOp::cast, x),
              ElementsAre(1, -1, kMost32, kLeast32, 0, kMost32, kLeast32, kMost32, kLeast32));
  EXPECT_THAT(one<std::int64_t>(MapOp::cast, std::vector{1e30, -1e30}),
              ElementsAre(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(one<bool>(MapOp::cast, x), ElementsAre(true, true, true, true, true, true, true, true, true));
  EXPECT_THAT(one<bool>(MapOp::cast, std::vector<std::int64_t>{0, -1}), ElementsAre(false, true));
  EXPECT_THAT(one<std::int32_t>(MapOp::cast, std::vector<std::int64_t>{(std::int64_t{1} << 32U) + 7}), ElementsAre(7));
  EXPECT_THAT(one<float>(MapOp::cast, std::vector<std::int32_t>{-3}), ElementsAre(-3.0F));
}

TEST(Map, FunctionsOfFloats) {
  const std::vector<double> x = {-1000.0, -1.5, 0.0, 0.25, 1000.0};
  const auto same = [&](MapOp op, const std::function<double(double)>& f) {
    const auto got = one<double>(op, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool alike =
          std::isnan(f(x[i])) ? std::isnan(got[i]) : std::abs(got[i] - f(x[i])) <= 1e-15 * std::abs(f(x[i]));
      EXPECT_TRUE(alike || got[i] == f(x[i])) << synth::name(op) << " of " << x[i];
    }
  };
  same(MapOp::exp, [](double v) { return std::exp(v); });
  same(MapOp::exp2, [](double v) { return std::exp2(v); });
  same(MapOp::log, [](double v) { return std::log(v); });
  same(MapOp::sqrt, [](double v) { return std::sqrt(v); });
  same(MapOp::rsqrt, [](double v) { return 1 / std::sqrt(v); });
  same(MapOp::tanh, [](double v) { return std::tanh(v); });
  same(MapOp::sigmoid, [](double v) { return v < 0 ? std::exp(v) / (1 + std::exp(v)) : 1 / (1 + std::exp(-v)); });
  same(MapOp::relu, [](double v) { return std::max(v, 0.0); });
  same(MapOp::gelu, [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); });
  same(MapOp::erf, [](double v) { return std::erf(v); });
  same(MapOp::abs, [](double v) { return std::abs(v); });
  same(MapOp::floor, [](double v) { return std::floor(v); });
  same(MapOp::sin, [](double v) { return std::sin(v); });
  same(MapOp::cos, [](double v) { return std::cos(v); });
  same(MapOp::negate, [](double v) { return -v; });
}

TEST(Map, ComparisonsAndLogic) {
  const std::vector<float> a = {1.0F, 2.0F, 3.0F, kNan};
  const std::vector<float> b = {2.0F, 2.0F, 2.0F, kNan};
  EXPECT_THAT(two<bool>(MapOp::equal, a, b), ElementsAre(false, true, false, false));
  EXPECT_THAT(two<bool>(MapOp::not_equal, a, b), ElementsAre(true, false, true, true));
  EXPECT_THAT(two<bool>(MapOp::less, a, b), ElementsAre(true, false, false, false));
  EXPECT_THAT(two<bool>(MapOp::less_equal, a, b), ElementsAre(true, true, false, false));
  EXPECT_THAT(two<bool>(MapOp::greater, a, b), ElementsAre(false, false, true, false));
  EXPECT_THAT(two<bool>(MapOp::greater_equal, a, b), ElementsAre(false, true, true, false));
  const std::vector<bool> p = {false, false, true, true};
  const std::vector<bool> q = {false, true, false, true};
  EXPECT_THAT(two<bool>(MapOp::logical_and, p, q), ElementsAre(false, false, false, true));
  EXPECT_THAT(two<bool>(MapOp::logical_or, p, q), ElementsAre(false, true, true, true));
  EXPECT_THAT(one<bool>(MapOp::logical_not, p), ElementsAre(true, true, false, false));
}

TEST(Map, BitsOfIntegers) {
  const std::vector<std::int32_t> a = {12, -1, 5, std::numeric_limits<std::int32_t>::min()};
  const std::vector<std::int32_t> b = {10, 7, -6, 1};
  EXPECT_THAT(two<std::int32_t>(MapOp::bit_and, a, b), ElementsAre(8, 7, 0, 0));
  EXPECT_THAT(two<std::int32_t>(MapOp::bit_or, a, b),
              ElementsAre(14, -1, -1, std::numeric_limits<std::int32_t>::min() + 1));
  EXPECT_THAT(two<std::int32_t>(MapOp::bit_xor, a, b),
              ElementsAre(6, -8, -1, std::numeric_limits<std::int32_t>::min() + 1));
  EXPECT_THAT(one<std::int32_t>(MapOp::bit_not, a), ElementsAre(-13, 0, -6, std::numeric_limits<std::int32_t>::max()));
}

// All counts that there are: those of as many bits, or more, or below none, leave nothing but the sign.
template <class T>
void expect_shifts() {
  constexpr int kBits = sizeof(T) * 8;
  using Bits = std::make_unsigned_t<T>;
  for (const T a : {T{1}, T{-1}, T{0x12345}, static_cast<T>(-0x12345), std::numeric_limits<T>::min()}) {
    std::vector<T> counts;
    std::vector<T> left;
    std::vector<T> right;
    for (int count = -2; count < kBits + 3; ++count) {
      const bool is_some = count >= 0 && count < kBits;
      counts.push_back(static_cast<T>(count));
      left.push_back(is_some ? static_cast<T>(static_cast<Bits>(a) << static_cast<unsigned>(count)) : T{0});
      right.push_back(is_some ? a >> count : a < 0 ? T{-1} : T{0});
    }
    const std::vector<T> all(counts.size(), a);
    EXPECT_EQ(two<T>(MapOp::shift_left, all, counts), left);
    EXPECT_EQ(two<T>(MapOp::shift_right, all, counts), right);
  }
}

TEST(Map, ShiftsOfI32) { expect_shifts<std::int32_t>(); }
TEST(Map, ShiftsOfI64) { expect_shifts<std::int64_t>(); }

TEST(Map, SelectBroadcastsItsCondition) {
  const Array<bool> condition(Shape{2, 1}, {true, false});
  const Array<std::int32_t> a(Shape{3}, {1, 2, 3});
  const auto b = Array<std::int32_t>::scalar(9);
  Array<std::int32_t> out(Shape{2, 3});
  const TileView operands[] = {condition.view(), a.view(), b.view()};
  map(MapOp::select, operands, out.out());
  EXPECT_THAT(out.values(), ElementsAre(1, 2, 3, 9, 9, 9));
}

TEST(Map, SelectKeepsEveryBit) {
  const Array<bool> condition(Shape{4}, {true, false, true, false});
  const Array<double> a(Shape{4}, {-0.0, 1.0, std::numeric_limits<double>::infinity(), 2.0});
  const Array<double> b(Shape{4}, {5.0, -0.0, 6.0, std::numeric_limits<double>::denorm_min()});
  Array<double> out(Shape{4});
  const TileView operands[] = {condition.view(), a.view(), b.view()};
  map(MapOp::select, operands, out.out());
  EXPECT_THAT(out.values(), ElementsAre(0.0, 0.0, a[2], b[3]));
  EXPECT_TRUE(std::signbit(out[0]));
  EXPECT_TRUE(std::signbit(out[1]));
}

TEST(Map, MayOverwriteAnOperand) {
  Array<float> a = counting<float>(Shape{1000});
  const auto two_point_five = Array<float>::scalar(2.5F);
  const TileView operands[] = {a.view(), two_point_five.view()};
  map(MapOp::multiply, operands, a.out());
  for (std::int64_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], 2.5F * static_cast<float>(i));
}

// An operand whose shape broadcasts to `shape`, as a part of a larger array so that its strides are odd ones.
struct Odd {
  Array<std::int64_t> around;
  TileView view;
  std::int64_t at(const Shape& index, std::size_t rank) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
      const std::int64_t i = view.shape[d] == 1 ? 0 : index[rank - view.shape.size() + d];
      offset += i * view.strides[d];
    }
    return typed<std::int64_t>(view)[offset];
  }
};

Odd odd_operand(const Shape& shape) {
  Shape own;
  Shape around;
  Shape begin;
  for (std::size_t d = *rc::gen::inRange<std::size_t>(0, shape.size() + 1); d < shape.size(); ++d) {
    own.push_back(*rc::gen::element(shape[d], std::int64_t{1}));
    begin.push_back(*rc::gen::inRange(0, 3));
    around.push_back(own.back() + begin.back() + *rc::gen::inRange(0, 2));
  }
  Odd odd{counting<std::int64_t>(around), {}};
  odd.view = part_of(odd.around.view(), begin, own);
  return odd;
}

RC_GTEST_PROP(MapProperty, BroadcastsAsNumpyDoes, ()) {
  Shape shape;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange(0, 6));
  const Odd a = odd_operand(shape);
  const Odd b = odd_operand(shape);
  Array<std::int64_t> out(shape);
  const TileView operands[] = {a.view, b.view};
  map(MapOp::subtract, operands, out.out());
  for_indices(shape, [&](const Shape& index) {
    RC_ASSERT(out[position(shape, index)] == a.at(index, rank) - b.at(index, rank));
  });
}

RC_GTEST_PROP(MapProperty, DivisionAndRemainderBelongTogether, (std::int64_t a, std::int64_t b)) {
  RC_PRE(b != 0);
  const std::int64_t quotient = two<std::int64_t>(MapOp::divide, std::vector{a}, {b})[0];
  const std::int64_t rest = two<std::int64_t>(MapOp::remainder, std::vector{a}, {b})[0];
  const auto wrap = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  RC_ASSERT(wrap(quotient) * wrap(b) + wrap(rest) == wrap(a));
  RC_ASSERT(rest == 0 || (rest < 0) == (b < 0));
}

}  // namespace
}  // namespace tessera::runtime::test
