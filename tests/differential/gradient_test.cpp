// Gradients of random functions are their slopes, and the same on every mesh.
//
// TESSERA_FULL=1 in the environment takes 5,000 functions instead of 200; TESSERA_SEED=N takes the one of that seed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/differential/gradient_programs.hpp"
#include "tests/differential/outcome.hpp"

namespace tessera::differential {
namespace {

constexpr std::uint64_t kChunks = 20;

std::uint64_t functions() { return std::getenv("TESSERA_FULL") != nullptr ? 5000 : 200; }

std::vector<double> numbers(const Outcome& outcome) {
  const auto found = outcome.values.find("gradient");
  if (found == outcome.values.end()) return {};
  std::vector<double> all(found->second.bytes.size() / sizeof(double));
  std::memcpy(all.data(), found->second.bytes.data(), all.size() * sizeof(double));
  return all;
}

void expect_slopes(std::uint64_t seed) {
  std::vector<double> first;
  for (const generator::MeshSizes mesh : {generator::MeshSizes{1, 1, 1}, generator::MeshSizes{2, 3, 1}}) {
    const std::string text = gradient_program(seed, mesh);
    const Outcome outcome = run(text);
    ASSERT_EQ(outcome.failure, "") << "TESSERA_SEED=" << seed << "\n" << text;
    const std::vector<double> own = numbers(outcome);
    ASSERT_EQ(own.size(), 12U) << text;
    if (first.empty()) first = own;
    for (std::size_t k = 0; k < own.size(); ++k)
      ASSERT_LE(std::abs(own[k] - first[k]), 1e-9 * (1 + std::abs(first[k]))) << "TESSERA_SEED=" << seed << "\n"
                                                                              << text;
  }
}

class Gradients : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Gradients, AreSlopesOnEveryMesh) {
  for (std::uint64_t seed = GetParam(); seed <= functions(); seed += kChunks) expect_slopes(seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Gradients, testing::Range(std::uint64_t{1}, kChunks + 1));

TEST(GradientsOne, IsTheSeedAskedFor) {
  const char* seed = std::getenv("TESSERA_SEED");
  if (seed == nullptr) GTEST_SKIP() << "TESSERA_SEED is not set";
  expect_slopes(std::strtoull(seed, nullptr, 10));
}

}  // namespace
}  // namespace tessera::differential
