#include "runtime/kernels/reduce.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/reduce_blocks.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::ReduceKind;
using testing::ElementsAre;

using Dimensions = std::vector<std::uint8_t>;

Shape without(const Shape& shape, const Dimensions& dimensions) {
  Shape kept;
  const auto rank = static_cast<std::uint8_t>(shape.size());
  for (std::uint8_t d = 0; d < rank; ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) kept.push_back(shape[d]);
  }
  return kept;
}

template <class T>
Array<T> reduced(ReduceKind kind, const TileView& operand, const Dimensions& dimensions) {
  Array<T> out(without(operand.shape, dimensions));
  reduce(kind, operand, dimensions, out.out());
  return out;
}

TEST(Reduce, OverEachDimension) {
  const auto a = counting<std::int32_t>(Shape{2, 3});
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::sum, a.view(), {0}).values(), ElementsAre(3, 5, 7));
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::sum, a.view(), {1}).values(), ElementsAre(3, 12));
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::sum, a.view(), {0, 1}).values(), ElementsAre(15));
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::sum, a.view(), {}).values(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::product, a.view(), {1}).values(), ElementsAre(0, 60));
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::max, a.view(), {0}).values(), ElementsAre(3, 4, 5));
  EXPECT_THAT(reduced<std::int32_t>(ReduceKind::min, a.view(), {1}).values(), ElementsAre(0, 3));
}

TEST(Reduce, OfNothingGivesTheIdentity) {
  const Array<float> none(Shape{0, 2});
  const auto sum = reduced<float>(ReduceKind::sum, none.view(), {0});
  EXPECT_THAT(sum.values(), ElementsAre(0.0F, 0.0F));
  EXPECT_TRUE(std::signbit(sum[0]));
  EXPECT_THAT(reduced<float>(ReduceKind::product, none.view(), {0}).values(), ElementsAre(1.0F, 1.0F));
  EXPECT_EQ(reduced<float>(ReduceKind::max, none.view(), {0, 1})[0], -std::numeric_limits<float>::infinity());
  const Array<std::int32_t> ints(Shape{0});
  EXPECT_EQ(reduced<std::int32_t>(ReduceKind::max, ints.view(), {0})[0], std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(reduced<std::int32_t>(ReduceKind::min, ints.view(), {0})[0], std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(reduced<std::int32_t>(ReduceKind::sum, ints.view(), {0})[0], 0);
}

TEST(Reduce, ASumOfMinusZeroIsMinusZero) {
  const Array<double> a(Shape{1}, {-0.0});
  EXPECT_TRUE(std::signbit(reduced<double>(ReduceKind::sum, a.view(), {0})[0]));
}

TEST(Reduce, NanWins) {
  Array<float> a = counting<float>(Shape{1000});
  a.data()[517] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reduced<float>(ReduceKind::max, a.view(), {0})[0]));
  EXPECT_TRUE(std::isnan(reduced<float>(ReduceKind::min, a.view(), {0})[0]));
}

TEST(Reduce, OfBools) {
  const Array<bool> a(Shape{2, 2}, {false, true, false, false});
  EXPECT_THAT(reduced<bool>(ReduceKind::max, a.view(), {1}).values(), ElementsAre(true, false));
  EXPECT_THAT(reduced<bool>(ReduceKind::min, a.view(), {1}).values(), ElementsAre(false, false));
}

// Many numbers lose little: sequential addition in f32 would stop at 2^24.
TEST(Reduce, LongSumsStayAccurate) {
  Array<float> ones(Shape{17'000'000});
  std::fill_n(ones.data(), ones.size(), 1.0F);
  EXPECT_EQ(reduced<float>(ReduceKind::sum, ones.view(), {0})[0], 17'000'000.0F);
  ones.shape = Shape{8'500'000, 2};
  EXPECT_THAT(reduced<float>(ReduceKind::sum, ones.view(), {0}).values(), ElementsAre(8'500'000.0F, 8'500'000.0F));
}

TEST(Reduce, LongStretchesJoinAsBlocksDo) {
  // The bits do not depend on where the sequence lies: a strided view of the same numbers gives the same sum.
  constexpr std::int64_t n = 700'001;
  Array<float> dense(Shape{n});
  Array<float> spread(Shape{n, 2});
  for (std::int64_t i = 0; i < n; ++i) {
    dense.data()[i] = 1.0F / static_cast<float>(i + 1);
    spread.data()[2 * i] = dense[i];
  }
  const TileView column{ElementType::f32, Shape{n}, Shape{2}, spread.bytes.data()};
  EXPECT_EQ(reduced<float>(ReduceKind::sum, dense.view(), {0})[0], reduced<float>(ReduceKind::sum, column, {0})[0]);
}

// The documented order of rows, by hand: blocks of 128 are added one row after the other, and joined in pairs of equal
// size.
float sum_of_column(const Array<float>& a, std::int64_t column) {
  const std::int64_t columns = a.shape[1];
  std::vector<std::pair<int, float>> joined;  // sums of 2^first blocks, the largest first
  for (std::int64_t block = 0; block < a.shape[0]; block += 128) {
    float sum = a[block * columns + column];
    for (std::int64_t r = block + 1; r < std::min(block + 128, a.shape[0]); ++r) sum += a[r * columns + column];
    int level = 0;
    for (; !joined.empty() && joined.back().first == level; ++level) {
      sum = joined.back().second + sum;
      joined.pop_back();
    }
    joined.emplace_back(level, sum);
  }
  float sum = joined.back().second;
  for (std::size_t k = joined.size() - 1; k-- > 0;) sum = joined[k].second + sum;
  return sum;
}

TEST(Reduce, RowsAreAddedInTheDocumentedOrder) {
  for (const Shape& shape : {Shape{5, 3}, Shape{130, 17}, Shape{1'000, 1'030}, Shape{200'003, 3}}) {
    Array<float> a(shape);
    for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = 1.0F / static_cast<float>(i % 9973 + 1);
    const auto sums = reduced<float>(ReduceKind::sum, a.view(), {0});
    const TileView backwards = {ElementType::f32, shape, Shape{shape[1], -1},
                                a.bytes.data() + (shape[1] - 1) * sizeof(float)};
    const auto sums_backwards = reduced<float>(ReduceKind::sum, backwards, {0});
    for (std::int64_t c = 0; c < shape[1]; ++c) {
      ASSERT_EQ(sums[c], sum_of_column(a, c)) << c;
      ASSERT_EQ(sums_backwards[shape[1] - 1 - c], sums[c]) << c;
    }
  }
}

// The first of equals (here 0.0 and -0.0) is kept, and NaN wins: lane by lane if rows are long.
TEST(Reduce, MaximaOfFloatsInVectors) {
  for (const float first : {0.0F, -0.0F}) {
    Array<float> a(Shape{33, 40});
    std::fill_n(a.data(), a.size(), first == 0.0F && !std::signbit(first) ? -0.0F : 0.0F);
    for (std::int64_t i = 0; i < 40; ++i) a.data()[i] = first;
    a.data()[40 * 7 + 11] = std::numeric_limits<float>::quiet_NaN();
    for (const ReduceKind kind : {ReduceKind::max, ReduceKind::min}) {
      const auto columns = reduced<float>(kind, a.view(), {0});
      for (std::int64_t c = 0; c < 40; ++c) {
        if (c == 11)
          EXPECT_TRUE(std::isnan(columns[c]));
        else
          EXPECT_EQ(std::signbit(columns[c]), std::signbit(first));
      }
      const auto rows = reduced<float>(kind, a.view(), {1});
      for (std::int64_t r = 0; r < 33; ++r) EXPECT_EQ(std::isnan(rows[r]), r == 7);
    }
  }
}

// Blocks are reduced in eight lanes, which meet in pairs: several blocks at once or one, on vectors of any width.
template <class T, class How>
T block_by_hand(const T* x) {
  std::array<T, kReduceLanes> lanes;
  std::copy_n(x, kReduceLanes, lanes.begin());
  for (std::int64_t i = kReduceLanes; i < kReduceBlock; ++i) {
    T& lane = lanes[static_cast<std::size_t>(i % kReduceLanes)];
    lane = How::combine(lane, x[i]);
  }
  for (std::size_t width = 1; width < lanes.size(); width *= 2) {
    for (std::size_t k = 0; k < lanes.size(); k += 2 * width) lanes[k] = How::combine(lanes[k], lanes[k + width]);
  }
  return lanes[0];
}

template <class T>
using BlockBits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Products are multiplied, rounded, and added like any other elements.
template <class T>
void expect_products_as_blocks() {
  constexpr std::int64_t kBlocks = 13;
  std::mt19937_64 random(20260102);
  const auto number = [&] { return static_cast<T>(static_cast<double>(random() % 2'001) / 700.0 - 1.0); };
  std::vector<T> x(static_cast<std::size_t>(kBlocks * kReduceBlock));
  std::vector<T> y(x.size());
  std::vector<T> products(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = number();
    y[i] = number();
    products[i] = x[i] * y[i];
  }
  std::vector<T> want(kBlocks);
  blocks_function<T>(ReduceKind::sum)(want.data(), kBlocks, products.data());
  for (const VectorTarget target : vector_targets()) {
    std::vector<T> got(kBlocks);
    products_function<T>(target)(got.data(), kBlocks, x.data(), y.data());
    EXPECT_EQ(got, want) << name(target);
    std::array<const T*, kProductRows> rows;
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = x.data() + r * 3 * kReduceBlock;
    std::vector<T> of_rows(kProductRows);
    for (std::int64_t b = 0; b < kBlocks - 9; ++b) {
      for (const T*& row : rows) row += b == 0 ? 0 : kReduceBlock;
      row_products_function<T>(target)(of_rows.data(), 1, rows.data(), y.data() + b * kReduceBlock);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        T alone = 0;
        products_function<T>(target)(&alone, 1, rows[r], y.data() + b * kReduceBlock);
        EXPECT_EQ(of_rows[r], alone) << name(target);
      }
    }
  }
}

template <class T>
void expect_blocks_as_by_hand() {
  constexpr std::int64_t kBlocks = 13;  // eight, four and one
  std::mt19937_64 random(20260102);
  std::vector<T> x(static_cast<std::size_t>(kBlocks * kReduceBlock));
  for (T& value : x) value = static_cast<T>(static_cast<double>(random() % 2'001) / 1'000.0 - 1.0);
  for (std::size_t i = 0; i < x.size(); i += 37) x[i] = i % 2 == 0 ? T{0} : static_cast<T>(-0.0);
  std::fill_n(x.begin() + 2 * kReduceBlock, kReduceBlock, static_cast<T>(-0.0));
  x[5 * kReduceBlock + 77] = std::numeric_limits<T>::quiet_NaN();
  x[12 * kReduceBlock] = std::numeric_limits<T>::quiet_NaN();
  for (const ReduceKind kind : {ReduceKind::sum, ReduceKind::product, ReduceKind::max, ReduceKind::min}) {
    visit_combine<T>(kind, [&](auto how) {
      for (const VectorTarget target : vector_targets()) {
        std::vector<T> got(kBlocks);
        blocks_function<T>(kind, target)(got.data(), kBlocks, x.data());
        for (std::int64_t b = 0; b < kBlocks; ++b) {
          const T want = block_by_hand<T, decltype(how)>(x.data() + b * kReduceBlock);
          EXPECT_EQ(std::bit_cast<BlockBits<T>>(got[static_cast<std::size_t>(b)]), std::bit_cast<BlockBits<T>>(want))
              << synth::name(kind) << ' ' << name(target) << " block " << b;
        }
      }
    });
  }
}

TEST(Reduce, BlocksHaveTheSameBitsForEveryTarget) {
  expect_blocks_as_by_hand<float>();
  expect_blocks_as_by_hand<double>();
  expect_products_as_blocks<float>();
  expect_products_as_blocks<double>();
}

RC_GTEST_PROP(ReduceProperty, IntegersAsDoneByHand, ()) {
  Shape shape;
  const auto rank = *rc::gen::inRange<std::uint8_t>(0, 5);
  for (std::uint8_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange(0, 7));
  Dimensions dimensions;
  for (std::uint8_t d = 0; d < rank; ++d) {
    if (*rc::gen::arbitrary<bool>()) dimensions.push_back(d);
  }
  Array<std::int64_t> a(shape);
  for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = (i * 7919) % 31 - 11;
  const Shape kept = without(shape, dimensions);
  Array<std::int64_t> sums(kept);
  Array<std::int64_t> maxima(kept);
  std::fill_n(maxima.data(), maxima.size(), std::numeric_limits<std::int64_t>::min());
  for_indices(shape, [&](const Shape& index) {
    Shape at;
    for (std::uint8_t d = 0; d < rank; ++d) {
      if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) at.push_back(index[d]);
    }
    const std::int64_t to = position(kept, at);
    const std::int64_t value = a[position(shape, index)];
    sums.data()[to] += value;
    maxima.data()[to] = std::max(maxima[to], value);
  });
  RC_ASSERT(reduced<std::int64_t>(ReduceKind::sum, a.view(), dimensions).values() == sums.values());
  RC_ASSERT(reduced<std::int64_t>(ReduceKind::max, a.view(), dimensions).values() == maxima.values());
}

// Rows of several blocks, with equals and, at times, NaN: as a walk from left to right has it.
RC_GTEST_PROP(ArgReduceProperty, LongRowsAreWalkedFromLeftToRight, ()) {
  const auto length = *rc::gen::inRange<std::int64_t>(1, 1'200);
  const bool max = *rc::gen::arbitrary<bool>();
  Array<float> row(Shape{1, length});
  for (std::int64_t i = 0; i < length; ++i) row.data()[i] = static_cast<float>(*rc::gen::inRange(-20, 20));
  if (*rc::gen::inRange(0, 3) == 0)
    row.data()[*rc::gen::inRange<std::int64_t>(0, length)] = std::numeric_limits<float>::quiet_NaN();
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < length && !std::isnan(row[best]); ++i) {
    if (std::isnan(row[i]) || (max ? row[i] > row[best] : row[i] < row[best])) best = i;
  }
  Array<std::int64_t> out(Shape{1});
  const std::uint8_t last[] = {1};
  arg_reduce(max, row.view(), last, out.out());
  RC_ASSERT(out[0] == best);
}

// Columns side by side, of every element type: the same as each of them by itself.
RC_GTEST_PROP(ArgReduceProperty, ColumnsAreWalkedFromTopToBottom, ()) {
  const Shape shape{*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 60), *rc::gen::inRange(1, 3)};
  const bool max = *rc::gen::arbitrary<bool>();
  const Dimensions first = {0};
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    Array<T> a(shape);
    for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<T>(*rc::gen::inRange(-3, 3));
    if constexpr (std::is_floating_point_v<T>) {
      if (*rc::gen::arbitrary<bool>())
        a.data()[*rc::gen::inRange<std::int64_t>(0, a.size())] = std::numeric_limits<T>::quiet_NaN();
    }
    Array<std::int64_t> out(without(shape, first));
    arg_reduce(max, a.view(), first, out.out());
    const std::int64_t columns = out.size();
    for (std::int64_t c = 0; c < columns; ++c) {
      Array<std::int64_t> one(Shape{});
      const TileView column{element_of<T>(), Shape{shape[0]}, Shape{columns}, a.bytes.data() + c * sizeof(T)};
      arg_reduce(max, column, first, one.out());
      RC_ASSERT(out[c] == one[0]);
    }
  };
  check(float{});
  check(double{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(bool{});
}

// An array is cut into tiles along some dimensions: the least of the positions that they find, each knowing the best of
// all, is the position in the whole.
RC_GTEST_PROP(FindProperty, TheLeastOfTheTilesPositionsIsTheWholesOwn, ()) {
  const Shape shape{*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 7)};
  const Dimensions dimensions = *rc::gen::elementOf(std::vector<Dimensions>{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}});
  const bool max = *rc::gen::arbitrary<bool>();
  Array<float> a(shape);
  for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<float>(*rc::gen::inRange(-2, 3)) * -1.0F;
  if (*rc::gen::inRange(0, 3) == 0)
    a.data()[*rc::gen::inRange<std::int64_t>(0, a.size())] = std::numeric_limits<float>::quiet_NaN();
  const Array<float> best = reduced<float>(max ? ReduceKind::max : ReduceKind::min, a.view(), dimensions);
  Array<std::int64_t> positions(without(shape, dimensions));
  arg_reduce(max, a.view(), dimensions, positions.out());
  const std::size_t cut = dimensions[*rc::gen::inRange<std::size_t>(0, dimensions.size())];
  const std::int64_t tiles = *rc::gen::inRange(1, 5);
  std::vector<std::int64_t> least(static_cast<std::size_t>(positions.size()), std::numeric_limits<std::int64_t>::max());
  for (std::int64_t t = 0; t < tiles; ++t) {
    const synth::Interval part = synth::share(shape[cut], tiles, t);
    Shape begin{0, 0, 0};
    Shape own = shape;
    begin[cut] = part.begin;
    own[cut] = part.length();
    LinePlace place;
    for (const std::uint8_t d : dimensions) {
      place.begins.push_back(begin[d]);
      place.extents.push_back(shape[d]);
    }
    Array<std::int64_t> found(without(shape, dimensions));
    find(max, part_of(a.view(), begin, own), best.view(), dimensions, place, found.out());
    for (std::int64_t i = 0; i < found.size(); ++i)
      least[static_cast<std::size_t>(i)] = std::min(least[static_cast<std::size_t>(i)], found[i]);
  }
  RC_ASSERT(least == positions.values());
}

TEST(ArgReduce, FirstOfEqualsAndNan) {
  const Array<float> a(Shape{2, 4}, {1, 3, 3, 2, 5, std::nanf(""), 9, std::nanf("")});
  Array<std::int64_t> out(Shape{2});
  const Dimensions last = {1};
  arg_reduce(true, a.view(), last, out.out());
  EXPECT_THAT(out.values(), ElementsAre(1, 1));
  arg_reduce(false, a.view(), last, out.out());
  EXPECT_THAT(out.values(), ElementsAre(0, 1));
  Array<std::int64_t> all(Shape{});
  const Dimensions both = {0, 1};
  arg_reduce(true, a.view(), both, all.out());
  EXPECT_EQ(all[0], 5);
  Array<std::int64_t> columns(Shape{4});
  const Dimensions first = {0};
  arg_reduce(true, a.view(), first, columns.out());
  EXPECT_THAT(columns.values(), ElementsAre(1, 1, 1, 1));
}

TEST(Scan, AlongEachDimension) {
  const auto a = counting<std::int32_t>(Shape{2, 3});
  Array<std::int32_t> out(Shape{2, 3});
  scan(synth::ReduceOp::sum, a.view(), 1, out.out());
  EXPECT_THAT(out.values(), ElementsAre(0, 1, 3, 3, 7, 12));
  scan(synth::ReduceOp::sum, a.view(), 0, out.out());
  EXPECT_THAT(out.values(), ElementsAre(0, 1, 2, 3, 5, 7));
}

// From the last element on: the same sums as of a view turned round.
RC_GTEST_PROP(ScanProperty, BackwardIsForwardOfTheReverse, ()) {
  const Shape shape{*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 9)};
  Array<float> a(shape);
  for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = 1.0F / static_cast<float>(i + 1);
  for (std::size_t d = 0; d < 3; ++d) {
    Array<float> turned(shape);
    const auto across = [&](Shape index) {
      index[d] = shape[d] - 1 - index[d];
      return position(shape, index);
    };
    for_indices(shape, [&](const Shape& index) { turned.data()[across(index)] = a[position(shape, index)]; });
    Array<float> forward(shape);
    Array<float> backward(shape);
    scan(synth::ReduceOp::sum, turned.view(), d, forward.out());
    scan(synth::ReduceOp::sum, a.view(), d, backward.out(), Direction::backward);
    for_indices(shape,
                [&](const Shape& index) { RC_ASSERT(backward[position(shape, index)] == forward[across(index)]); });
  }
}

// Long lines go by blocks of 256 positions: inside a block from left to right, behind the blocks' totals, whose sum
// loses nothing. So ones are counted beyond 2^24, and neither a view nor lines beside it change a bit.
TEST(Scan, LongLinesGoByBlocks) {
  constexpr std::int64_t kLength = 10'000;
  for (const Shape& shape : {Shape{kLength}, Shape{5, kLength}, Shape{kLength, 3}}) {
    const std::size_t d = shape[0] == kLength ? 0 : 1;
    Array<float> a(shape);
    for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = std::sin(static_cast<float>(i)) + 0.3F;
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      Array<float> out(shape);
      scan(synth::ReduceOp::sum, a.view(), d, out.out(), direction);
      const std::int64_t lines = a.size() / kLength;
      for (std::int64_t line = 0; line < lines; ++line) {
        long double before = 0;
        float inside = 0;
        for (std::int64_t i = 0; i < kLength; ++i) {
          const std::int64_t along = direction == Direction::forward ? i : kLength - 1 - i;
          const std::int64_t at = d == 1 ? line * kLength + along : along * lines + line;
          if (i % 256 == 0 && i > 0) before += inside;
          inside = i % 256 == 0 ? a[at] : inside + a[at];
          ASSERT_EQ(out[at], i < 256 ? inside : static_cast<float>(before) + inside) << i << " of line " << line;
        }
      }
    }
  }
  Array<float> ones(Shape{20'000'000});
  std::fill_n(ones.data(), ones.size(), 1.0F);
  Array<float> sums(ones.shape);
  scan(synth::ReduceOp::sum, ones.view(), 0, sums.out());
  EXPECT_EQ(sums[19'999'999], 20'000'000.0F);
}

TEST(Scan, InfinitiesAndZerosStayWhatTheyAre) {
  Array<float> a(Shape{5000});
  std::fill_n(a.data(), a.size(), -0.0F);
  Array<float> out(a.shape);
  scan(synth::ReduceOp::sum, a.view(), 0, out.out());
  EXPECT_TRUE(std::all_of(out.data(), out.data() + 5000, [](float x) { return x == 0 && std::signbit(x); }));
  a.data()[10] = std::numeric_limits<float>::infinity();
  scan(synth::ReduceOp::sum, a.view(), 0, out.out());
  EXPECT_EQ(out[4999], std::numeric_limits<float>::infinity());
}

// Line by line, several at once or by rows: each sum is the one before it and its element.
RC_GTEST_PROP(ScanProperty, EveryLineFromItsBeginning, ()) {
  const Shape shape{*rc::gen::inRange(0, 9), *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 9)};
  Array<float> a(shape);
  for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = i % 11 == 0 ? -0.0F : 1.0F / static_cast<float>(i + 1);
  const auto turned = TileView{ElementType::f32, Shape{shape[2], shape[1], shape[0]},
                               Shape{1, shape[2], shape[1] * shape[2]}, a.bytes.data()};
  for (const TileView& view : {a.view(), turned}) {
    for (std::size_t d = 0; d < 3; ++d) {
      Array<float> out(view.shape);
      scan(synth::ReduceOp::sum, view, d, out.out());
      for_indices(view.shape, [&](const Shape& index) {
        Shape before = index;
        const float* const element =
            typed<float>(view) + index[0] * view.strides[0] + index[1] * view.strides[1] + index[2] * view.strides[2];
        float want = *element;
        if (before[d]-- > 0) want += out[position(view.shape, before)];
        const float got = out[position(view.shape, index)];
        RC_ASSERT(got == want && std::signbit(got) == std::signbit(want));
      });
    }
  }
}

TEST(CombineParts, LeftToRight) {
  // (1e8 + 1) - 1e8 is 0 in f32; in any other order it is 1.
  const Array<float> a(Shape{1}, {1e8F});
  const Array<float> b(Shape{1}, {1.0F});
  const Array<float> c(Shape{1}, {-1e8F});
  Array<float> out(Shape{1});
  const TileView parts[] = {a.view(), b.view(), c.view()};
  combine_parts(synth::ReduceOp::sum, parts, {Shape{1}, out.bytes.data()});
  EXPECT_EQ(out[0], 0.0F);
}

TEST(CombineParts, IntoPartOfAnArray) {
  const auto a = counting<std::int64_t>(Shape{2, 2});
  const Array<std::int64_t> b(Shape{2, 2}, {3, 2, 1, 0});
  Array<std::int64_t> out(Shape{2, 4});
  const TileView parts[] = {a.view(), b.view()};
  combine_parts(synth::ReduceOp::max, parts, {Shape{4, 1}, out.bytes.data() + sizeof(std::int64_t)});
  EXPECT_THAT(out.values(), ElementsAre(0, 3, 2, 0, 0, 2, 3, 0));
}

}  // namespace
}  // namespace tessera::runtime::test
