// The shares that near senders leave to others, against a search of all ways to divide them in small steps.
#include "synth/moves/collective/relief.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tessera::synth {
namespace {

// How long the busiest takes, from the definition: who sends what over which link.
double busiest(const std::vector<UnitHolders>& holders, double replicas, const LinksBetween& links) {
  std::vector<double> into = links.brought_into;
  std::vector<double> out_of(into.size(), 0.0);
  double most = 0;
  for (const UnitHolders& mine : holders) {
    double sent_out = mine.sent_far;
    for (const UnitHolders& other : holders) {
      if (other.cell == mine.cell && other.unit != mine.unit) sent_out += other.from_far / (replicas - other.count);
    }
    most = std::max(most, sent_out + (mine.fetched - mine.from_far) / mine.count);
    out_of[mine.unit] += mine.count * sent_out;
    into[mine.unit] += mine.from_far;
  }
  for (std::size_t unit = 0; unit < into.size(); ++unit) {
    most = std::max({most, into[unit] / links.bandwidth, out_of[unit] / links.bandwidth});
  }
  return most;
}

// The shortest time over all shares in steps of an eighth, from the one at `at` on.
double shortest(std::vector<UnitHolders>& holders, std::size_t at, double replicas, const LinksBetween& links) {
  if (at == holders.size()) return busiest(holders, replicas, links);
  double best = 1e300;
  const bool only_holders = holders[at].count == replicas;
  for (int eighths = 0; eighths <= (only_holders ? 0 : 8); ++eighths) {
    holders[at].from_far = holders[at].fetched * eighths / 8;
    best = std::min(best, shortest(holders, at + 1, replicas, links));
  }
  return best;
}

TEST(Relief, FartherHoldersSendWhatANeighbourWouldBeBusyWith) {
  // Two units with a holder each; only the first has something to send. Its link is as fast as two devices'.
  std::vector<UnitHolders> holders{{0, 0, 1, 12, 0, 0}, {0, 1, 1, 0, 0, 0}};
  relieve(holders, 1, 2, LinksBetween{2, {0, 0}}, 4);
  EXPECT_NEAR(holders[0].from_far, 6, 0.05);
  EXPECT_EQ(holders[1].from_far, 0);
}

TEST(Relief, NoMoreThanEnough) {
  std::vector<UnitHolders> holders{{0, 0, 1, 12, 0, 0}, {0, 1, 1, 0, 0, 0}};
  relieve(holders, 1, 2, LinksBetween{2, {0, 0}}, 8);
  EXPECT_NEAR(holders[0].from_far, 4, 0.05);
}

TEST(Relief, ALinkThatIsBusyAnywayBringsNothing) {
  std::vector<UnitHolders> holders{{0, 0, 1, 12, 0, 0}, {0, 1, 1, 0, 0, 0}};
  relieve(holders, 1, 2, LinksBetween{1, {12, 0}}, 4);
  EXPECT_EQ(holders[0].from_far, 0);
}

TEST(Relief, WhoHoldsACellAloneIsLeftAlone) {
  std::vector<UnitHolders> holders{{0, 0, 2, 12, 0, 0}};
  relieve(holders, 1, 2, LinksBetween{8, {0}}, 1);
  EXPECT_EQ(holders[0].from_far, 0);
}

RC_GTEST_PROP(Relief, IsAsGoodAsASearchOfAllShares, ()) {
  const auto units = *rc::gen::inRange<std::size_t>(2, 4);
  const auto cells = *rc::gen::inRange<std::size_t>(1, 3);
  const double each = *rc::gen::inRange(1, 3);
  const double replicas = each * static_cast<double>(units);
  LinksBetween links;
  links.bandwidth = *rc::gen::element(0.1, 0.5, 1.0, 2.0, 5.0);
  for (std::size_t unit = 0; unit < units; ++unit) links.brought_into.push_back(*rc::gen::inRange(0, 4));
  std::vector<UnitHolders> holders;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double sent_far = *rc::gen::inRange(0, 3);
    for (std::size_t unit = 0; unit < units; ++unit) {
      if (holders.size() == 4) break;  // enough for a search
      holders.push_back({cell, unit, each, static_cast<double>(*rc::gen::element(0, 0, 4, 8, 24)), sent_far, 0});
    }
  }
  std::vector<UnitHolders> searched = holders;
  const double without = busiest(holders, replicas, links);
  relieve(holders, cells, replicas, links, 0);
  const double found = busiest(holders, replicas, links);
  for (const UnitHolders& of : holders) RC_ASSERT(of.from_far >= 0 && of.from_far <= of.fetched);
  RC_ASSERT(found <= without * (1 + 1e-9));
  // What gains less than a tenth is not tried for.
  const double best = shortest(searched, 0, replicas, links);
  RC_ASSERT(found <= best * 1.01 || best > without * 0.899);
}

}  // namespace
}  // namespace tessera::synth
