#include "base/bytes_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tessera::base {
namespace {

TEST(BytesText, HasFourDigitsThatCount) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(4096), "4 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(67108872), "64 MiB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::int64_t>::max()), "8 EiB");
}

TEST(BytesText, TheExactNumberStandsBesideRoundedDigits) {
  EXPECT_EQ(exact_bytes_text(1023), "1023 B");
  EXPECT_EQ(exact_bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(exact_bytes_text(67108864), "64 MiB");
  EXPECT_EQ(exact_bytes_text(67108872), "64 MiB (67108872 bytes)");
  EXPECT_EQ(exact_bytes_text((std::int64_t{1} << 60U) + 1), "1 EiB (1152921504606846977 bytes)");
}

}  // namespace
}  // namespace tessera::base
