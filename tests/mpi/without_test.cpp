#include <gtest/gtest.h>

#include "runtime/kinds.hpp"
#include "runtime/mpi/mpi.hpp"

namespace tessera::runtime {
namespace {

TEST(WithoutMpi, SaysSo) {
  EXPECT_EQ(mpi_name(), "");
  const auto messenger = make_messenger(0);
  ASSERT_FALSE(messenger.ok());
  EXPECT_EQ(messenger.errors().front().kind, Kind::mpi_missing);
  const auto started = start_mpi();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.errors().front().kind, Kind::mpi_missing);
}

}  // namespace
}  // namespace tessera::runtime
