// The comparison itself: what it lets pass and what not.
#include "tests/differential/outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tessera::differential {
namespace {

Value value(std::vector<float> numbers) {
  Value result{Element::f32, {static_cast<std::int64_t>(numbers.size())}, {}};
  result.bytes.resize(numbers.size() * sizeof(float));
  std::memcpy(result.bytes.data(), numbers.data(), result.bytes.size());
  return result;
}

generator::Facts facts(bool same_bits) {
  generator::Facts own = generator::derived(Element::f32, {2}, {});
  own.same_bits = same_bits;
  own.portable = same_bits;
  return generator::settled(own, 10, 0.01);
}

TEST(Difference, OfExactValuesIsInTheBits) {
  EXPECT_FALSE(difference(facts(true), value({1, 2}), value({1, 2}), Yardstick::devices).has_value());
  EXPECT_TRUE(difference(facts(true), value({1, 2}), value({1, 2.0000002F}), Yardstick::devices).has_value());
  EXPECT_TRUE(difference(facts(true), value({1, 0.0F}), value({1, -0.0F}), Yardstick::devices).has_value());
}

TEST(Difference, OfAnotherImplementationForgivesTheSignOfZero) {
  EXPECT_FALSE(difference(facts(true), value({1, 0.0F}), value({1, -0.0F}), Yardstick::implementation).has_value());
}

TEST(Difference, OfTolerantValuesIsMeasured) {
  EXPECT_FALSE(difference(facts(false), value({1, 2}), value({1, 2.03F}), Yardstick::devices).has_value());
  EXPECT_TRUE(difference(facts(false), value({1, 2}), value({1, 2.05F}), Yardstick::devices).has_value());
  EXPECT_TRUE(difference(facts(false), value({1, 2}), value({1, NAN}), Yardstick::devices).has_value());
}

TEST(Difference, OfTypes) {
  EXPECT_TRUE(difference(facts(true), value({1, 2}), value({1, 2, 3}), Yardstick::devices).has_value());
}

TEST(Contradiction, IsAValueBeyondItsMagnitude) {
  EXPECT_FALSE(contradiction(facts(true), value({10, -10})).has_value());
  EXPECT_TRUE(contradiction(facts(true), value({10, 11})).has_value());
  EXPECT_TRUE(contradiction(facts(true), value({10, NAN})).has_value());
  EXPECT_TRUE(contradiction(facts(true), value({10})).has_value());
}

}  // namespace
}  // namespace tessera::differential
