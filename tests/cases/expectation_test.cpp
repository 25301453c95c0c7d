#include "tests/cases/expectation.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::cases {
namespace {

Section section(SectionKind kind, std::string body) { return Section{kind, "", std::move(body), 1}; }

Outcome small_outcome() {
  Outcome outcome;
  outcome.texts[SectionKind::types] = "a : i32[4@x]\n";
  outcome.counts = {{"all_gather", 2}, {"all_to_all", 0}, {"bytes", 96}};
  outcome.diagnostics = {{"2:1 error[unused-value] message", {"1:1 here"}, {"first", "second"}}};
  return outcome;
}

TEST(Expectation, ATextMustBeEqual) {
  EXPECT_EQ(expected_text(section(SectionKind::types, "b : i32\n"), small_outcome()), "a : i32[4@x]\n");
}

TEST(Expectation, WhatTheProgramDidNotReachHasNoAnswer) {
  EXPECT_EQ(expected_text(section(SectionKind::run, "1\n"), small_outcome()), std::nullopt);
}

TEST(Expectation, CountsAreThoseAskedFor) {
  EXPECT_EQ(expected_text(section(SectionKind::count, "bytes 1\nall_to_all 1\n"), small_outcome()),
            "bytes 96\nall_to_all 0\n");
  EXPECT_EQ(expected_text(section(SectionKind::count, ""), small_outcome()), "all_gather 2\nbytes 96\n");
  EXPECT_EQ(expected_text(section(SectionKind::count, "hops 1\n"), small_outcome()), std::nullopt);
}

TEST(Expectation, ErrorsSayAsMuchAsTheSectionDoes) {
  const Outcome outcome = small_outcome();
  const std::string header = "2:1 error[unused-value] message\n";
  const std::string also = "also: 1:1 here\n";
  const std::string help = "help: first\nhelp: second\n";
  EXPECT_EQ(expected_text(section(SectionKind::errors, "something\n"), outcome), header);
  EXPECT_EQ(expected_text(section(SectionKind::errors, "something\nhelp: x\n"), outcome), header + help);
  EXPECT_EQ(expected_text(section(SectionKind::errors, "something\nalso: x\n"), outcome), header + also);
  EXPECT_EQ(expected_text(section(SectionKind::errors, "\n"), outcome), header + also + help);
}

TEST(Bless, RewritesWhatDiffersAndAddsNothing) {
  CaseFile file;
  file.sections = {section(SectionKind::source, "let a = 1\n\n"), section(SectionKind::types, "old\n\n"),
                   section(SectionKind::count, "bytes 1\n")};
  const CaseFile after = blessed(file, small_outcome());
  EXPECT_EQ(print(after), "--- source\nlet a = 1\n\n--- types\na : i32[4@x]\n\n--- count\nbytes 96\n");
}

TEST(Bless, LeavesWhatAgreesAsItIsWritten) {
  CaseFile file;
  file.sections = {section(SectionKind::types, "a : i32[4@x]\n\n\n"), section(SectionKind::run, "kept\n")};
  EXPECT_EQ(print(blessed(file, small_outcome())), print(file));
}

}  // namespace
}  // namespace tessera::cases
