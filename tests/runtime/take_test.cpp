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

TEST(Take, AlongEachLine) {
  const auto table = counting<float>(Shape{2, 3});  // places 1 to 3 of 5: 0 1 2, 3 4 5
  const Array<std::int64_t> ids(Shape{2, 2}, {3, 0, -4, 2});
  Array<float> out(Shape{2, 2});
  EXPECT_FALSE(take_along(table.view(), 1, 5, ids.view(), out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(2, 0, 3, 4));
  EXPECT_EQ(take_along(table.view(), 1, 3, ids.view(), out.out())->id, 3);
}

TEST(ScatterAdd, AlongEachLine) {
  const auto values = counting<float>(Shape{2, 3});
  const Array<std::int32_t> ids(Shape{2, 3}, {4, 1, 1, -1, 3, 0});
  Array<float> out(Shape{2, 3});  // places 1 to 3 of 5
  EXPECT_FALSE(scatter_add_along(values.view(), ids.view(), 1, 5, out.out()).has_value());
  EXPECT_THAT(out.values(), ElementsAre(3, 0, 0, 0, 0, 4));
  EXPECT_EQ(scatter_add_along(values.view(), ids.view(), 1, 4, out.out())->id, 4);
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

TEST(Search, NaNIsBehindAllNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array<double> edges(Shape{5}, {-0.0, 1, 1, nan, nan});
  const Array<double> values(Shape{2, 3}, {0, 1, 2, HUGE_VAL, nan, -1});
  Array<std::int64_t> out(Shape{2, 3});
  search(edges.view(), values.view(), false, out.out());
  EXPECT_THAT(out.values(), ElementsAre(0, 1, 3, 3, 3, 0));
  search(edges.view(), values.view(), true, out.out());
  EXPECT_THAT(out.values(), ElementsAre(1, 3, 3, 3, 5, 0));
}

// What the standard library finds, of views that lie in any way; and tiles of the edges count no more and no less.
RC_GTEST_PROP(SearchProperty, TilesOfTheEdgesAddUp, ()) {
  auto sorted = *rc::gen::container<std::vector<std::int32_t>>(rc::gen::inRange(-20, 20));
  std::ranges::sort(sorted);
  Array<std::int32_t> twice(Shape{static_cast<std::int64_t>(sorted.size()), 2});
  for (std::size_t i = 0; i < sorted.size(); ++i) twice.data()[2 * i] = sorted[i];
  const Shape shape{*rc::gen::inRange(0, 6), *rc::gen::inRange(1, 6)};
  Array<std::int32_t> values(shape);
  for (std::int64_t i = 0; i < values.size(); ++i) values.data()[i] = *rc::gen::inRange(-22, 22);
  const TileView turned{ElementType::i32, Shape{shape[1], shape[0]}, Shape{1, shape[1]}, values.bytes.data()};
  const auto cut = *rc::gen::inRange<std::int64_t>(0, std::ssize(sorted) + 1);
  for (const bool right : {false, true}) {
    Array<std::int64_t> found(turned.shape);
    for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, cut}, {cut, std::ssize(sorted)}}) {
      const TileView edges{ElementType::i32, Shape{end - begin}, Shape{2}, twice.bytes.data() + begin * 8};
      Array<std::int64_t> of_tile(turned.shape);
      search(edges, turned, right, of_tile.out());
      for (std::int64_t i = 0; i < found.size(); ++i) found.data()[i] += of_tile[i];
    }
    for (std::int64_t r = 0; r < shape[0]; ++r) {
      for (std::int64_t c = 0; c < shape[1]; ++c) {
        const std::int32_t value = values[r * shape[1] + c];
        const auto wanted = right ? std::ranges::upper_bound(sorted, value) : std::ranges::lower_bound(sorted, value);
        RC_ASSERT(found[c * shape[0] + r] == wanted - sorted.begin());
      }
    }
  }
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
