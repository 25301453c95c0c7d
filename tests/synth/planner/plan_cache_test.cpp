// Plans that are remembered, and what is kept from plan to plan.
#include <string>
#include <utility>
#include <vector>

#include "synth/planner/plan.hpp"

#include "synth/planner/text/print_json.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// A plan that was only priced is verified when it is asked for, and is then the plan that is made at once.
TEST(PlanCacheTest, VerifiesWhatWasPriced) {
  const ArrayType from = type("f32[64@x,64]", "x:4,y:2");
  const ArrayType to = type("f32[64,64@(y,x)]", "x:4,y:2");
  PlanCache cache{Machine{}};
  const auto priced = cache.get_price(from, to);
  ASSERT_TRUE(priced.ok());
  EXPECT_FALSE((*priced)->verified);
  const auto whole = cache.get(from, to);
  const auto at_once = plan(from, to, Machine{});
  ASSERT_TRUE(whole.ok() && at_once.ok());
  EXPECT_TRUE((*whole)->verified);
  EXPECT_EQ(print_json(**whole), print_json(*at_once));
  EXPECT_EQ((*cache.get_price(from, to)).get(), whole->get());
  EXPECT_EQ(cache.size(), 1U);
}

// What earlier plans found out about sums changes no later plan: every pair of these layouts, of arrays whose tiles
// have equal sizes and others, on meshes that lie differently, planned one after another and alone.
TEST(PlanCacheTest, SharesWhatSumsCostAndChangesNoPlan) {
  const RunMachine machine = on_run({{{"node", 2, 8e9, 5e-6}, {"device", 8, 270e9, 1e-6}}});
  const std::vector<std::string> layouts = {"[@x, _]",    "[@(x,y), _]", "[@y, @x]",
                                            "[_, _]{+x}", "[@y, _]{+x}", "[_, _]{+x,y}"};
  const std::vector<std::pair<std::string, std::pair<int, int>>> arrays = {
      {"f32", {64, 32}}, {"f64", {32, 32}}, {"f32", {32, 64}}, {"f32", {63, 30}}};
  const auto array = [](const auto& of, std::string layout) {
    layout.replace(layout.find(layout[1] == '_' ? "_" : "@"), layout[1] == '_' ? 1 : 0,
                   std::to_string(of.second.first));
    const std::size_t second = layout.find(", ") + 2;
    layout.replace(second, layout[second] == '_' ? 1 : 0, std::to_string(of.second.second));
    return of.first + layout;
  };
  PlanCache cache{machine};
  std::size_t planned = 0;
  for (const auto* place : {"", " place [[2,2],[1,4]]", " place [[1,4],[2,2]]"}) {
    const MeshRef on = mesh("x:4,y:4" + std::string(place));
    for (const auto& of : arrays) {
      for (const std::string& a : layouts) {
        for (const std::string& b : layouts) {
          const ArrayType from = type(array(of, a), on);
          const ArrayType to = type(array(of, b), on);
          const auto alone = plan(from, to, machine);
          const auto shared = cache.get(from, to);
          ASSERT_EQ(alone.ok(), shared.ok());
          if (!alone.ok()) continue;
          EXPECT_EQ(print_json(*alone), print_json(**shared));
          ++planned;
        }
      }
    }
  }
  EXPECT_GT(planned, 300U);
}

TEST(PlanCacheTest, SharesPlans) {
  PlanCache cache{Machine{}};
  PlanOptions by_gather;
  by_gather.planner = Planner::gather;
  const ArrayType from = type("f32[8@x,8]", "x:4");
  const ArrayType to = type("f32[8,8@x]", "x:4");
  const auto once = cache.get(from, to);
  const auto again = cache.get(from, to);
  ASSERT_TRUE(once.ok());
  EXPECT_EQ(*once, *again);
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_TRUE(cache.get(from, to, by_gather).ok());
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_FALSE(cache.get(from, type("f32[9,8]", "x:4")).ok());
  EXPECT_EQ(cache.size(), 2U);
}

}  // namespace
}  // namespace tessera::synth::test
