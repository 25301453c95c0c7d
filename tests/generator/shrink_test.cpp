#include "tests/generator/shrink.hpp"

#include <gtest/gtest.h>

#include "tests/generator/generator.hpp"

namespace tessera::generator {
namespace {

bool holds(const Program& program, const std::string& part) {
  return tessera_text(program, kOneDevice).find(part) != std::string::npos;
}

// The first program from a seed on whose text holds a part.
Program program_with(const std::string& part) {
  for (std::uint64_t seed = 1;; ++seed) {
    Program program = generate(seed);
    if (holds(program, part) && program.statements.size() > 10) return program;
  }
}

TEST(Shrink, LeavesLittleButTheCulprit) {
  const Program program = program_with("transpose(");
  const Program small =
      shrunk(program, [](const Program& candidate) { return holds(candidate, "transpose(") ? "found" : ""; });
  EXPECT_TRUE(holds(small, "transpose("));
  EXPECT_EQ(small.statements.size(), 1U);
  EXPECT_LE(size(*small.statements[0].value), 8U) << tessera_text(small, kOneDevice);
}

TEST(Shrink, KeepsTheKindOfFailure) {
  const Program program = program_with("transpose(");
  const Program small = shrunk(program, [](const Program& candidate) {
    if (candidate.statements.size() < 4) return "another";
    return holds(candidate, "transpose(") ? "found" : "";
  });
  EXPECT_EQ(small.statements.size(), 4U);
}

}  // namespace
}  // namespace tessera::generator
