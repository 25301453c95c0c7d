// Copies of boxes, emulated, beside those of the host.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/device/steps/copies.hpp"
#include "runtime/kernels/copy.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/random_tiles.hpp"

namespace tessera::device {
namespace {

using runtime::BoxMove;
using runtime::TileTarget;
using runtime::TileView;
using synth::ElementType;

// A move whose memory is here, and what the target's memory becomes.
struct Moved {
  ElementType element = ElementType::f32;
  synth::Shape shape;
  Lying from, to;
  std::vector<std::byte> expected;

  TileView view() { return {element, shape, from.strides, from.begin(element)}; }
  BoxMove move() { return {view(), TileTarget{to.strides, to.begin(element)}}; }
  void expect() {
    expected = to.memory;
    const std::int64_t offset = to.offset * synth::bytes_of(element);
    runtime::copy_elements(view(), TileTarget{to.strides, expected.data() + offset});
  }
};

Moved moved(RandomTiles& random, ElementType element, const synth::Shape& shape, const LyingWays& ways) {
  Moved result{element, shape, lying(random, element, shape, ways), {}, {}};
  const LyingWays target{ways.permuted && random.chance(30), ways.gaps, false, false};
  result.to = lying(random, element, shape, target);
  result.expect();
  return result;
}

void expect_copied(HostLauncher& launcher, std::vector<Moved>& all) {
  std::vector<BoxMove> moves;
  for (Moved& one : all) moves.push_back(one.move());
  const base::Status status = copy(launcher, moves);
  ASSERT_TRUE(status.ok()) << status.errors()[0].message;
  for (const Moved& one : all) ASSERT_TRUE(one.to.memory == one.expected);
  launcher.step_ends();
}

const std::vector<ElementType> kSizes{ElementType::u8, ElementType::bf16, ElementType::f32, ElementType::f64};

TEST(DeviceCopy, EqualsTheHostsForRandomBoxes) {
  RandomTiles random(1);
  HostLauncher launcher(1);
  for (int turn = 0; turn < 400; ++turn) {
    launcher.set_seed(static_cast<std::uint64_t>(turn) * 77);
    std::vector<Moved> all;
    const ElementType element = random.one_of(kSizes);
    for (std::int64_t box = random.number(1, 4); box-- > 0;) {
      const auto rank = static_cast<std::size_t>(random.number(0, 6));
      const synth::Shape shape = random.shape(rank, random.number(1, 20000));
      all.push_back(moved(random, element, shape, {true, true, true, random.chance(20)}));
    }
    expect_copied(launcher, all);
  }
}

TEST(DeviceCopy, TransposesTilesOfAnyShape) {
  RandomTiles random(2);
  HostLauncher launcher(5);
  const std::vector<synth::Shape> shapes{{64, 64},   {1, 300},   {300, 3},    {3, 300},     {65, 129},
                                         {256, 257}, {1000, 17}, {5, 70, 90}, {70, 5, 90},  {33, 4, 2, 50},
                                         {16, 16},   {2, 2},     {129, 65},   {2, 3, 4, 5}, {1, 1}};
  for (const ElementType element : kSizes) {
    std::vector<Moved> all;
    for (const synth::Shape& shape : shapes) {
      Moved one{element, shape, {}, {}, {}};
      one.to = lying(random, element, shape, {false, false, false, false});
      one.from = lying(random, element, shape, {false, false, false, false});
      std::int64_t step = 1;  // as the reverse of row-major
      for (std::size_t d = 0; d < shape.size(); ++d) {
        one.from.strides[d] = step;
        step *= shape[d];
      }
      one.expect();
      all.push_back(std::move(one));
    }
    expect_copied(launcher, all);
  }
}

TEST(DeviceCopy, LongRunsWithOddEnds) {
  RandomTiles random(3);
  HostLauncher launcher(9);
  for (const std::int64_t count : {0, 1, 2, 15, 4095, 4096, 4097, 65535, 100003}) {
    for (const ElementType element : kSizes) {
      std::vector<Moved> all;
      all.push_back(moved(random, element, {count}, {false, false, false, false}));
      all.push_back(moved(random, element, {count}, {false, true, false, false}));
      expect_copied(launcher, all);
    }
  }
}

// More boxes than a table has, of one row of an array each.
TEST(DeviceCopy, ManyBoxes) {
  RandomTiles random(4);
  HostLauncher launcher(3);
  constexpr std::int64_t kBoxes = 5000;
  Moved whole{ElementType::f32, {kBoxes, 8}, {}, {}, {}};
  whole.from = lying(random, whole.element, whole.shape, {});
  whole.to = lying(random, whole.element, whole.shape, {false, false, false, false});
  whole.expect();
  const auto row = [&](std::int64_t i) {
    const BoxMove all = whole.move();
    const TileView view = part_of(all.from, {i, 0}, {1, 8});
    return BoxMove{view, TileTarget{all.to.strides, all.to.data + i * all.to.strides[0] * 4}};
  };
  const runtime::ItemList<BoxMove> rows(kBoxes, row);
  ASSERT_TRUE(copy(launcher, rows).ok());
  EXPECT_TRUE(whole.to.memory == whole.expected);
  EXPECT_GE(launcher.launches(), 2);
}

}  // namespace
}  // namespace tessera::device
