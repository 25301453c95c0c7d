// The yardstick: every planner on random changes of layout of every class.
#include "tests/synth/planner/yardstick.hpp"

namespace tessera::synth::test {
namespace {

// Builds that are slow to run take fewer.
#ifdef NDEBUG
constexpr std::size_t kProblems = 200;
#else
constexpr std::size_t kProblems = 100;
#endif

class Yardstick : public ::testing::TestWithParam<bench::ProblemClass> {};

TEST_P(Yardstick, HasItsKnownFigures) { expect_known_figures(GetParam(), kProblems); }

INSTANTIATE_TEST_SUITE_P(Classes, Yardstick, ::testing::ValuesIn(bench::all_classes()), test_name);

}  // namespace
}  // namespace tessera::synth::test
