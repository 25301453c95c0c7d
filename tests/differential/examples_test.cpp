// The examples give on other devices what they give on one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cases/stages.hpp"
#include "tests/cases/variants.hpp"
#include "tests/differential/checks.hpp"

namespace tessera::differential {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(TESSERA_SOURCE_DIR "/examples")) {
    if (entry.path().extension() == ".tess") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string read_example(const std::string& name) {
  std::ifstream in(TESSERA_SOURCE_DIR "/examples/" + name + ".tess");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Each mesh axis in turn takes the next size.
cases::Resize resize_in_turn(const std::vector<std::int64_t>& sizes) {
  return [sizes, next = std::size_t{0}](cases::Size) mutable -> cases::Size { return sizes[next++ % sizes.size()]; };
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, GiveTheSameOnEveryMesh) {
  const std::string text = read_example(GetParam());
  const auto alone = cases::on_other_devices(text, cases::one_device);
  if (!alone.has_value()) GTEST_SKIP() << "it declares no mesh";
  const cases::RunRecord expected = cases::run_text(*alone, GetParam(), {}, cases::KeepValues::yes);
  const std::vector<std::vector<std::int64_t>> meshes = {{2, 3}, {5, 1}, {7, 1}, {2, 2, 3}, {4, 2}, {3}};
  for (const auto& sizes : meshes) {
    const auto there = cases::on_other_devices(text, resize_in_turn(sizes));
    const cases::RunRecord actual = cases::run_text(*there, GetParam(), {}, cases::KeepValues::yes);
    // Floats are added in another order there.
    for (const std::string& fault : cases::differences(expected, actual, 1e-3))
      ADD_FAILURE() << testing::PrintToString(sizes) << ": " << fault;
  }
}

TEST_P(Examples, PrintAndReadBack) {
  const auto failure = check_stages(read_example(GetParam()));
  EXPECT_FALSE(failure.has_value()) << *failure;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param; });

}  // namespace
}  // namespace tessera::differential
