// The stop token of what a thread does.
#include "base/stop_scope.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tessera::base {
namespace {

TEST(ExampleOf, StopScope) {
  std::atomic<bool> flag = true;
  EXPECT_NO_THROW(look_for_stop());
  {
    const StopScope scope{StopToken(&flag)};
    EXPECT_THROW(look_for_stop(), Interrupted);
    // Work within that has no token of its own is still stopped.
    const StopScope inner{StopToken()};
    EXPECT_THROW(look_for_stop(), Interrupted);
  }
  EXPECT_NO_THROW(look_for_stop());
}

TEST(StopScope, IsOfItsThreadAndEndsWithItself) {
  std::atomic<bool> asked = true;
  std::atomic<bool> never = false;
  const StopScope scope{StopToken(&never)};
  std::thread([&] {
    const StopScope other{StopToken(&asked)};
    EXPECT_THROW(look_for_stop(), Interrupted);
  }).join();
  EXPECT_NO_THROW(look_for_stop());
  const auto stopped = guarded_until_stopped([&]() -> Status {
    const StopScope inner{StopToken(&asked)};
    look_for_stop();
    return Done{};
  });
  EXPECT_FALSE(stopped.ok());
  EXPECT_NO_THROW(look_for_stop());
}

}  // namespace
}  // namespace tessera::base
