#include <gtest/gtest.h>

#include "tests/embed/accuracy.hpp"

namespace tessera {
namespace {

TEST(Accuracy, OfTenThousandTerms) { expect_accurate(10'000); }
// Enough for additions one after the other to lose what each adds.
TEST(Accuracy, OfAMillionTerms) { expect_accurate(1'000'000); }

}  // namespace
}  // namespace tessera
