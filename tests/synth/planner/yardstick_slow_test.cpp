// The whole yardstick, on which the figures in docs/redistribution.md were measured.
#include "tests/synth/planner/yardstick.hpp"

namespace tessera::synth::test {
namespace {

class WholeYardstick : public ::testing::TestWithParam<bench::ProblemClass> {};

TEST_P(WholeYardstick, HasItsKnownFigures) { expect_known_figures(GetParam(), 3000); }

INSTANTIATE_TEST_SUITE_P(Classes, WholeYardstick, ::testing::ValuesIn(bench::all_classes()), test_name);

}  // namespace
}  // namespace tessera::synth::test
