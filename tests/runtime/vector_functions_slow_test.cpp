#include <gtest/gtest.h>

#include "tests/runtime/function_errors.hpp"

namespace tessera::runtime::test {
namespace {

TEST(VectorFunctionsSlow, AreAsExactAsStatedForAllFloats) {
  for (const StatedError& stated : stated_errors())
    EXPECT_LE(worst_error_of_floats(stated.op, 1), stated.f32) << synth::name(stated.op);
}

}  // namespace
}  // namespace tessera::runtime::test
