// The findings of the runner about programs, shown on small ones.
#include "tests/cases/evaluate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tessera::cases {
namespace {

Evaluation evaluated(std::string_view text) {
  const auto file = read_case(text);
  if (const auto* faults = std::get_if<Faults>(&file)) return {{}, *faults};
  const auto settings = read_settings(std::get<CaseFile>(file));
  if (const auto* faults = std::get_if<Faults>(&settings)) return {{}, *faults};
  return evaluate(std::get<CaseFile>(file), std::get<Settings>(settings), "test.case");
}

void expect_no_faults(const Evaluation& evaluation) {
  for (const std::string& fault : evaluation.faults) ADD_FAILURE() << fault;
}

const std::string kGather =
    "--- source\n"
    "mesh m = [x: 4]\n"
    "let a = iota(i32[8@x])\n"
    "let b = a as [8]\n"
    "print b\n"
    "--- types\n";

TEST(Evaluate, TypesPlansCountsAndOutputOfAProgram) {
  const Evaluation evaluation = evaluated(kGather);
  expect_no_faults(evaluation);
  const auto& texts = evaluation.outcome.texts;
  EXPECT_EQ(texts.at(SectionKind::types), "a : i32[8@x]\nb : i32[8]\n");
  EXPECT_EQ(texts.at(SectionKind::run), "[0 1 2 3 4 5 6 7]\n");
  EXPECT_NE(texts.at(SectionKind::plan).find("explicit `as`: all_gather x: dim 0 gives i32[8]\n"), std::string::npos)
      << texts.at(SectionKind::plan);
  EXPECT_EQ(evaluation.outcome.counts.at("all_gather"), 1);
  EXPECT_EQ(evaluation.outcome.counts.at("all_to_all"), 0);
  EXPECT_EQ(evaluation.outcome.counts.at("bytes"), 4 * 3 * 8);
  EXPECT_EQ(evaluation.outcome.counts.at("inserted"), 0);
}

TEST(Evaluate, AnErrorIsReportedWhereItIs) {
  const Evaluation evaluation = evaluated("--- source\nlet a = b\n--- errors\n");
  expect_no_faults(evaluation);
  ASSERT_EQ(evaluation.outcome.diagnostics.size(), 1U);
  EXPECT_EQ(evaluation.outcome.diagnostics[0].header, "1:9 error[unknown-name] there is no variable `b` here");
  EXPECT_EQ(evaluation.outcome.texts.count(SectionKind::types), 0U);
}

TEST(Evaluate, AnErrorThatNoSectionExpectsIsAFault) {
  const Evaluation evaluation = evaluated("--- source\nlet a = b\n--- types\n");
  ASSERT_EQ(evaluation.faults.size(), 1U);
  EXPECT_TRUE(evaluation.faults[0].starts_with("unexpected: 1:9 error[unknown-name]")) << evaluation.faults[0];
}

// Rounding differs with the order of a sum, so other devices print other digits.
TEST(Evaluate, AProgramWhoseResultDependsOnItsDevicesNeedsATolerance) {
  const std::string text =
      "--- source\n"
      "mesh m = [x: 4]\n"
      "let a = random(f32[1000@x], 7)\n"
      "let s = sum(a)\n"
      "--- types\n";
  EXPECT_FALSE(evaluated(text).faults.empty());
  expect_no_faults(evaluated(text + "--- tolerance 1e-5\n"));
}

TEST(Evaluate, ASkippedRunHasNoOutput) {
  const Evaluation evaluation = evaluated(kGather + "--- skip run: the types are what it is about\n");
  expect_no_faults(evaluation);
  EXPECT_EQ(evaluation.outcome.texts.count(SectionKind::run), 0U);
}

TEST(Evaluate, AToleranceThatNothingNeedsIsAFault) {
  const Evaluation evaluation = evaluated(kGather + "--- tolerance 1e-6\n");
  ASSERT_EQ(evaluation.faults.size(), 1U);
  EXPECT_TRUE(evaluation.faults[0].starts_with("tolerance: ")) << evaluation.faults[0];
}

}  // namespace
}  // namespace tessera::cases
