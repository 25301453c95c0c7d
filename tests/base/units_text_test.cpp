#include "base/units_text.hpp"

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

TEST(SecondsText, HasTheGreatestUnitThatLeavesAtLeastOne) {
  EXPECT_EQ(seconds_text(0), "0 s");
  EXPECT_EQ(seconds_text(1.6e-10), "0.16 ns");
  EXPECT_EQ(seconds_text(3.01536e-6), "3.015 us");
  EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
  EXPECT_EQ(seconds_text(0.99994), "999.9 ms");
  EXPECT_EQ(seconds_text(0.99996), "1 s");
  EXPECT_EQ(seconds_text(75), "75 s");
  EXPECT_EQ(seconds_text(123456.7), "123457 s");
}

}  // namespace
}  // namespace tessera::base
