// The bound over all sets of holders: worked out by hand, against every set there is, and dealt out.
#include "synth/moves/prices/holder_bound.hpp"

#include "synth/moves/prices/prices.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr double kNearly = 1e-9;

Children set_of(std::uint64_t bits) { return Children{bits}; }

struct Problem {
  std::vector<HeldBytes> boxes;
  std::int64_t children = 1;
  UnitLinks links;
};

Problem any_problem() {
  Problem problem;
  problem.children = *rc::gen::inRange<std::int64_t>(1, 7);
  problem.links = UnitLinks{static_cast<double>(*rc::gen::inRange(1, 5)), static_cast<double>(*rc::gen::inRange(0, 4))};
  const auto boxes = *rc::gen::inRange(1, 12);
  const std::uint64_t least = problem.links.unit > 0 ? 0 : 1;  // without a link in, somebody has to hold a box
  for (int i = 0; i < boxes; ++i) {
    const auto holders = *rc::gen::inRange<std::uint64_t>(least, std::uint64_t{1} << problem.children);
    problem.boxes.push_back(HeldBytes{set_of(holders), static_cast<double>(*rc::gen::inRange(0, 100))});
  }
  return problem;
}

double seconds_of(const Problem& problem, const Children& set) {
  const double capacity = static_cast<double>(count(set)) * problem.links.child + problem.links.unit;
  double bytes = 0;
  for (const HeldBytes& box : problem.boxes) bytes += within(box.holders, set) ? box.bytes : 0;
  return capacity > 0 ? bytes / capacity : 0;
}

// Moves some of a box along a way of children, each of which passes on another box in turn, until one has room.
class Dealing {
 public:
  explicit Dealing(const Problem& problem, double seconds) : problem_(problem) {
    for (std::int64_t c = 0; c < problem.children; ++c) room_.push_back(seconds * problem.links.child);
    room_.push_back(seconds * problem.links.unit);
    dealt_.assign(problem.boxes.size(), std::vector<double>(room_.size(), 0));
  }

  // Bytes that found no place.
  double rest() {
    double rest = 0;
    for (std::size_t box = 0; box < problem_.boxes.size(); ++box) {
      double left = problem_.boxes[box].bytes;
      for (double moved = 1; left > kNearly && moved > kNearly; left -= moved) {
        seen_.assign(room_.size(), false);
        moved = place(box, left);
      }
      rest += left;
    }
    return rest;
  }

 private:
  bool may_take(std::size_t box, std::size_t child) const {
    const bool outside = child + 1 == room_.size();
    return outside || within(set_of(std::uint64_t{1} << child), problem_.boxes[box].holders);
  }

  double place(std::size_t box, double most) {
    for (std::size_t child = 0; child < room_.size(); ++child) {
      if (seen_[child] || !may_take(box, child)) continue;
      seen_[child] = true;
      double moved = std::min(most, room_[child]);
      if (moved > kNearly) {
        room_[child] -= moved;
      } else {
        moved = make_room(child, most);
      }
      dealt_[box][child] += moved;
      if (moved > kNearly) return moved;
    }
    return 0;
  }

  double make_room(std::size_t child, double most) {
    for (std::size_t other = 0; other < dealt_.size(); ++other) {
      if (dealt_[other][child] <= kNearly) continue;
      const double moved = place(other, std::min(most, dealt_[other][child]));
      dealt_[other][child] -= moved;
      if (moved > kNearly) return moved;
    }
    return 0;
  }

  const Problem& problem_;
  std::vector<double> room_;  // of every child, and of outside
  std::vector<std::vector<double>> dealt_;
  std::vector<bool> seen_;
};

TEST(ExampleOf, HolderBound) {
  for (const std::uint64_t pair : {0b011U, 0b110U, 0b101U})
    EXPECT_DOUBLE_EQ(holder_bound({{set_of(pair), 6}}, UnitLinks{1, 0}), 3);
  const std::vector<HeldBytes> boxes{{set_of(0b011), 6}, {set_of(0b110), 6}, {set_of(0b101), 6}};
  EXPECT_DOUBLE_EQ(holder_bound(boxes, UnitLinks{1, 0}), 6);
}

// Four children; a triangle of boxes that alone is the longest, and one box on the fourth. No box's own holders are the
// set, nor are all children.
TEST(HolderBoundTest, TheLongestSetNeedBeNoBoxesHolders) {
  const std::vector<HeldBytes> boxes{
      {set_of(0b0011), 6}, {set_of(0b0110), 6}, {set_of(0b0101), 6}, {set_of(0b1000), 1}};
  EXPECT_DOUBLE_EQ(holder_bound(boxes, UnitLinks{1, 0}), 6);
  EXPECT_DOUBLE_EQ(holder_bound(boxes, UnitLinks{1, 3}), 3);
}

TEST(HolderBoundTest, WhatNobodyHoldsComesFromOutside) {
  EXPECT_DOUBLE_EQ(holder_bound({{set_of(0), 8}}, UnitLinks{1, 2}), 4);
  EXPECT_EQ(holder_bound({}, UnitLinks{1, 2}), 0);
}

RC_GTEST_PROP(HolderBoundProperty, IsTheLargestOverAllSets, ()) {
  const Problem problem = any_problem();
  double longest = 0;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << problem.children; ++bits) {
    longest = std::max(longest, seconds_of(problem, set_of(bits)));
  }
  const double bound = holder_bound(problem.boxes, problem.links);
  RC_ASSERT(bound >= longest * (1 - kNearly));
  RC_ASSERT(bound <= longest * (1 + kNearly));
}

RC_GTEST_PROP(HolderBoundProperty, IsNeverBelowABoxesOwnHolders, ()) {
  const Problem problem = any_problem();
  const double bound = holder_bound(problem.boxes, problem.links);
  for (const HeldBytes& box : problem.boxes) RC_ASSERT(bound >= seconds_of(problem, box.holders));
}

RC_GTEST_PROP(HolderBoundProperty, AllBoxesCanBeDealtInThatTime, ()) {
  const Problem problem = any_problem();
  const double bound = holder_bound(problem.boxes, problem.links);
  RC_ASSERT(Dealing(problem, bound).rest() <= 1e-6);
  if (bound > 0) RC_ASSERT(Dealing(problem, 0.99 * bound).rest() > 1e-6);
}

// Each of three nodes holds two of three tiles and wants the third: 16 bytes into each, and out of each.
TEST(HolderBoundTest, NoPlanIsFasterOnLevels) {
  const MeshRef on = mesh("x:2,y:3");
  const RunMachine machine = on_run({{{"node", 3, 1e9, 0}, {"gpu", 2, 100e9, 0}}});
  const ArrayType from = type("f32[12@y]", on);
  const ArrayType to = type("f32[12]", on);
  EXPECT_DOUBLE_EQ(lower_bound(machine, from, to).seconds, 16e-9);
  const auto made = plan(from, to, machine);
  ASSERT_TRUE(made.ok());
  EXPECT_GE(made->seconds, made->lower_bound_seconds * (1 - kNearly));
}

}  // namespace
}  // namespace tessera::synth::test
