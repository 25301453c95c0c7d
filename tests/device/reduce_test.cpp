// Reductions, emulated, beside those of the host: the same bits.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/device/steps/reductions.hpp"
#include "runtime/kernels/reduce.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/random_tiles.hpp"

namespace tessera::device {
namespace {

using runtime::TileOut;
using runtime::TileView;
using synth::ElementType;
using synth::ReduceKind;
using Dimensions = std::vector<std::uint8_t>;

struct Reduced {
  ElementType element = ElementType::f32;
  synth::Shape shape, out_shape;
  Lying from;
  std::vector<std::byte> out, expected;

  ReducePart part() {
    return {TileView{element, shape, from.strides, from.begin(element)}, TileOut{element, out_shape, out.data()}};
  }
};

Reduced reduced(RandomTiles& random, ReduceKind kind, ElementType element, const synth::Shape& shape,
                const Dimensions& dimensions, const LyingWays& ways) {
  Reduced result{element, shape, {}, lying(random, element, shape, ways), {}, {}};
  result.from.memory = random.numbers(element, result.from.memory.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) result.out_shape.push_back(shape[d]);
  }
  const std::int64_t bytes = runtime::count(result.out_shape) * synth::bytes_of(element);
  result.out.assign(static_cast<std::size_t>(bytes), std::byte{0x55});
  result.expected = result.out;
  const TileOut expected{element, result.out_shape, result.expected.data()};
  runtime::reduce(kind, result.part().operand, dimensions, expected);
  return result;
}

void expect_reduced(HostLauncher& launcher, ReduceKind kind, const Dimensions& dimensions, std::vector<Reduced>& all) {
  std::vector<ReducePart> parts;
  for (Reduced& one : all) parts.push_back(one.part());
  const base::Status status = reduce(launcher, kind, dimensions, parts);
  ASSERT_TRUE(status.ok()) << status.errors()[0].message;
  for (const Reduced& one : all) {
    ASSERT_TRUE(are_same(one.element, one.out, one.expected))
        << testing::PrintToString(std::vector<std::int64_t>(one.shape.begin(), one.shape.end()))
        << testing::PrintToString(dimensions);
  }
  launcher.step_ends();
}

// Kernels are compiled for few kinds and types, so that all of them are compiled soon.
struct Way {
  ReduceKind kind;
  ElementType element;
};
const std::vector<Way> kWays{{ReduceKind::sum, ElementType::f32},
                             {ReduceKind::max, ElementType::f32},
                             {ReduceKind::sum, ElementType::f64},
                             {ReduceKind::sum, ElementType::boolean},
                             {ReduceKind::product, ElementType::i64}};
constexpr LyingWays kDense{false, false, false, false};

TEST(DeviceReduce, EqualsTheHostsForRandomTiles) {
  RandomTiles random(1);
  HostLauncher launcher(1);
  for (int turn = 0; turn < 300; ++turn) {
    launcher.set_seed(static_cast<std::uint64_t>(turn) * 31);
    const Way way = turn % 2 == 0 ? kWays[0] : random.one_of(kWays);
    const auto rank = static_cast<std::size_t>(random.number(0, 5));
    Dimensions dimensions;
    for (std::size_t d = 0; d < rank; ++d) {
      if (random.chance(50)) dimensions.push_back(static_cast<std::uint8_t>(d));
    }
    std::vector<Reduced> all;
    const LyingWays ways = random.chance(70) ? kDense : LyingWays{true, true, true, true};
    for (std::int64_t tile = random.number(1, 3); tile-- > 0;) {
      const synth::Shape shape = random.shape(rank, random.number(1, 30000));
      all.push_back(reduced(random, way.kind, way.element, shape, dimensions, ways));
    }
    expect_reduced(launcher, way.kind, dimensions, all);
  }
}

TEST(DeviceReduce, RowsOfAnyLength) {
  RandomTiles random(2);
  HostLauncher launcher(3);
  for (const Way way : kWays) {
    for (const std::int64_t length :
         {1, 2, 7, 8, 9, 127, 128, 129, 135, 136, 1000, 1024, 4095, 4096, 16384, 16392, 16512, 33000, 300000}) {
      for (const std::int64_t rows : {1, 3, 70}) {
        if (rows * length > 400000) continue;
        std::vector<Reduced> all;
        all.push_back(reduced(random, way.kind, way.element, {rows, length}, {1}, kDense));
        expect_reduced(launcher, way.kind, {1}, all);
      }
    }
  }
}

TEST(DeviceReduce, ColumnsOfAnyLength) {
  RandomTiles random(3);
  HostLauncher launcher(8);
  for (const Way way : kWays) {
    for (const std::int64_t rows : {1, 2, 7, 127, 128, 129, 1000, 1024, 1025, 5000, 20000, 140000}) {
      for (const std::int64_t columns : {1, 2, 3, 16, 33, 160, 260}) {
        if (rows * columns > 500000) continue;
        std::vector<Reduced> all;
        all.push_back(reduced(random, way.kind, way.element, {rows, columns}, {0}, kDense));
        expect_reduced(launcher, way.kind, {0}, all);
      }
    }
  }
}

TEST(DeviceReduce, MillionsOfElementsInOneRow) {
  RandomTiles random(4);
  for (const int processors : {1, 132}) {
    HostLauncher launcher(2, processors);
    std::vector<Reduced> all;
    all.push_back(reduced(random, ReduceKind::sum, ElementType::f32, {5000011}, {0}, kDense));
    all.push_back(reduced(random, ReduceKind::sum, ElementType::f32, {2000000}, {0}, kDense));
    expect_reduced(launcher, ReduceKind::sum, {0}, all);
  }
}

TEST(DeviceReduce, RowsInRunsOfWholeBlocks) {
  RandomTiles random(5);
  HostLauncher launcher(2);
  for (const synth::Shape& shape : {synth::Shape{3, 4, 128}, {7, 5, 256}, {40, 3, 1024}, {300, 2, 384}}) {
    std::vector<Reduced> all;
    all.push_back(reduced(random, ReduceKind::sum, ElementType::f32, shape, {0, 2}, kDense));
    expect_reduced(launcher, ReduceKind::sum, {0, 2}, all);
  }
}

TEST(DeviceReduce, NothingGivesTheIdentity) {
  RandomTiles random(6);
  HostLauncher launcher(2);
  for (const Way way : kWays) {
    std::vector<Reduced> all;
    all.push_back(reduced(random, way.kind, way.element, {5, 0}, {1}, kDense));
    all.push_back(reduced(random, way.kind, way.element, {0, 3}, {1}, kDense));
    expect_reduced(launcher, way.kind, {1}, all);
  }
}

}  // namespace
}  // namespace tessera::device
