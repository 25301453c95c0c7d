// All programs of tests/cases on an engine whose memory the host cannot look into: the same values to the bit, and the
// same failures, as on the host.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/device/case_programs.hpp"
#include "tests/device/far_engine.hpp"
#include "tests/runtime/crowd.hpp"

namespace tessera::runtime::test {
namespace {

void compare_all(FarSteps steps) {
  for_cases(1, 0, [&](const LoweredCase& of) {
    const RanCase there = run_on(std::make_shared<FarEngine>(steps), of);
    const RanCase here = run_on(nullptr, of);
    EXPECT_EQ(there.output, here.output);
    EXPECT_EQ(there.failures, here.failures);
    EXPECT_EQ(there.peak_bytes, here.peak_bytes);
    ASSERT_EQ(there.values.size(), here.values.size());
    for (std::size_t k = 0; k < here.values.size(); ++k)
      EXPECT_EQ(there.values[k].bytes, here.values[k].bytes) << "output " << k;
  });
}

// What is not as the host's in a rank's outcome.
std::string difference(const std::vector<Value>& mine, const std::vector<Value>& simulated) {
  for (std::size_t k = 0; k < simulated.size(); ++k) {
    const Value here = *mine.at(k).on_host();
    for (std::int64_t device = 0; device < here.type().devices(); ++device) {
      if (here.has_device(device) && !std::ranges::equal(here.tile(device), simulated[k].tile(device)))
        return fmt::format("another tile of output {} on device {}", k, device);
    }
  }
  return {};
}

// Three ranks, each with an engine of its own.
void compare_on_ranks(const LoweredCase& of) {
  const cases::RunFolder folder(of.settings);
  const RanCase here = run_on(nullptr, of);
  std::string ignored;
  const auto simulated = run(of.lowered.program, {}, world_of(of, folder, ignored));
  std::string output;
  const auto on_rank = [&](const std::shared_ptr<Team>& team) -> std::string {
    std::string others;
    World world = world_of(of, folder, team->rank() == 0 ? output : others);
    world.team = team;
    world.engine = std::make_shared<FarEngine>(FarSteps::some, static_cast<unsigned>(team->rank()) + 1);
    const auto outcome = run(of.lowered.program, {}, world);
    if (outcome.ok() != simulated.ok()) return outcome.ok() ? "goes well" : outcome.errors()[0].message;
    return outcome.ok() ? difference(outcome->outputs, simulated->outputs) : "";
  };
  EXPECT_THAT(in_crowd(Machines{0, 0, 0}, MemorySharing::off, on_rank), testing::IsEmpty());
  EXPECT_EQ(output, here.output);
}

TEST(FarCases, GiveTheHostsBitsInStepsOfTheEngine) { compare_all(FarSteps::all); }
TEST(FarCases, GiveTheHostsBitsInStepsOnTheHost) { compare_all(FarSteps::none); }
TEST(FarCases, GiveTheHostsBitsInStepsOfBoth) { compare_all(FarSteps::some); }
TEST(FarCases, GiveTheHostsBitsOnRanks) { for_cases(5, 0, compare_on_ranks); }

}  // namespace
}  // namespace tessera::runtime::test
