#include "runtime/kernels/copy.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

TEST(Copy, Transposes) {
  const auto a = counting<std::int32_t>(Shape{2, 3});
  Array<std::int32_t> out(Shape{3, 2});
  const std::vector<std::uint8_t> permutation = {1, 0};
  copy_elements(transposed(a.view(), permutation), out.out());
  EXPECT_THAT(out.values(), ElementsAre(0, 3, 1, 4, 2, 5));
}

RC_GTEST_PROP(CopyProperty, AnyBoxInAnyOrderOfDimensions, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  std::vector<std::uint8_t> permutation(rank);
  std::iota(permutation.begin(), permutation.end(), std::uint8_t{0});
  for (std::size_t d = 1; d < rank; ++d)
    std::swap(permutation[d], permutation[*rc::gen::inRange<std::size_t>(0, d + 1)]);
  Shape around, begin, shape;
  for (std::size_t d = 0; d < rank; ++d) {
    shape.push_back(*rc::gen::weightedOneOf<std::int64_t>(
        {{8, rc::gen::inRange<std::int64_t>(0, 6)}, {1, rc::gen::inRange<std::int64_t>(30, 70)}}));
    begin.push_back(*rc::gen::inRange(0, 3));
    around.push_back(shape.back() + begin.back() + *rc::gen::inRange(0, 2));
  }
  RC_PRE(count(around) < 200'000);
  const auto a = counting<std::int32_t>(around);
  const TileView from = transposed(part_of(a.view(), begin, shape), permutation);
  Array<std::int32_t> out(from.shape);
  copy_elements(from, out.out());
  for_indices(from.shape, [&](const Shape& index) {
    Shape source(rank);
    for (std::size_t d = 0; d < rank; ++d) source[permutation[d]] = index[d] + begin[permutation[d]];
    RC_ASSERT(out[position(from.shape, index)] == a[position(around, source)]);
  });
}

// Long and short runs, beginning anywhere in their lines; nothing beside the target is touched.
RC_GTEST_PROP(CopyProperty, PastTheCachesIsTheSame, ()) {
  const Shape shape{*rc::gen::inRange(1, 20), *rc::gen::inRange(1, 3000)};
  const Shape around{shape[0] + 1, shape[1] + *rc::gen::inRange(1, 40)};
  const Shape begin{1, *rc::gen::inRange<std::int64_t>(0, around[1] - shape[1] + 1)};
  const auto a = counting<float>(around);
  Array<float> cached(around);
  Array<float> past(around);
  const auto copy = [&](Array<float>& out, Writing writing) {
    const TileView target = part_of(out.view(), begin, shape);
    copy_elements(part_of(a.view(), Shape{0, 0}, shape),
                  {target.strides, out.bytes.data() + (target.data - out.bytes.data())}, writing);
  };
  copy(cached, Writing::through_caches);
  copy(past, Writing::past_caches);
  RC_ASSERT(cached.values() == past.values());
}

TEST(Copy, OfLittleGoesThroughTheCaches) {
  EXPECT_EQ(writing_of(1 << 20), Writing::through_caches);
  EXPECT_EQ(writing_of(1 << 30), Writing::past_caches);
}

RC_GTEST_PROP(CopyProperty, IntoAnyBox, ()) {
  const Shape shape{*rc::gen::inRange(1, 70), *rc::gen::inRange(1, 70)};
  const Shape around{shape[0] + 2, shape[1] + 3};
  const auto a = counting<double>(Shape{shape[1], shape[0]});
  const std::vector<std::uint8_t> permutation = {1, 0};
  Array<double> out(around);
  const TileView target = part_of(out.view(), Shape{1, 2}, shape);
  copy_elements(transposed(a.view(), permutation),
                {target.strides, out.bytes.data() + (target.data - out.bytes.data())});
  for_indices(around, [&](const Shape& index) {
    const std::int64_t i = index[0] - 1;
    const std::int64_t j = index[1] - 2;
    const bool inside = i >= 0 && i < shape[0] && j >= 0 && j < shape[1];
    RC_ASSERT(out[position(around, index)] == (inside ? a[j * shape[0] + i] : 0));
  });
}

// Short runs of every length, and rectangles of few rows or columns, or of several squares; past the caches, too.
template <class T>
void expect_moved(const Shape& shape, const Shape& around, const std::vector<std::uint8_t>& permutation) {
  const auto a = counting<T>(around);
  const TileView from = transposed(part_of(a.view(), Shape{1, 2, 0}, shape), permutation);
  for (const Writing writing : {Writing::through_caches, Writing::past_caches}) {
    Array<T> out(from.shape);
    copy_elements(from, out.out(), writing);
    for_indices(from.shape, [&](const Shape& index) {
      Shape source(3);
      for (std::size_t d = 0; d < 3; ++d) source[permutation[d]] = index[d];
      source[0] += 1;
      source[1] += 2;
      RC_ASSERT(out[position(from.shape, index)] == a[position(around, source)]);
    });
  }
}

RC_GTEST_PROP(CopyProperty, ShortRunsAndRectangles, ()) {
  const auto extent = [] {
    return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 19), rc::gen::element<std::int64_t>(64, 128, 131, 512));
  };
  const Shape shape{extent(), extent(), extent()};
  RC_PRE(count(shape) < 300'000);
  const Shape around{shape[0] + 1, shape[1] + 2, shape[2] + *rc::gen::inRange(0, 3)};
  std::vector<std::uint8_t> permutation = {0, 1, 2};
  for (std::size_t d = 1; d < 3; ++d) std::swap(permutation[d], permutation[*rc::gen::inRange<std::size_t>(0, d + 1)]);
  expect_moved<std::int32_t>(shape, around, permutation);
  expect_moved<double>(shape, around, permutation);
  expect_moved<bool>(shape, around, permutation);
}

}  // namespace
}  // namespace tessera::runtime::test
