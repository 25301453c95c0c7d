// Axes that become pending: whoever has a part keeps it, and nothing moves that need not.
#include <string>
#include <vector>

#include "synth/layout/axis_parts.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/prices.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/sound_changes.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// The types that a layout leads to where its minor-most axes become pending: any number of them, of every dimension.
std::vector<ArrayType> kept_of(const ArrayType& from, ReduceOp reduce) {
  std::vector<ArrayType> all{from};
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const std::size_t known = all.size();
    for (std::size_t i = 0; i < known; ++i) {
      for (std::size_t left = 0; left < from.layout().split(d).size(); ++left) {
        std::vector<AxisList> splits = all[i].layout().splits();
        AxisList pending = all[i].layout().pending();
        pending.insert(pending.end(), splits[d].begin() + static_cast<std::ptrdiff_t>(left), splits[d].end());
        splits[d].resize(left);
        all.push_back(*from.with_layout(*Layout::make(from.mesh(), splits, canonical_set(pending), reduce)));
      }
    }
  }
  all.erase(all.begin());
  return all;
}

// Of sums, maxima and minima, with extents that divide and that do not, of tiles without elements as well.
TEST(Keep, OfAxesThatSplitTheSourceMovesNothing) {
  const MeshRef on = mesh("x:2,y:3,z:2");
  int changes = 0;
  for (const Shape& shape : {Shape{12, 12}, Shape{7, 5}, Shape{3, 1}}) {
    for (const ReduceOp reduce : {ReduceOp::sum, ReduceOp::max, ReduceOp::min}) {
      for (const ArrayType& from : types_of(on, shape, all_layouts(*on, 2))) {
        for (const ArrayType& to : kept_of(from, reduce)) {
          const Plan plan = planned(from, to);
          EXPECT_EQ(plan.received_bytes_total, 0) << print(from) << " -> " << print(to) << "\n" << print_text(plan);
          EXPECT_EQ(plan.seconds, 0);
          EXPECT_LE(plan.local_bytes_max, plan.bound_bytes);
          expect_moves_data(plan);
          ++changes;
        }
      }
    }
  }
  EXPECT_GE(changes, 500);
}

TEST(Keep, OfAnAxisByWeightsMovesNothing) {
  const MeshRef on = mesh("x:4 work(4,2,1,1),y:2");
  const Plan plan = planned(type("f32[16@x.work,3]", on), type("f32[16,3]{+x}", on));
  EXPECT_EQ(plan.received_bytes_total, 0) << print_text(plan);
  expect_moves_data(plan);
}

// Where something has to move, not every replica of the target gets all of it: a quarter each, which it keeps.
TEST(Keep, MovesOnlyWhatIsKept) {
  const MeshRef on = mesh("x:4,y:2");
  const Plan plan = planned(type("f32[4096@y]", on), type("f32[4096]{+x}", on));
  EXPECT_LE(plan.received_bytes_total, 4096 * 4 * 8 / 8);
  expect_moves_data(plan);
  const MeshRef apart = mesh("a:4 on 8:12");
  const Plan between = planned(type("f32[4096@x]", on), type("f32[4096]{+a}", apart));
  EXPECT_EQ(between.received_bytes_total, 4096 * 4) << print_text(between);
}

// A keep of a dimension's axes is read from its detail, and refused where they are not minor-most there.
TEST(Keep, OfADimensionIsReadAndChecked) {
  const MeshRef on = mesh("x:4,y:2");
  const ArrayType from = type("f32[16@(x,y),4]", on);
  const Collective step = keep_step(from.layout().split(0), ReduceOp::max, 0);
  const auto after = apply(step, from);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(print(*after), "f32[16, 4]{max x,y}");
  EXPECT_EQ(detail(step, *on), "(x,y): dim 0");
  const auto read = read_detail(CollectiveKind::keep, "(x,y): dim 0", *after);
  ASSERT_TRUE(read);
  EXPECT_EQ(detail(*read, *on), "(x,y): dim 0");
  EXPECT_FALSE(read_detail(CollectiveKind::keep, "(x,y): dim", *after));
  const AxisList x{whole_axis(*on, 0)};
  EXPECT_EQ(first_error(apply(keep_step(x, ReduceOp::max, 0), from)), "bad-collective");
  EXPECT_EQ(first_error(apply(keep_step(x, ReduceOp::max, 1), from)), "bad-collective");
  EXPECT_EQ(first_error(apply(keep_step(x, ReduceOp::max, 2), from)), "bad-collective");
}

// The verifier takes what follows, and nothing that would count a part twice or not at all.
TEST(Keep, IsVerifiedWithWhatFollows) {
  const MeshRef on = mesh("x:4,y:2");
  const ArrayType from = type("f32[16@x]{+y}", on);
  const AxisList x{whole_axis(*on, 0)};
  const AxisList y{whole_axis(*on, 1)};
  const RunMachine machine = *machine_for(Machine{}, 8);
  Prices prices(machine);
  const Chain chain{keep_step(x, ReduceOp::sum, 0), all_reduce_step(canonical_set(concatenated(x, y)))};
  Plan plan = *priced(prices, from, type("f32[16]", on), Planner::tessera, chain);
  ASSERT_TRUE(with_bounds(plan, Machine{}).ok());
  expect_moves_data(plan);
  plan.steps[0].collective = keep_step(x, ReduceOp::sum);  // of a replica, where there are none
  EXPECT_FALSE(verify(plan, Machine{}).ok());
  plan.steps[0].collective = keep_step(y, ReduceOp::sum, 0);
  EXPECT_FALSE(verify(plan, Machine{}).ok());
}

}  // namespace
}  // namespace tessera::synth::test
