#include <gtest/gtest.h>

#include "tests/embed/accuracy.hpp"

namespace tessera {
namespace {

TEST(Accuracy, OfAHundredMillionTerms) { expect_accurate(100'000'000); }

}  // namespace
}  // namespace tessera
