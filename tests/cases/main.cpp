// Registers one test for each .case file below tests/cases and runs them.
//
//   tessera_cases [--bless] [--filter TEXT] [--folder FOLDER] [--gpu LIST] [GoogleTest's options]
//
// --bless rewrites what the files expect to what comes of their programs; --filter takes only cases whose path, or name
// as ctest prints it, holds the text. That none does is an error. --folder is where the cases are. With --gpu each
// program runs on the host and on these GPUs, and has to come to the same, instead of what its file expects.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/cases/case_file.hpp"
#include "tests/cases/evaluate.hpp"
#include "tests/cases/expectation.hpp"
#include "tests/cases/on_gpus.hpp"

namespace tessera::cases {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool bless = false;
  std::string filter;
  std::string gpus;
  fs::path folder = fs::path(TESSERA_SOURCE_DIR) / "tests" / "cases";
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class CaseTest : public testing::Test {
 public:
  CaseTest(fs::path path, bool bless, std::string gpus)
      : path_(std::move(path)), bless_(bless), gpus_(std::move(gpus)) {}

  void TestBody() override {
    const auto file = read_case(read_file(path_));
    if (const auto* faults = std::get_if<Faults>(&file)) return fail(*faults);
    const auto settings = read_settings(std::get<CaseFile>(file));
    if (const auto* faults = std::get_if<Faults>(&settings)) return fail(*faults);
    const std::string name = path_.filename().string();
    if (!gpus_.empty()) return compare_on_gpus(std::get<CaseFile>(file), std::get<Settings>(settings), name);
    const Evaluation evaluation = evaluate(std::get<CaseFile>(file), std::get<Settings>(settings), name);
    for (const std::string& fault : evaluation.faults) ADD_FAILURE() << path_.string() << ": " << fault;
    if (bless_)
      bless(std::get<CaseFile>(file), evaluation.outcome);
    else
      compare(std::get<CaseFile>(file), evaluation.outcome);
  }

 private:
  void fail(const Faults& faults) const {
    for (const std::string& fault : faults) ADD_FAILURE() << path_.string() << ":" << fault;
  }

  void compare_on_gpus(const CaseFile& file, const Settings& settings, const std::string& name) const {
    const OnGpus compared = compared_on_gpus(file, settings, name, gpus_);
    if (!compared.runs) GTEST_SKIP() << "nothing runs";
    std::string steps;
    for (const auto& [step, count] : compared.host_steps)
      steps += fmt::format("{}{} {}", steps.empty() ? "" : ", ", step, count);
    if (!steps.empty()) fmt::print("on the host: {}\n", steps);
    for (const std::string& fault : compared.faults) ADD_FAILURE() << path_.string() << ": " << fault;
  }

  void compare(const CaseFile& file, const Outcome& outcome) const {
    for (const Section& section : file.sections) {
      if (use(section.kind) != SectionUse::expectation) continue;
      const std::string place = fmt::format("{}:{}: `{}`", path_.string(), section.line, name(section.kind));
      const auto text = expected_text(section, outcome);
      if (!text.has_value())
        ADD_FAILURE() << place << " has no answer: the program does not get that far";
      else
        EXPECT_EQ(std::string(content(section)), *text) << place;
    }
  }

  void bless(const CaseFile& file, const Outcome& outcome) const {
    const std::string before = print(file);
    const std::string after = print(blessed(file, outcome));
    if (before == after) return;
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << after;
    fmt::print("blessed {}\n", path_.string());
  }

  fs::path path_;
  bool bless_;
  std::string gpus_;
};

std::vector<fs::path> case_files(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".case") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// GoogleTest's filters read `-` and `:` as signs of their own.
std::string test_name(std::string text) {
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

// Gives whether the filter takes it.
bool register_case(const fs::path& folder, const fs::path& path, const Options& options) {
  const fs::path relative = path.lexically_relative(folder);
  const std::string suite = relative.has_parent_path() ? test_name(relative.parent_path().string()) : "cases";
  const std::string name = test_name(relative.stem().string());
  const std::string known_as = fmt::format("{} cases.{}.{}", relative.string(), suite, name);
  if (known_as.find(options.filter) == std::string::npos) return false;
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, path.c_str(), 1,
                        [path, bless = options.bless, gpus = options.gpus]() -> testing::Test* {
                          return new CaseTest(path, bless, gpus);
                        });
  return true;
}

// Reads the words that GoogleTest has left of the command line; nothing if they are not ours either.
std::optional<Options> read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--bless")
      options.bless = true;
    else if (word == "--filter" && i + 1 < count)
      options.filter = words[++i];
    else if (word == "--folder" && i + 1 < count)
      options.folder = words[++i];
    else if (word == "--gpu" && i + 1 < count)
      options.gpus = words[++i];
    else
      return std::nullopt;
  }
  return options;
}

}  // namespace
}  // namespace tessera::cases

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  const auto options = tessera::cases::read_options(count, words);
  if (!options.has_value()) {
    fmt::print(
        stderr,
        "usage: tessera_cases [--bless] [--filter TEXT] [--folder FOLDER] [--gpu LIST] [GoogleTest's options]\n");
    return 2;
  }
  bool any = false;
  for (const auto& path : tessera::cases::case_files(options->folder))
    any = tessera::cases::register_case(options->folder, path, *options) || any;
  if (!any) {
    fmt::print(stderr, "tessera_cases: no case has `{}` in its path or name\n", options->filter);
    return 2;
  }
  return RUN_ALL_TESTS();
}
