// Gradients of random functions are their slopes, and the same on every mesh and in every layout.
//
// TESSERA_FULL=1 in the environment takes 5,000 functions instead of 200; TESSERA_SEED=N takes the one of that seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/differential/gradient_programs.hpp"
#include "tests/differential/outcome.hpp"

namespace tessera::differential {
namespace {

constexpr std::uint64_t kChunks = 20;

std::uint64_t functions() { return std::getenv("TESSERA_FULL") != nullptr ? 5000 : 200; }

// The elements of `gradient`, as T.
template <class T>
std::vector<double> numbers(const Outcome& outcome) {
  const auto found = outcome.values.find("gradient");
  if (found == outcome.values.end()) return {};
  std::vector<T> all(found->second.bytes.size() / sizeof(T));
  std::memcpy(all.data(), found->second.bytes.data(), all.size() * sizeof(T));
  return {all.begin(), all.end()};
}

void expect_slopes(std::uint64_t seed) {
  std::vector<double> first;
  for (const generator::MeshSizes mesh : {generator::MeshSizes{1, 1, 1}, generator::MeshSizes{2, 3, 1}}) {
    const std::string text = gradient_program(seed, mesh);
    const Outcome outcome = run(text);
    ASSERT_EQ(outcome.failure, "") << "TESSERA_SEED=" << seed << "\n" << text;
    const std::vector<double> own = numbers<double>(outcome);
    ASSERT_EQ(own.size(), 12U) << text;
    if (first.empty()) first = own;
    for (std::size_t k = 0; k < own.size(); ++k)
      ASSERT_LE(std::abs(own[k] - first[k]), 1e-9 * (1 + std::abs(first[k]))) << "TESSERA_SEED=" << seed << "\n"
                                                                              << text;
  }
}

double largest(const std::vector<double>& numbers) {
  double most = 0;
  for (const double number : numbers) most = std::max(most, std::abs(number));
  return most;
}

// One function in six random layouts, on three meshes, against itself on one device.
void expect_one_gradient(std::uint64_t seed) {
  std::vector<double> first;
  for (std::uint64_t layouts = 0; layouts < 7; ++layouts) {
    constexpr std::array<generator::MeshSizes, 3> kMeshes = {{{4, 2, 1}, {2, 3, 1}, {1, 5, 1}}};
    const generator::MeshSizes mesh = layouts == 0 ? generator::kOneDevice : kMeshes[layouts % kMeshes.size()];
    const std::string text = gradient_program_f32(seed, layouts, mesh);
    const Outcome outcome = run(text);
    ASSERT_EQ(outcome.failure, "") << "TESSERA_SEED=" << seed << "\n" << text;
    const std::vector<double> own = numbers<float>(outcome);
    ASSERT_EQ(own.size(), 12U) << text;
    if (first.empty()) first = own;
    const double near = 1e-6 * (1 + largest(first));
    for (std::size_t k = 0; k < own.size(); ++k)
      ASSERT_LE(std::abs(own[k] - first[k]), near) << "TESSERA_SEED=" << seed << "\n" << text;
  }
}

class Gradients : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Gradients, AreSlopesOnEveryMesh) {
  for (std::uint64_t seed = GetParam(); seed <= functions(); seed += kChunks) expect_slopes(seed);
}

TEST_P(Gradients, AreTheSameInEveryLayout) {
  for (std::uint64_t seed = GetParam(); seed <= functions(); seed += kChunks) expect_one_gradient(seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Gradients, testing::Range(std::uint64_t{1}, kChunks + 1));

TEST(GradientsOne, IsTheSeedAskedFor) {
  const char* seed = std::getenv("TESSERA_SEED");
  if (seed == nullptr) GTEST_SKIP() << "TESSERA_SEED is not set";
  expect_slopes(std::strtoull(seed, nullptr, 10));
  expect_one_gradient(std::strtoull(seed, nullptr, 10));
}

}  // namespace
}  // namespace tessera::differential
