// Sorting along the last dimension, against the standard library's.
#include "runtime/kernels/sort.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

TEST(Sort, NanIsLastAndMinusZeroBeforeZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array<double> a(Shape{6});
  const std::vector<double> values = {nan, 0.0, 3, -0.0, -1, nan};
  std::copy(values.begin(), values.end(), a.data());
  Array<double> out(Shape{6});
  sort_elements(a.view(), out.out());
  EXPECT_EQ(out[0], -1);
  EXPECT_TRUE(out[1] == 0 && std::signbit(out[1]));
  EXPECT_TRUE(out[2] == 0 && !std::signbit(out[2]));
  EXPECT_EQ(out[3], 3);
  EXPECT_TRUE(std::isnan(out[4]) && std::isnan(out[5]));
  Array<std::int64_t> where(Shape{6});
  sort_positions(a.view(), where.out());
  EXPECT_THAT(where.values(), ElementsAre(4, 1, 3, 2, 0, 5));  // NumPy's, with kind="stable"
}

// Lines of any length, of operands that lie in any way.
RC_GTEST_PROP(SortProperty, EveryLineIsWhatTheStandardLibraryGives, ()) {
  const Shape shape{*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 200)};
  Array<std::int32_t> a(Shape{shape[1], shape[0]});
  for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = *rc::gen::inRange(-20, 20);
  const TileView turned{ElementType::i32, shape, Shape{1, shape[0]}, a.bytes.data()};
  Array<std::int32_t> elements(shape);
  Array<std::int64_t> positions(shape);
  sort_elements(turned, elements.out());
  sort_positions(turned, positions.out());
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    std::vector<std::int64_t> want(static_cast<std::size_t>(shape[1]));
    std::iota(want.begin(), want.end(), 0);
    const auto at = [&](std::int64_t i) { return a.data()[i * shape[0] + row]; };
    std::stable_sort(want.begin(), want.end(), [&](std::int64_t i, std::int64_t k) { return at(i) < at(k); });
    for (std::int64_t i = 0; i < shape[1]; ++i) {
      const std::int64_t from = want[static_cast<std::size_t>(i)];
      RC_ASSERT(positions[row * shape[1] + i] == from);
      RC_ASSERT(elements[row * shape[1] + i] == at(from));
    }
  }
}

TEST(Greatest, NanIsFirstAndZeroBeforeMinusZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array<double> a(Shape{7});
  const std::vector<double> values = {-0.0, 3, 0.0, nan, -1, nan, -0.0};
  std::copy(values.begin(), values.end(), a.data());
  Array<double> out(Shape{5});
  greatest_elements(a.view(), out.out());
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  EXPECT_EQ(out[2], 3);
  EXPECT_TRUE(out[3] == 0 && !std::signbit(out[3]));
  EXPECT_TRUE(out[4] == 0 && std::signbit(out[4]));
  Array<std::int64_t> where(Shape{7});
  greatest_positions(a.view(), where.out());
  EXPECT_THAT(where.values(), ElementsAre(3, 5, 1, 0, 2, 6, 4));
}

// Any number of them, of lines of any length, that lie in any way.
RC_GTEST_PROP(GreatestProperty, EveryLineIsWhatTheStandardLibraryGives, ()) {
  const Shape shape{*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 200)};
  const Shape found{shape[0], *rc::gen::inRange<std::int64_t>(0, shape[1] + 1)};
  Array<std::int32_t> a(Shape{shape[1], shape[0]});
  for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = *rc::gen::inRange(-20, 20);
  const TileView turned{ElementType::i32, shape, Shape{1, shape[0]}, a.bytes.data()};
  Array<std::int32_t> elements(found);
  Array<std::int64_t> positions(found);
  greatest_elements(turned, elements.out());
  greatest_positions(turned, positions.out());
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    std::vector<std::int64_t> want(static_cast<std::size_t>(shape[1]));
    std::iota(want.begin(), want.end(), 0);
    const auto at = [&](std::int64_t i) { return a.data()[i * shape[0] + row]; };
    std::stable_sort(want.begin(), want.end(), [&](std::int64_t i, std::int64_t k) { return at(i) > at(k); });
    for (std::int64_t i = 0; i < found[1]; ++i) {
      const std::int64_t from = want[static_cast<std::size_t>(i)];
      RC_ASSERT(positions[row * found[1] + i] == from);
      RC_ASSERT(elements[row * found[1] + i] == at(from));
    }
  }
}

// A line cut into tiles: the greatest of what each tile gives are those of the line, and stand where they stood.
RC_GTEST_PROP(GreatestProperty, OfTilesAreThoseOfTheLine, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(1, 6);
  const auto lengths = *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(count, 12));
  Array<float> line(Shape{lengths[0] + lengths[1] + lengths[2]});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t i = 0; i < line.size(); ++i) line.data()[i] = *rc::gen::element<float>(-1, -0.0F, 0, 1, 2, 3, nan);
  Array<float> some(Shape{3 * count});
  Array<std::int64_t> places(Shape{3 * count});
  std::int64_t first = 0;
  for (std::int64_t tile = 0; tile < 3; ++tile) {
    const std::int64_t length = lengths[static_cast<std::size_t>(tile)];
    const TileView own = part_of(line.view(), Shape{first}, Shape{length});
    const std::int64_t at = tile * count;
    greatest_elements(own, TileOut{ElementType::f32, Shape{count}, reinterpret_cast<std::byte*>(some.data() + at)});
    greatest_positions(own, TileOut{ElementType::i64, Shape{count}, reinterpret_cast<std::byte*>(places.data() + at)},
                       first);
    first += length;
  }
  Array<std::int64_t> found(Shape{count});
  Array<std::int64_t> wanted(Shape{count});
  greatest_positions(some.view(), found.out());
  positions_for_places(places.view(), found.out());
  greatest_positions(line.view(), wanted.out());
  RC_ASSERT(found.values() == wanted.values());
  Array<float> elements(Shape{count});
  Array<float> all(Shape{count});
  greatest_elements(some.view(), elements.out());
  greatest_elements(line.view(), all.out());
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_same = elements[i] == all[i] && std::signbit(elements[i]) == std::signbit(all[i]);
    RC_ASSERT(is_same || (std::isnan(elements[i]) && std::isnan(all[i])));
  }
}

// Longer than what is sorted at once.
TEST(Sort, ALongLine) {
  constexpr std::int64_t kLength = 700'001;
  Array<std::int64_t> a(Shape{kLength});
  for (std::int64_t i = 0; i < kLength; ++i) a.data()[i] = i * 7919 % kLength;  // each number once
  Array<std::int64_t> out(Shape{kLength});
  sort_elements(a.view(), out.out());
  for (std::int64_t i = 0; i < kLength; ++i) ASSERT_EQ(out[i], i);
  Array<std::int64_t> where(Shape{kLength});
  sort_positions(a.view(), where.out());
  for (std::int64_t i = 0; i < kLength; ++i) ASSERT_EQ(a[where[i]], i);
}

}  // namespace
}  // namespace tessera::runtime::test
