#include "tessera/units.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Units, AreThoseOfMessages) {
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(exact_bytes_text(67108872), "64 MiB (67108872 bytes)");
  EXPECT_EQ(seconds_text(3.01536e-6), "3.015 us");
  EXPECT_EQ(bandwidth_text({"node", 2, 25e9, 5e-6}), "25 GB/s");
  EXPECT_EQ(bandwidth_text({.name = "node", .count = 2, .unit_bandwidths = {5e9, 10e9}}), "5 to 10 GB/s");
  EXPECT_EQ(modelled_text({}), "modelled: links of 100 GB/s and 1 us, assumed");
  EXPECT_EQ(modelled_text({{{"node", 2, 25e9, 5e-6}, {"device", 2, 2e11, 1e-6}}}),
            "modelled: node 25 GB/s and 5 us, device 200 GB/s and 1 us, as given");
}

}  // namespace
}  // namespace tessera
