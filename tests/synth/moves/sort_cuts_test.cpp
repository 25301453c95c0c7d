// Lines that are sorted by cuts: who sorts them together, what is received at most, and what the verifier refuses.
#include "synth/moves/collective/sort_cuts.hpp"

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "synth/moves/prices/cut_cost.hpp"
#include "synth/verify/cut.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

TEST(ExampleOf, SortCuts) {
  const SortCuts cuts(type("f32[1000@x]", "x:4"), false);
  EXPECT_EQ(SortCuts::rounds_at_most(1000), 7);
  EXPECT_EQ(cuts.sample_bytes(), 2 * 4 + 8 * 4);
  EXPECT_EQ(cuts.answer_bytes(), 2 * 4 + 2);
  EXPECT_EQ(cuts.search_bytes_at_most(0), 7 * 3 * 10 + 3 * 4);
  EXPECT_EQ(cuts.search_bytes_at_most(1), 7 * (3 * 40 + 2 * 10) + 3 * 4);
  EXPECT_EQ(cuts.run_bytes_at_most(1), 250 * 4);
}

TEST(ExampleOf, CutCost) {
  const RunMachine machine = on_run({{{"device", 2, 1e9, 1e-6}}});
  const StepCost cost = cost_of_cuts(machine, SortCuts(type("f32[16@x]", "x:2"), false));
  EXPECT_EQ(cost.received_bytes_total, 2 * 40 + 2 * 10 + 2 * 4 + 2 * 32);
  EXPECT_EQ(cost.received_bytes_max, 2 * 40 + 4 + 32);
  EXPECT_NEAR(cost.seconds, 6e-6 + (2 * 50 + 4 + 32) * 1e-9, 1e-12);
}

TEST(ExampleOf, Cut) {
  const ArrayType lines = type("f32[4@y, 6@x]", "x:2,y:2");
  const SortCuts cuts(lines, false);
  const auto leader = [&](std::int32_t device) { return cuts.leader(device); };
  const auto fault = [&](std::int32_t of_device_0) {
    const auto member = [&](std::int32_t device, std::int64_t tile) {
      return device == 0 && tile == 1 ? of_device_0 : cuts.member(device, tile);
    };
    return fault_of_cuts(lines, lines, false, leader, member, cut_bytes_at_most(cuts)).value_or("");
  };
  EXPECT_EQ(fault(2), "");
  EXPECT_EQ(fault(3), "device 0: device 3 has other lines");
  EXPECT_EQ(fault(1), "device 0: device 1 has another tile");
}

// Every device of a line but the first that holds something seeks one cut.
TEST(SortCuts, LeaveOutTilesThatHoldNothing) {
  const SortCuts cuts(type("f32[3@x]", "x:4"), true);
  EXPECT_EQ(cuts.filled(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(cuts.search_bytes_at_most(0), 0);
  EXPECT_EQ(cuts.run_bytes_at_most(0), 0);
  EXPECT_EQ(cuts.record_bytes(), 8);
  EXPECT_EQ(cut_bytes_at_most(SortCuts(type("f32[0@x]", "x:4"), false)), 0);
}

TEST(SortCuts, OfVeryManyDevicesAndLinesHaveMoreBytesThanAnybodyTakes) {
  const SortCuts cuts(type("bool[2147483648, 65536@x]", "x:65536"), true);
  EXPECT_GT(cut_bytes_at_most(cuts), std::int64_t{1} << 61U);
  EXPECT_GT(cost_of_cuts(on_run({{{"device", 65536, 1e9, 1e-6}}}), cuts).seconds, 1e3);
}

// Lines in any layout whose last dimension is split.
std::optional<ArrayType> random_lines(Random& random) {
  const MeshRef on =
      mesh(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
  Shape shape;
  for (std::size_t d = 0; d <= random.below(3); ++d) shape.push_back(static_cast<std::int64_t>(random.below(40)));
  auto type = ArrayType::make(random.coin() ? ElementType::f64 : ElementType::i32, shape, on,
                              any_layout(*on, shape.size(), false, random));
  if (!type.ok() || !sorts_by_cuts(*type)) return std::nullopt;
  return *type;
}

// Who leads a device's lines, and who has each tile of the leader's.
struct Members {
  std::vector<std::int32_t> leaders;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> members;

  std::int32_t member(std::int32_t leader, std::int64_t tile) const {
    const auto known = members.find({leader, tile});
    return known == members.end() ? -1 : known->second;
  }
};

Members members_of(const SortCuts& cuts) {
  Members all;
  for (std::int32_t device = 0; device < cuts.type().devices(); ++device) {
    all.leaders.push_back(cuts.leader(device));
    for (std::int64_t tile = 0; tile < cuts.tiles(); ++tile)
      all.members[{cuts.leader(device), tile}] = cuts.member(device, tile);
  }
  return all;
}

// Another member, or another leader.
void spoil(Members& members, Random& random) {
  const std::size_t devices = members.leaders.size();
  const auto other = static_cast<std::int32_t>(random.below(devices + 2)) - 1;
  if (random.below(4) == 0)
    members.leaders[random.below(devices)] = other;
  else
    std::next(members.members.begin(), static_cast<std::ptrdiff_t>(random.below(members.members.size())))->second =
        other;
}

// Does every device stand once among those of its lines, which have each position of them once? Position by position.
bool cut_right(const ArrayType& lines, const Members& members) {
  const std::size_t last = lines.rank() - 1;
  for (std::int32_t device = 0; device < lines.devices(); ++device) {
    const std::int32_t leader = members.leaders.at(static_cast<std::size_t>(device));
    bool is_there = false;
    std::int64_t next = 0;
    for (std::int64_t at = 0; at < cuts(lines, last).tiles(); ++at) {
      const std::int32_t other = members.member(leader, at);
      if (other < 0 || other >= lines.devices()) return false;
      Box held = tile(lines, other);
      if (held[last].begin != next || held[last] != cuts(lines, last).tile(at)) return false;
      next = held[last].end;
      held[last] = tile(lines, device)[last];
      if (held != tile(lines, device)) return false;
      is_there = is_there || other == device;
    }
    if (!is_there || next != lines.shape()[last]) return false;
  }
  return true;
}

TEST(SortCuts, BringEveryElementAndWrongOnesAreRefused) {
  Random random(17);
  int refused = 0;
  int taken = 0;
  while (refused < 1000) {
    const auto lines = random_lines(random);
    if (!lines.has_value()) continue;
    const bool positions = random.coin();
    const SortCuts cuts(*lines, positions);
    Members members = members_of(cuts);
    const auto result = positions ? *lines->with_element(ElementType::i64) : *lines;
    const auto fault_of = [&](std::int64_t more_bytes) {
      return fault_of_cuts(
          *lines, result, positions,
          [&](std::int32_t device) { return members.leaders.at(static_cast<std::size_t>(device)); },
          [&](std::int32_t leader, std::int64_t at) { return members.member(leader, at); },
          cut_bytes_at_most(cuts) + more_bytes);
    };
    ASSERT_TRUE(cut_right(*lines, members)) << print(*lines);
    ASSERT_EQ(fault_of(0), std::nullopt) << print(*lines);
    EXPECT_TRUE(fault_of(4).has_value());
    spoil(members, random);
    const auto fault = fault_of(0);
    ASSERT_TRUE(fault.has_value() || cut_right(*lines, members)) << print(*lines);
    ++(fault ? refused : taken);
  }
  EXPECT_GE(taken, 20);
}

}  // namespace
}  // namespace tessera::synth::test
