// Generated numpy_programs give what NumPy gives: both are printed from one expression tree, and run apart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/differential/numpy_script.hpp"
#include "tests/generator/generator.hpp"

namespace tessera::differential {
namespace {

namespace fs = std::filesystem;

// The first and the last seed: 1 to 100, with TESSERA_FULL=1 to 5000, or as TESSERA_SEED=N..M says.
std::pair<std::uint64_t, std::uint64_t> seeds() {
  const char* asked = std::getenv("TESSERA_SEED");
  if (asked == nullptr) return {1, std::getenv("TESSERA_FULL") != nullptr ? 5000 : 100};
  char* end = nullptr;
  const std::uint64_t first = std::strtoull(asked, &end, 10);
  return {first, *end == '.' ? std::strtoull(end + 2, nullptr, 10) : first};
}

class NumPy : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system(TESSERA_PYTHON " -c 'import numpy' > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "NumPy is not installed for " TESSERA_PYTHON " (Debian: apt install python3-numpy)";
    }
    folder_ = (fs::temp_directory_path() / "tessera-numpy-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  void compute(const std::vector<generator::Program>& all) const {
    const std::string path = folder_ + "/numpy_programs.py";
    std::ofstream(path) << numpy_script(all, folder_);
    ASSERT_EQ(run_python(path), 0);
  }

  std::string folder_;
};

void expect_equal(const generator::Program& program, const Outcome& own, const Outcome& numpy) {
  const std::string text = tessera_text(program, program.mesh);
  ASSERT_EQ(own.failure, "") << text;
  ASSERT_EQ(numpy.failure, "") << text << "\n" << numpy_text(program);
  for (const generator::Statement& statement : program.statements) {
    for (std::size_t k = 0; k < statement.names.size(); ++k) {
      const std::string& name = statement.names[k];
      ASSERT_TRUE(own.values.contains(name)) << name << "\n" << text;
      const auto found =
          difference(statement.facts[k], own.values.at(name), numpy.values.at(name), Yardstick::implementation);
      EXPECT_FALSE(found.has_value()) << "seed " << program.seed << ", `" << name << "`, here and in NumPy: " << *found
                                      << "\n"
                                      << text << "\n"
                                      << numpy_text(program);
      if (found.has_value()) return;  // what is made of it differs too
    }
  }
}

TEST_F(NumPy, GivesTheSame) {
  std::vector<generator::Program> all;
  const auto [first, last] = seeds();
  for (std::uint64_t seed = first; seed <= last; ++seed) all.push_back(generator::generate(seed));
  ASSERT_NO_FATAL_FAILURE(compute(all));
  for (const generator::Program& program : all) {
    expect_equal(program, run(tessera_text(program, program.mesh)), numpy_outcome(program, folder_));
  }
}

}  // namespace
}  // namespace tessera::differential
