// Box copies and reductions: complete, from devices that hold what they send, from the nearest replica, dealt evenly.
#include "synth/moves/collective/moves.hpp"

#include <map>
#include <set>

#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::ElementsAre;

// What every set of copies promises: each target tile covered exactly once, by sources that hold the box, local where
// the device holds it itself, in order of target and box.
void check_copies(const ArrayType& from, const ArrayType& to, const std::vector<BoxCopy>& all) {
  std::vector<std::int64_t> covered(static_cast<std::size_t>(to.devices()), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BoxCopy& copy = all[i];
    RC_ASSERT(!empty(copy.box));
    RC_ASSERT(contains(tile(from, copy.source), copy.box));
    RC_ASSERT(contains(tile(to, copy.target), copy.box));
    RC_ASSERT(position(from.mesh(), from.layout().pending(), copy.source) ==
              position(to.mesh(), to.layout().pending(), copy.target));
    if (copy.source != copy.target) RC_ASSERT(empty(intersect(copy.box, tile(from, copy.target))));
    covered[static_cast<std::size_t>(copy.target)] += elements(copy.box);
    if (i == 0 || all[i - 1].target != copy.target) continue;
    RC_ASSERT(all[i - 1].box < copy.box);
    RC_ASSERT(empty(intersect(all[i - 1].box, copy.box)));
  }
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    RC_ASSERT(covered[static_cast<std::size_t>(device)] == elements(tile(to, device)));
  }
}

RC_GTEST_PROP(CopiesProperty, CoverEveryTargetTileOnceFromHolders, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(0, 4), 13);
  const ArrayType from = any_type(on, shape, true);
  const Layout loose = any_layout(*on, shape.size(), false);
  const auto layout = Layout::make(*on, loose.splits(), from.layout().pending(), from.layout().reduce());
  RC_PRE(layout.ok());
  const ArrayType to = *from.with_layout(*layout);
  Machine machine = *machine_for(Machine{}, on->devices());
  machine.levels[0].latency_seconds = *rc::gen::element(0.0, 1e-10, 1e-6);  // boxes are cut anywhere, rarely, or never
  check_copies(from, to, copies(on_run(machine), from, to));
}

RC_GTEST_PROP(CopiesProperty, FromOneMeshToAnotherOfAsManyDevices, ()) {
  const Shape shape = any_shape(2, 13);
  const ArrayType from = any_type(*parse_mesh("x:4,y:3"), shape, false);
  const ArrayType to = any_type(*parse_mesh("a:2,b:6"), shape, false);
  check_copies(from, to, copies(from, to));
}

Shift any_shift() {
  const std::int64_t step = *rc::gen::element<std::int64_t>(-3, -2, -1, 1, 1, 1, 2, 3);
  const auto offset = *rc::gen::inRange<std::int64_t>(-12, 13);
  if (*rc::gen::inRange(0, 2) == 0) return {offset, step};
  return {offset, step, *rc::gen::inRange<std::int64_t>(-4, 9), *rc::gen::inRange<std::int64_t>(1, 4)};
}

// The numbers of elements that lie in the source and in an interval of the target, one by one.
std::int64_t count_numbers(const Shift& shift, std::int64_t source_extent, const Interval& target) {
  std::int64_t count = 0;
  for (std::int64_t k = -40; k <= 40; ++k) {
    const std::int64_t from = shift.offset + shift.step * k;
    const std::int64_t to = shift.add + shift.spread * k;
    count += from >= 0 && from < source_extent && to >= target.begin && to < target.end ? 1 : 0;
  }
  return count;
}

Box at(const Box& numbers, const Offset& offset, std::int64_t Shift::* first, std::int64_t Shift::* step) {
  Box box;
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    const std::int64_t a = offset[d].*first + offset[d].*step * numbers[d].begin;
    const std::int64_t b = offset[d].*first + offset[d].*step * (numbers[d].end - 1);
    box.push_back({std::min(a, b), std::max(a, b) + 1});
  }
  return box;
}

// With an offset, by whatever steps: each element that has a source is copied once, out of a tile that has it.
RC_GTEST_PROP(CopiesProperty, WithAnOffset, ()) {
  const MeshRef on = any_mesh();
  const ArrayType from = any_type(on, any_shape(2, 9), false);
  const ArrayType to = any_type(on, any_shape(2, 9), false);
  const Offset offset{any_shift(), any_shift()};
  std::vector<std::int64_t> covered(static_cast<std::size_t>(on->devices()), 0);
  for (const BoxCopy& copy : copies(from, to, &offset)) {
    RC_ASSERT(contains(tile(from, copy.source), at(copy.box, offset, &Shift::offset, &Shift::step)));
    RC_ASSERT(contains(tile(to, copy.target), at(copy.box, offset, &Shift::add, &Shift::spread)));
    covered[static_cast<std::size_t>(copy.target)] += elements(copy.box);
  }
  for (std::int64_t device = 0; device < on->devices(); ++device) {
    const Box own = tile(to, device);
    std::int64_t wanted = 1;
    for (std::size_t d = 0; d < 2; ++d) wanted *= count_numbers(offset[d], from.shape()[d], own[d]);
    RC_ASSERT(covered[static_cast<std::size_t>(device)] == wanted);
  }
}

TEST(ExampleOf, Shift) {
  EXPECT_EQ(numbers_in({1, 3}, 9, {0, 3}), (Interval{0, 3}));        // elements 1, 4, 7 lie at 0, 1, 2
  EXPECT_EQ(numbers_in({0, 1, 1, 3}, 3, {0, 9}), (Interval{0, 3}));  // and back
  EXPECT_EQ(numbers_in({8, -1}, 9, {0, 4}), (Interval{0, 4}));       // 8, 7, 6, 5
  EXPECT_EQ(numbers_in({0, 1, 1, 3}, 3, {2, 5}), (Interval{1, 2}));  // only the one at 4
}

// Device by device, the same copies; those out of some sources only are the same less the others'.
RC_GTEST_PROP(CopiesProperty, AreWhatAWalkMeets, ()) {
  const MeshRef on = any_mesh();
  const ArrayType from = any_type(on, any_shape(2, 9), false);
  const ArrayType to = any_type(on, any_shape(2, 9), false);
  const Offset offset{any_shift(), any_shift()};
  const auto odd = *rc::gen::inRange(0, 2);
  const std::vector<BoxCopy> all = copies(from, to, &offset);
  const CopyWalk walk(from, to, &offset);
  std::vector<BoxCopy> met;
  std::vector<BoxCopy> out_of_some;
  for (std::int32_t target = 0; target < to.devices(); ++target) {
    walk.to(target, [](std::int32_t) { return true; }, [&](const BoxCopy& copy) { met.push_back(copy); });
    walk.to(
        target, [&](std::int32_t source) { return source % 2 == odd; },
        [&](const BoxCopy& copy) { out_of_some.push_back(copy); });
    std::int64_t received = 0;
    for (const BoxCopy& copy : all) {
      if (copy.target == target && copy.source != target) received += elements(copy.box);
    }
    RC_ASSERT(walk.received_elements(target) == received);
  }
  RC_ASSERT(met == all);
  RC_ASSERT(walk.copies_at_most() >= std::ssize(all));
  std::erase_if(met, [&](const BoxCopy& copy) { return copy.source % 2 != odd; });
  RC_ASSERT(out_of_some == met);
}

TEST(CopiesTest, OffsetsOfAnySizeAreSafe) {
  const ArrayType array = type("f32[8@x]", "x:2");
  for (const std::int64_t far : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const Offset offset{far};
    EXPECT_TRUE(copies(array, array, &offset).empty());
  }
}

// The figure of the design: `[6@x,7] -> [6,7@x]` on x:4 receives 20, 32, 40, 32 bytes.
TEST(CopiesTest, UnevenAllToAllReceives20And32And40And32Bytes) {
  const MeshRef on = mesh("x:4");
  const ArrayType from = type("f32[6@x,7]", on);
  const ArrayType to = type("f32[6,7@x]", on);
  std::vector<std::int64_t> received(4, 0);
  for (const BoxCopy& copy : copies(from, to)) {
    if (copy.source != copy.target) received[static_cast<std::size_t>(copy.target)] += elements(copy.box) * 4;
  }
  EXPECT_THAT(received, ElementsAre(20, 32, 40, 32));
}

// Two replicas hold each half, and two devices want it: each sends to one.
TEST(CopiesTest, ReplicasShareTheReceivers) {
  const MeshRef on = mesh("x:2,y:2");
  const ArrayType from = type("f32[4096@x]", on);
  const ArrayType to = type("f32[4096]", on);
  std::map<std::int32_t, std::vector<std::int32_t>> sources;
  for (const BoxCopy& copy : copies(from, to)) {
    if (copy.source != copy.target) sources[copy.target].push_back(copy.source);
  }
  EXPECT_THAT(sources[0], ElementsAre(2));
  EXPECT_THAT(sources[1], ElementsAre(3));
  EXPECT_THAT(sources[2], ElementsAre(0));
  EXPECT_THAT(sources[3], ElementsAre(1));
}

// Five replicas hold each tile, and their receivers are no multiple of five.
TEST(CopiesTest, ReplicasSendAsMuchAsEachOther) {
  const MeshRef on = mesh("x:2,y:5,z:3");
  const ArrayType from = type("f32[900@z,900@x]", on);
  std::map<Box, std::map<std::int32_t, std::int64_t>> sent;  // by source tile and holder
  for (const BoxCopy& copy : copies(from, type("f32[900@y,900@(z,x)]", on))) {
    if (copy.source != copy.target) sent[tile(from, copy.source)][copy.source] += elements(copy.box);
  }
  ASSERT_EQ(sent.size(), 6U);
  for (const auto& [held, by_holder] : sent) {
    ASSERT_EQ(by_holder.size(), 5U);
    const auto by_elements = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::minmax_element(by_holder.begin(), by_holder.end(), by_elements);
    EXPECT_LE(most->second - least->second, 900);  // a row
  }
}

// A box is not cut into pieces that a link carries faster than it takes to send for them.
TEST(CopiesTest, SmallBoxesComeWhole) {
  const MeshRef on = mesh("x:2,y:5,z:3");
  const ArrayType from = type("f32[90@z,90@x]", on);
  const ArrayType to = type("f32[90@y,90@(z,x)]", on);
  const auto most_senders = [&](double latency) {
    std::map<std::pair<std::int32_t, Box>, std::int64_t> boxes;  // of a receiver, from one source tile
    for (const BoxCopy& copy : copies(on_run({{{"device", 30, 100e9, latency}}}), from, to)) {
      ++boxes[{copy.target, tile(from, copy.source)}];
    }
    std::int64_t most = 0;
    for (const auto& [box, senders] : boxes) most = std::max(most, senders);
    return most;
  };
  EXPECT_EQ(most_senders(1e-6), 1);
  EXPECT_EQ(most_senders(0), 2);
}

TEST(CopiesTest, OnAMachineTheNearestReplicaSends) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const RunMachine nodes = on_run({{{"node", 2, 1e9, 1e-6}, {"gpu", 4, 1e9, 1e-6}}});
  for (const BoxCopy& copy : copies(nodes, type("f32[4096@z]", on), type("f32[4096]", on))) {
    EXPECT_EQ(copy.source / 4, copy.target / 4);
  }
}

TEST(ReductionsTest, CombineInAscendingPosition) {
  const MeshRef on = mesh("x:2,y:2,z:2");
  const ArrayType from = type("f32[4]{+x,z}", on);
  const auto all = reductions(from, type("f32[4@(z,x)]", on));
  ASSERT_EQ(all.size(), 8U);
  EXPECT_THAT(*all[3].contributors, ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(all[3].position, 1U);
  EXPECT_EQ(all[3].contributors, all[6].contributors);  // one list for the group
  EXPECT_EQ(all[3].target, 3);
  const auto only_z = reductions(from, type("f32[4]{+x}", on));
  EXPECT_THAT(*only_z[4].contributors, ElementsAre(4, 5));
}

TEST(KeepTest, TheFirstReplicaKeepsTheValue) {
  const ArrayType array = type("f32[4]", "x:2,y:2");
  const AxisList y{whole_axis(array.mesh(), 1)};
  EXPECT_TRUE(keeps_value(array, y, 0));
  EXPECT_FALSE(keeps_value(array, y, 1));
  EXPECT_TRUE(keeps_value(array, y, 2));
}

}  // namespace
}  // namespace tessera::synth::test
