// Choosing on as many random programs as say something.
#include "tests/synth/choose/choose_properties.hpp"

#include <gtest/gtest.h>

namespace tessera::synth::test {
namespace {

TEST(Choice, IsWhatTryingEverythingFindsOnTwoThousand) { expect_equal_to_enumeration(2000, 11); }
TEST(Choice, IsFoundByAscentEliminationAndWalkAlikeOnAThousand) { expect_agreement(1000, 12); }
TEST(Choice, HasNoBetterRivalOnFiveHundred) { expect_no_better_rival(500, 13); }
TEST(Choice, ByRoundsIsNearTheBestOnSixty) { expect_rounds_near_the_best(60, 14); }

}  // namespace
}  // namespace tessera::synth::test
