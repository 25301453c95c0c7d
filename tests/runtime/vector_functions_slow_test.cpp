#include <gtest/gtest.h>

#include <iostream>

#include "tests/runtime/function_errors.hpp"

namespace tessera::runtime::test {
namespace {

TEST(VectorFunctionsSlow, AreAsExactAsStatedForAllFloats) {
  for (const StatedError& stated : stated_errors()) {
    const double worst = worst_error_of_floats(stated.op, 1);
    std::cout << synth::name(stated.op) << ": " << worst << std::endl;
    EXPECT_LE(worst, stated.f32) << synth::name(stated.op);
  }
}

}  // namespace
}  // namespace tessera::runtime::test
