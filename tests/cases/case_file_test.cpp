#include "tests/cases/case_file.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::cases {
namespace {

const std::string kSmall = R"(# What this is about.

--- source
mesh m = [x: 2]
let a = iota(i32[4@x])

--- skip one-device: it is about the mesh
--- types
a : i32[4@x]
)";

CaseFile read(std::string_view text) {
  auto outcome = read_case(text);
  if (const auto* faults = std::get_if<Faults>(&outcome)) {
    for (const std::string& fault : *faults) ADD_FAILURE() << fault;
    return {};
  }
  return std::get<CaseFile>(std::move(outcome));
}

// The first fault of a text that must have one.
std::string fault(std::string_view text) {
  auto outcome = read_case(text);
  const auto* faults = std::get_if<Faults>(&outcome);
  return faults == nullptr ? "none" : faults->front();
}

TEST(CaseFile, HoldsItsSections) {
  const CaseFile file = read(kSmall);
  ASSERT_EQ(file.sections.size(), 3U);
  EXPECT_EQ(content(*file.find(SectionKind::source)), "mesh m = [x: 2]\nlet a = iota(i32[4@x])\n");
  EXPECT_EQ(content(*file.find(SectionKind::types)), "a : i32[4@x]\n");
  EXPECT_EQ(file.find(SectionKind::types)->line, 8U);
  EXPECT_EQ(file.find(SectionKind::run), nullptr);
}

TEST(CaseFile, PrintsAsItWasWritten) { EXPECT_EQ(print(read(kSmall)), kSmall); }

TEST(CaseFile, KeepsAMissingLineEndAtItsEnd) {
  const std::string text = "--- source\nlet a = 1\n--- types\na : i64";
  EXPECT_EQ(print(read(text)), text);
}

TEST(CaseFile, SaysWhyACheckIsSkipped) {
  const CaseFile file = read(kSmall);
  EXPECT_EQ(file.skipped(Check::one_device), "it is about the mesh");
  EXPECT_EQ(file.skipped(Check::other_mesh), std::nullopt);
}

TEST(CaseFile, ASettingStandsOnTheLineOrBelow) {
  EXPECT_EQ(setting(Section{SectionKind::reshard, "warn", "", 1}), "warn");
  EXPECT_EQ(setting(Section{SectionKind::reshard, "", "\nwarn\n\n", 1}), "warn");
}

TEST(CaseFile, AnEmptyBodyHasNoContent) {
  EXPECT_EQ(content(Section{SectionKind::errors, "", "", 1}), "");
  EXPECT_EQ(content(Section{SectionKind::errors, "", "\n", 1}), "");
  EXPECT_EQ(content(Section{SectionKind::errors, "", "\n\n\n", 1}), "");
  EXPECT_EQ(content(Section{SectionKind::run, "", "\nx\n\n\n", 1}), "\nx\n");
}

TEST(CaseFaults, AnEmptyCase) {
  EXPECT_EQ(fault(""), "1: there is no program (`--- source`)");
  EXPECT_EQ(fault("--- source\n\n--- types\n"), "1: there is no program (`--- source`)");
  EXPECT_EQ(fault("--- source\nlet a = 1\n"), "1: nothing is expected of the program");
}

TEST(CaseFaults, AnUnknownSection) {
  EXPECT_EQ(fault("--- source\nlet a = 1\n--- tpyes\n"), "3: no section is called that: --- tpyes");
}

TEST(CaseFaults, ASecondSectionOfAKind) {
  EXPECT_EQ(fault("--- source\nlet a = 1\n--- types\n--- types\n"), "4: a second `types`");
}

TEST(CaseFaults, OptionsWhereThereAreNone) {
  EXPECT_EQ(fault("--- source\nlet a = 1\n--- run now\n"), "3: `run` takes no options");
}

TEST(CaseFaults, TextBeforeTheFirstSection) {
  EXPECT_EQ(fault("let a = 1\n--- source\nlet a = 1\n--- run\n"),
            "1: before the first section there are only comments");
}

TEST(CaseFaults, ASkipWithoutAReasonOrACheck) {
  const std::string start = "--- source\nlet a = 1\n--- run\n--- skip ";
  EXPECT_EQ(fault(start + "run\n"), "4: say why, as in `--- skip run: reason`");
  EXPECT_NE(fault(start + "ruin: too slow\n").find("4: no check is called `ruin`"), std::string::npos);
  EXPECT_EQ(fault(start + "run: too slow\ntext\n"), "4: a skip has no text");
}

}  // namespace
}  // namespace tessera::cases
