#include "runtime/kernels/take.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

TEST(Take, RowsByNumber) {
  const auto table = counting<float>(Shape{3, 2});
  const Array<std::int32_t> ids(Shape{2, 2}, {2, 0, -1, -3});
  Array<float> out(Shape{2, 2, 2});
  EXPECT_FALSE(take(table.view(), 0, 3, ids.view(), out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(4, 5, 0, 1, 4, 5, 0, 1));
}

TEST(Take, RowsHeldElsewhereAreTheIdentity) {
  const auto table = counting<float>(Shape{2});  // rows 2 and 3 of 5
  const Array<std::int64_t> ids(Shape{3}, {0, 3, -3});
  Array<float> out(Shape{3});
  EXPECT_FALSE(take(table.view(), 2, 5, ids.view(), out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(0, 1, 0));
  EXPECT_TRUE(std::signbit(out[0]));
}

TEST(Take, IdsOutOfRange) {
  const auto table = counting<float>(Shape{3});
  const Array<std::int64_t> ids(Shape{3}, {0, 3, -4});
  Array<float> out(Shape{3});
  const auto bad = take(table.view(), 0, 3, ids.view(), out.out());
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->position, 1);
  EXPECT_EQ(bad->id, 3);
}

TEST(ScatterAdd, AddsRowsInTheOrderOfTheirIds) {
  // (1e8 + 1) - 1e8 is 0 in f32; in any other order it is 1.
  const Array<float> values(Shape{2, 2, 1}, {1e8F, 1.0F, 5.0F, -1e8F});
  const Array<std::int32_t> ids(Shape{2, 2}, {0, -3, 2, 0});
  Array<float> out(Shape{3, 1});
  EXPECT_FALSE(scatter_add(values.view(), ids.view(), 0, 3, out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(0, 0, 5));
}

TEST(ScatterAdd, RowsOfOtherTilesAreLeftOut) {
  const auto values = counting<float>(Shape{3, 2});
  const Array<std::int64_t> ids(Shape{3}, {0, 3, -2});
  Array<float> out(Shape{2, 2});  // rows 2 and 3 of 5
  EXPECT_FALSE(scatter_add(values.view(), ids.view(), 2, 5, out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(0, 0, 6, 8));
  EXPECT_EQ(scatter_add(values.view(), ids.view(), 0, 3, out.out())->id, 3);
}

// A slice's rows lie apart in memory.
TEST(ScatterAdd, ReadsStridedRows) {
  const auto values = counting<float>(Shape{2, 3});
  const TileView turned{synth::ElementType::f32, Shape{3, 2}, Shape{1, 3}, values.bytes.data()};
  const Array<std::int64_t> ids(Shape{3}, {1, 0, 1});
  Array<float> out(Shape{2, 2});
  EXPECT_FALSE(scatter_add(turned, ids.view(), 0, 2, out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(1, 4, 2, 8));
}

TEST(OneHot, OnePlaceEach) {
  const Array<std::int64_t> ids(Shape{2}, {2, 0});
  Array<std::int32_t> out(Shape{2, 3});
  EXPECT_FALSE(one_hot(ids.view(), 3, out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(0, 0, 1, 1, 0, 0));
  const Array<std::int64_t> negative(Shape{1}, {-1});
  EXPECT_EQ(one_hot(negative.view(), 3, out.out())->id, -1);
}

}  // namespace
}  // namespace tessera::runtime::test
