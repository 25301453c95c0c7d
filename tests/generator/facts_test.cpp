#include "tests/generator/facts.hpp"

#include <gtest/gtest.h>

namespace tessera::generator {
namespace {

Facts floats(double magnitude, double error) {
  Facts facts = derived(Element::f32, {4}, {});
  facts.portable = error == 0;
  facts.same_bits = error == 0;
  return settled(facts, magnitude, error);
}

TEST(Facts, IntegersHaveNoErrorAndWrap) {
  const Facts big = settled(derived(Element::i32, {}, {}), 1e30, 5);
  EXPECT_EQ(big.magnitude, 0x1p31);
  EXPECT_EQ(big.error, 0);
}

TEST(Facts, ASumOfCertainValuesOfDevicesIsNotCertain) {
  const Facts total = of_total(derived(Element::f32, {}, {floats(2, 0)}), floats(2, 0), 10);
  EXPECT_FALSE(total.certain());
  EXPECT_EQ(total.magnitude, 20);
  EXPECT_DOUBLE_EQ(total.error, 14 * 0x1p-23 * 20);
}

TEST(Facts, AnElementwiseSumOfCertainValuesIs) {
  const Facts sum = of_sum(derived(Element::f32, {4}, {floats(2, 0), floats(3, 0)}), floats(2, 0), floats(3, 0));
  EXPECT_TRUE(sum.certain());
  EXPECT_EQ(sum.magnitude, 5);
}

TEST(Facts, ErrorsOfAProduct) {
  const Facts a = floats(2, 0.5);
  const Facts b = floats(3, 0.25);
  const Facts product = of_product(derived(Element::f32, {4}, {a, b}), a, b);
  EXPECT_EQ(product.magnitude, 6);
  EXPECT_DOUBLE_EQ(product.error, 0.5 * 3 + 0.25 * 2 + 0x1p-23 * 6);
}

TEST(Facts, IntegersStayCertainThroughSums) {
  const Facts a = settled(derived(Element::i64, {4}, {}), 7, 0);
  EXPECT_TRUE(of_total(derived(Element::i64, {}, {a}), a, 4).certain());
}

}  // namespace
}  // namespace tessera::generator
