// Programs of tests/cases on emulated GPUs, by one process and by three ranks: the same values to the bit, the same
// output and the same failures as on simulated devices.
//
// Kernels are compiled without the sanitizers of this build: what they reach beside an allocation is a page that nobody
// may touch, and device_tests runs every kind of kernel with them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tests/device/case_programs.hpp"
#include "tests/device/emulated_gpus.hpp"
#include "tests/device/random_tiles.hpp"
#include "tests/runtime/crowd.hpp"

namespace tessera::runtime::test {
namespace {

const int kKernelsArePlain = setenv("TESSERA_EMULATED_PLAIN", "1", 1);

// A sixth of all, from every folder; ranks have a part of these.
constexpr std::size_t kEvery = 6;
constexpr std::size_t kFirst = 2;
constexpr std::size_t kOfRanks = 3;

struct Gpus {
  std::vector<int> numbers;
  bool apart = false;
};

class GpuCases : public testing::TestWithParam<Gpus> {
 protected:
  GpuCases() {
    if (GetParam().apart) apart_.emplace("TESSERA_EMULATED_APART", "1");
  }

 private:
  std::optional<device::Environment> apart_;
};

// Complex numbers are pairs of their parts.
bool are_same(synth::ElementType element, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return device::are_same(synth::is_complex(element) ? synth::part_of(element) : element, a, b);
}

// Products are added up in order on both sides.
RanCase simulated(const LoweredCase& of) { return run_on(nullptr, of, Products::ordered); }

TEST_P(GpuCases, GiveTheBitsOfSimulatedDevices) {
  std::shared_ptr<Engine> engine = device::emulated_engine(GetParam().numbers);
  ASSERT_NE(engine, nullptr);
  int compared = 0;
  for_cases(kEvery, kFirst, [&](const LoweredCase& of) {
    const RanCase there = run_on(engine, of, Products::ordered);
    const RanCase here = simulated(of);
    EXPECT_EQ(there.output, here.output);
    EXPECT_EQ(there.failures, here.failures);
    EXPECT_EQ(there.peak_bytes, here.peak_bytes);
    ASSERT_EQ(there.values.size(), here.values.size());
    for (std::size_t k = 0; k < here.values.size(); ++k) {
      const synth::Literal& value = here.values[k];
      EXPECT_TRUE(are_same(value.element, there.values[k].bytes, value.bytes)) << "output " << k;
    }
    ++compared;
  });
  EXPECT_GT(compared, 100);
}

INSTANTIATE_TEST_SUITE_P(Places, GpuCases, testing::Values(Gpus{{0}}, Gpus{{0, 1}}, Gpus{{0, 1, 2}, true}),
                         [](const auto& about) {
                           return fmt::format("{}{}", about.param.apart ? "Apart" : "",
                                              fmt::join(about.param.numbers, ""));
                         });

// What is not as in the simulation of a rank's outcome.
std::string difference(const std::vector<Value>& mine, const std::vector<Value>& simulated) {
  for (std::size_t k = 0; k < simulated.size(); ++k) {
    const auto here = mine.at(k).on_host();
    if (!here) return here.errors().front().message;
    for (std::int64_t at = 0; at < here->type().devices(); ++at) {
      if (!here->has_device(at)) continue;
      const auto bytes_of = [&](const Value& value) {
        return std::vector<std::byte>(value.tile(at).begin(), value.tile(at).end());
      };
      if (!are_same(here->type().element(), bytes_of(*here), bytes_of(simulated[k])))
        return fmt::format("another tile of output {} on device {}", k, at);
    }
  }
  return {};
}

// Three ranks, each with a GPU of its own, or all with one.
void compare_on_ranks(const LoweredCase& of, bool is_shared) {
  const cases::RunFolder folder(of.settings);
  std::string expected;
  World alone = world_of(of, folder, expected);
  alone.ordered_products = true;
  const auto simulated = run(of.lowered.program, {}, alone);
  std::string output;
  const auto on_rank = [&](const std::shared_ptr<Team>& team) -> std::string {
    std::string others;
    World world = world_of(of, folder, team->rank() == 0 ? output : others);
    world.ordered_products = true;
    world.team = team;
    world.engine = device::emulated_engine({is_shared ? 0 : team->rank()});
    const auto outcome = run(of.lowered.program, {}, world);
    if (outcome.ok() != simulated.ok()) return outcome.ok() ? "goes well" : outcome.errors()[0].message;
    if (!outcome.ok()) return outcome.errors()[0].kind == simulated.errors()[0].kind ? "" : outcome.errors()[0].message;
    return difference(outcome->outputs, simulated->outputs);
  };
  EXPECT_THAT(in_crowd(Machines{0, 0, 0}, MemorySharing::off, on_rank), testing::IsEmpty());
  EXPECT_EQ(output, expected);
}

TEST(GpuCasesOnRanks, GiveTheBitsOfSimulatedDevices) {
  for_cases(kEvery * kOfRanks, kFirst, [](const LoweredCase& of) { compare_on_ranks(of, false); });
}
TEST(GpuCasesOnRanks, ThatShareAGpu) {
  for_cases(kEvery * kOfRanks, kFirst + kEvery, [](const LoweredCase& of) { compare_on_ranks(of, true); });
}

}  // namespace
}  // namespace tessera::runtime::test
