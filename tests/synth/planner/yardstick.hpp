// The planners on the yardstick's problems, held against what they are known to reach.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "bench/planner/scores.hpp"

namespace tessera::bench {

// `powers_of_two_even_extents_flat_64_GiB`: what tests are called.
void PrintTo(const ProblemClass& problems, std::ostream* out);

}  // namespace tessera::bench

namespace tessera::synth::test {

// Plans so many problems of a class with every planner. Ours solves all, keeps the bound, is never slower than a rival
// that keeps it, and stays as near to the bound of time as it was measured to be; the rivals do what models of them
// did. A plan counts as solved if the verifier takes it: no array is larger than promised, and the plan is not faster
// than its bound.
void expect_known_figures(const bench::ProblemClass& problems, std::size_t count);

std::string test_name(const ::testing::TestParamInfo<bench::ProblemClass>& info);

}  // namespace tessera::synth::test
