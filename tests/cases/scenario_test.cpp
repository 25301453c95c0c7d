#include "tests/cases/scenario.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tessera::cases {
namespace {

CaseFile with(SectionKind kind, std::string options, std::string body) {
  CaseFile file;
  file.sections.push_back(Section{kind, std::move(options), std::move(body), 1});
  return file;
}

Settings read(const CaseFile& file) {
  const auto outcome = read_settings(file);
  if (const auto* faults = std::get_if<Faults>(&outcome)) {
    ADD_FAILURE() << faults->front();
    return {};
  }
  return std::get<Settings>(outcome);
}

bool refused(const CaseFile& file) { return std::holds_alternative<Faults>(read_settings(file)); }

TEST(Settings, AreReadFromTheirSections) {
  EXPECT_EQ(read(with(SectionKind::define, "", "N=4\nM=N * 2\n\n")).defines.at("M"), "N * 2");
  EXPECT_EQ(read(with(SectionKind::reshard, "error", "\n")).reshard, Reshard::error);
  EXPECT_EQ(read(with(SectionKind::tolerance, "1e-6", "")).tolerance, 1e-6);
  EXPECT_EQ(read(with(SectionKind::files, "", "save(a, \"a.npy\")\n\n")).files, "save(a, \"a.npy\")\n");
  const Settings settings = read(with(SectionKind::machine, "", "node 2 1e9 1e-5\ndevice 4 100e9 1e-6\n"));
  ASSERT_EQ(settings.machine.size(), 2U);
  EXPECT_EQ(settings.machine[1].name, "device");
  EXPECT_EQ(settings.machine[1].count, 4);
  EXPECT_EQ(read(with(SectionKind::machine, "", "devices 2 1e12 100e9 1000\n")).devices.at(0).memory_bytes, 1000);
}

TEST(Settings, WhatTheyCannotBeIsRefused) {
  EXPECT_TRUE(refused(with(SectionKind::define, "N", "")));
  EXPECT_TRUE(refused(with(SectionKind::reshard, "loud", "")));
  EXPECT_TRUE(refused(with(SectionKind::tolerance, "0", "")));
  EXPECT_TRUE(refused(with(SectionKind::tolerance, "small", "")));
  EXPECT_TRUE(refused(with(SectionKind::machine, "node two", "")));
  EXPECT_TRUE(refused(with(SectionKind::machine, "", "devices 2 1e12\n")));
}

TEST(RunFolder, IsThereAsLongAsTheObject) {
  std::string path;
  {
    const RunFolder folder{Settings{}};
    path = folder.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
    EXPECT_TRUE(folder.problems().empty());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RunText, GivesWhatWasPrintedAndWhatIsBound) {
  const RunRecord record = run_text("let a = iota(i32[3])\nprint a\n", "test", {}, KeepValues::yes);
  EXPECT_TRUE(record.diagnostics.empty());
  EXPECT_EQ(record.output, "[0 1 2]\n");
  ASSERT_EQ(record.values.count("a"), 1U);
  EXPECT_EQ(record.values.at("a").shape, std::vector<std::int64_t>{3});
  EXPECT_EQ(record.values.at("a").bytes.size(), 12U);
}

TEST(RunText, FindsTheFilesThatWereAskedFor) {
  Settings settings;
  settings.files = "save(iota(i32[4]), \"a.npy\")\n";
  const RunRecord record = run_text("print load(\"a.npy\", i32[4])\n", "test", settings, KeepValues::no);
  EXPECT_EQ(record.output, "[0 1 2 3]\n");
}

TEST(RunText, ReportsWhatIsWrong) {
  const RunRecord record = run_text("print b\n", "test", {}, KeepValues::no);
  ASSERT_EQ(record.diagnostics.size(), 1U);
  EXPECT_EQ(record.diagnostics[0].slug, "unknown-name");
}

}  // namespace
}  // namespace tessera::cases
