// Generated programs mean the same on every mesh, and every stage of theirs prints and reads back.
//
// TESSERA_FULL=1 in the environment takes 1,000 programs instead of 200; TESSERA_SEED=N takes the one of that
// seed, TESSERA_SEED=N..M those from N to M.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/differential/checks.hpp"
#include "tests/generator/generator.hpp"

namespace tessera::differential {
namespace {

constexpr std::uint64_t kChunks = 20;

std::uint64_t programs() { return std::getenv("TESSERA_FULL") != nullptr ? 1000 : 200; }

void expect_same_everywhere(std::uint64_t seed) {
  const generator::Program program = generator::generate(seed);
  const auto failure = check_program(program);
  if (failure.has_value()) ADD_FAILURE() << report(program, *failure);
}

class Generated : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Generated, ProgramsMeanTheSameOnEveryMesh) {
  for (std::uint64_t seed = GetParam(); seed <= programs(); seed += kChunks) expect_same_everywhere(seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Generated, testing::Range(std::uint64_t{1}, kChunks + 1));

TEST(GeneratedOne, IsTheSeedAskedFor) {
  const char* seed = std::getenv("TESSERA_SEED");
  if (seed == nullptr) GTEST_SKIP() << "TESSERA_SEED is not set";
  char* end = nullptr;
  const std::uint64_t first = std::strtoull(seed, &end, 10);
  const std::uint64_t last = *end == '.' ? std::strtoull(end + 2, nullptr, 10) : first;
  for (std::uint64_t each = first; each <= last; ++each) expect_same_everywhere(each);
}

}  // namespace
}  // namespace tessera::differential
