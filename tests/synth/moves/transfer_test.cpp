// Transfers: stretches, sends in hops, and what they cost.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "synth/layout/cluster/device_links.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

RunMachine two_nodes() { return on_run({{{"node", 2, 8, 0.5}, {"device", 4, 64, 0.25}}}); }

TEST(Cluster, TwoNodesOfFourDevices) {
  const Cluster cluster(two_nodes());
  ASSERT_EQ(cluster.levels().size(), 2U);
  EXPECT_EQ(cluster.levels()[0].units, 2U);
  EXPECT_EQ(cluster.levels()[1].unit_devices, 1);
  EXPECT_EQ(cluster.links(), 10U);
  EXPECT_EQ(cluster.parting(1, 6), 0U);
  EXPECT_EQ(cluster.parting(1, 3), 1U);
  EXPECT_EQ(cluster.parting(3, 3), 2U);
  EXPECT_EQ(cluster.link(0, 6), 1U);
  EXPECT_EQ(cluster.link(1, 6), 8U);
}

TEST(DeviceLinks, AreThoseOfTheCluster) {
  for (const RunMachine& machine : {two_nodes(), on_run({{{"device", 5, 1, 0}}}),
                                    on_run({{{"rack", 3, 1, 0}, {"node", 2, 1, 0}, {"device", 3, 1, 0}}})}) {
    const Cluster cluster(machine);
    const DeviceLinks links(cluster);
    ASSERT_EQ(links.levels(), cluster.levels().size());
    for (std::int32_t a = 0; a < cluster.devices(); ++a) {
      for (std::size_t level = 0; level < links.levels(); ++level)
        EXPECT_EQ(links.link(level, a), cluster.link(level, a));
      for (std::int32_t b = 0; b < cluster.devices(); ++b) EXPECT_EQ(links.parting(a, b), cluster.parting(a, b));
    }
  }
}

TEST(Stretches, CutTheFirstDimensionThatIsLongEnough) {
  const Box box{Interval{1, 3}, Interval{10, 18}};
  EXPECT_EQ(stretch_of(box, 4, 1), (Box{Interval{1, 3}, Interval{12, 14}}));
  EXPECT_EQ(stretch_of(box, 2, 1), (Box{Interval{2, 3}, Interval{10, 18}}));
  EXPECT_TRUE(empty(stretch_of(box, 16, 0)));
  EXPECT_EQ(elements(stretch_of(box, 16, 15)), 2);
}

TEST(Stretches, OfAScalarAreOne) { EXPECT_EQ(elements(stretch_of(Box{}, 1, 0)), 1); }

RC_GTEST_PROP(Stretches, CoverABoxOnce, ()) {
  Box box;
  const int rank = *rc::gen::inRange(1, 4);
  for (int d = 0; d < rank; ++d) {
    const auto begin = *rc::gen::inRange<std::int64_t>(0, 5);
    box.push_back(Interval{begin, begin + *rc::gen::inRange<std::int64_t>(0, 20)});
  }
  const auto count = *rc::gen::inRange<std::int64_t>(1, 30);
  const std::vector<std::int64_t> each = stretch_elements(box, count);
  RC_ASSERT(static_cast<std::int64_t>(each.size()) == count);
  std::int64_t total = 0;
  for (std::int64_t s = 0; s < count; ++s) {
    const Box part = stretch_of(box, count, s);
    RC_ASSERT(contains(box, part));
    RC_ASSERT(each[static_cast<std::size_t>(s)] == elements(part));
    total += elements(part);
    for (std::int64_t other = 0; other < s; ++other) {
      const Box both = intersect(part, stretch_of(box, count, other));
      RC_ASSERT(empty(both));
    }
  }
  RC_ASSERT(total == elements(box));
}

// The example of transfer.hpp: the slow link carries the box once, and in eight stretches both hops overlap.
TEST(Transfers, DeviceZeroHoldsWhatTwoOfAnotherNodeNeed) {
  const auto on = mesh("n:2,d:4");
  const Box box{Interval{0, 64}};
  const std::vector<RelayTask> tasks{RelayTask{box, {0}, {4, 5}}};
  RelayRecipe recipe{1, 2, {{RelayPart{1, {0, 4}}}}};
  const auto transfer = transfer_of(tasks, recipe);
  ASSERT_TRUE(transfer.has_value());
  ASSERT_EQ(transfer->sends.size(), 2U);
  EXPECT_EQ(transfer->sends[0], (Send{0, 4, 0, 0}));
  EXPECT_EQ(transfer->sends[1], (Send{4, 5, 0, 1}));
  const Cluster cluster(two_nodes());
  const TransferCost cost(cluster, *transfer, 1);
  // A hop after the other: 64 bytes over the node's link, then over a device's.
  EXPECT_DOUBLE_EQ(cost.seconds(1), (0.5 + 64.0 / 8) + (0.25 + 64.0 / 64));
  // Nine slots of eight bytes, of which the first eight use the node's link.
  EXPECT_DOUBLE_EQ(cost.seconds(8), 8 * (0.5 + 1) + (0.25 + 0.125));
  EXPECT_EQ(cost.cost(8).received_bytes_total, 128);
  EXPECT_EQ(cost.cost(8).received_bytes_max, 64);
}

TEST(Recipes, AreReadAsTheyArePrinted) {
  const RelayRecipe recipe{8,
                           2,
                           {{RelayPart{1, {0, 4}}, RelayPart{2, {0, 5}}},
                            {RelayPart{1, {3, 7}}, RelayPart{2, {3, 8}}},
                            {RelayPart{1, {1}}}}};
  EXPECT_EQ(print(recipe), "8/2: 0 4, 2* 0 5; +3; 1");
  EXPECT_EQ(parse_relay_recipe(print(recipe)), recipe);
}

TEST(Recipes, OtherTextsAreRefused) {
  for (const char* text : {"", "8", "8/2", "8/2:", "0/1: 1", "1/0: 1", "1/1: x", "1/1: 1,", "1/1: 1;", "1/1: +1",
                           "1/1: 2*", "1/1: 99999999999999999999", "1/1: 1 >"}) {
    EXPECT_FALSE(parse_relay_recipe(text).has_value()) << text;
  }
}

TEST(Recipes, ThatDoNotFitAreRefused) {
  const std::vector<RelayTask> tasks{RelayTask{{Interval{0, 8}}, {0}, {1, 2}}};
  const auto fits = [&](const RelayRecipe& recipe) { return transfer_of(tasks, recipe).has_value(); };
  EXPECT_TRUE(fits({1, 2, {{RelayPart{1, {0, 1}}}}}));
  EXPECT_FALSE(fits({1, 1, {{RelayPart{1, {0, 1}}}}}));  // another number of hops
  EXPECT_FALSE(fits({1, 2, {{RelayPart{1, {2, 1}}}}}));  // a circle
  EXPECT_FALSE(fits({1, 1, {{RelayPart{1, {0}}}}}));     // somebody is left out
  EXPECT_FALSE(fits({1, 1, {{RelayPart{1, {0, 3}}}}}));  // the sender does not have it
  EXPECT_FALSE(fits({1, 1, {{RelayPart{0, {0, 0}}}}}));  // a part without weight
  EXPECT_FALSE(fits({1, 1, {}}));
}

}  // namespace
}  // namespace tessera::synth::test
