// Parts combined, emulated, beside those of the host.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/device/steps/sums.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/random_tiles.hpp"

namespace tessera::device {
namespace {

using runtime::BoxSum;
using runtime::TileOut;
using runtime::TileTarget;
using runtime::TileView;
using synth::ElementType;
using synth::ReduceOp;

struct Summed {
  ElementType element = ElementType::f32;
  synth::Shape shape;
  std::vector<Lying> parts;
  Lying to;
  std::vector<std::byte> expected;

  std::vector<TileView> views() {
    std::vector<TileView> all;
    for (Lying& part : parts) all.push_back({element, shape, part.strides, part.begin(element)});
    return all;
  }
  BoxSum sum() { return {views(), TileTarget{to.strides, to.begin(element)}}; }
};

Summed summed(RandomTiles& random, ReduceOp op, ElementType element, std::int64_t elements, bool dense) {
  Summed result{element, random.shape(static_cast<std::size_t>(random.number(0, 5)), elements), {}, {}, {}};
  const LyingWays ways{!dense, !dense, !dense, !dense && random.chance(20)};
  for (std::int64_t k = random.number(1, 7); k-- > 0;) {
    result.parts.push_back(lying(random, element, result.shape, ways));
    result.parts.back().memory = random.numbers(element, result.parts.back().memory.size());
  }
  result.to = lying(random, element, result.shape, {!dense && random.chance(30), !dense, false, false});
  result.expected = result.to.memory;
  if (!runtime::is_empty(result.shape)) {
    const std::int64_t offset = result.to.offset * synth::bytes_of(element);
    runtime::combine_parts(op, result.views(), TileTarget{result.to.strides, result.expected.data() + offset});
  }
  return result;
}

const std::vector<ReduceOp> kOps{ReduceOp::sum, ReduceOp::max, ReduceOp::min, ReduceOp::product};
const std::vector<ElementType> kTypes{ElementType::boolean, ElementType::i32, ElementType::i64, ElementType::f32,
                                      ElementType::f64};

TEST(DeviceCombine, EqualsTheHosts) {
  RandomTiles random(1);
  HostLauncher launcher(1);
  for (int turn = 0; turn < 250; ++turn) {
    launcher.set_seed(static_cast<std::uint64_t>(turn) * 131);
    // All operations on f32, and all types by a sum: every kernel is compiled.
    const ElementType element = turn % 2 == 0 ? ElementType::f32 : random.one_of(kTypes);
    const ReduceOp op = element == ElementType::f32 ? random.one_of(kOps) : ReduceOp::sum;
    std::vector<Summed> all;
    const bool dense = random.chance(50);
    for (std::int64_t box = random.number(1, 3); box-- > 0;)
      all.push_back(summed(random, op, element, random.number(1, 9000), dense));
    std::vector<BoxSum> sums;
    for (Summed& one : all) sums.push_back(one.sum());
    const base::Status status = combine(launcher, op, sums);
    ASSERT_TRUE(status.ok()) << status.errors()[0].message;
    for (const Summed& one : all) ASSERT_TRUE(are_same(element, one.to.memory, one.expected));
    launcher.step_ends();
  }
}

TEST(DeviceCombine, TheTargetMayBeWhereTheFirstPartLies) {
  RandomTiles random(7);
  HostLauncher launcher(4);
  std::vector<std::byte> first = random.numbers(ElementType::f32, 4000);
  const std::vector<std::byte> second = random.numbers(ElementType::f32, 4000);
  std::vector<std::byte> expected = first;
  const auto sum = [&](std::vector<std::byte>& target) {
    const TileView a = runtime::dense_view(ElementType::f32, {10, 100}, target.data());
    const TileView b = runtime::dense_view(ElementType::f32, {10, 100}, second.data());
    return BoxSum{{a, b}, TileTarget{a.strides, target.data()}};
  };
  const BoxSum host = sum(expected);
  runtime::combine_parts(ReduceOp::sum, host.parts, host.to);
  const std::vector<BoxSum> sums{sum(first)};
  ASSERT_TRUE(combine(launcher, ReduceOp::sum, sums).ok());
  EXPECT_TRUE(are_same(ElementType::f32, first, expected));
}

TEST(DeviceFillIdentity, EqualsTheHosts) {
  RandomTiles random(3);
  HostLauncher launcher(2);
  for (const ReduceOp op : kOps) {
    for (const ElementType element : kTypes) {
      const std::vector<std::int64_t> counts{0, 1, 7, 64, random.number(1, 20000)};
      std::vector<std::vector<std::byte>> all;
      for (const std::int64_t count : counts) all.push_back(random.bytes(element, count + 4));
      std::vector<std::vector<std::byte>> expected = all;
      const auto tile = [&](std::vector<std::byte>& memory, std::size_t i) {
        return TileOut{element, {counts[i]}, memory.data() + (i % 2 == 0 ? 0 : synth::bytes_of(element))};
      };
      for (std::size_t i = 0; i < counts.size(); ++i) runtime::fill_identity(op, tile(expected[i], i));
      const auto at = [&](std::int64_t i) {
        return tile(all[static_cast<std::size_t>(i)], static_cast<std::size_t>(i));
      };
      const runtime::ItemList<TileOut> tiles(static_cast<std::int64_t>(counts.size()), at);
      ASSERT_TRUE(fill_identity(launcher, op, tiles).ok());
      EXPECT_TRUE(all == expected);
    }
  }
}

}  // namespace
}  // namespace tessera::device
