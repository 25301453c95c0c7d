// Tokens of one call: they stop that call and no other, from any thread and from a signal handler.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <string>
#include <tessera/array_type.hpp>
#include <tessera/function.hpp>
#include <thread>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

// Takes minutes unless it is stopped, or no time at all.
constexpr const char* kLong =
    "mesh m = [x: 2]\n"
    "fn long(n: i64) -> f32 = loop s = 0.0 for i < n { s + sum(iota(f32[1000@x])) }\n";
constexpr std::int64_t kForEver = 1000000000;

class CallStop : public testing::Test {
 protected:
  explicit CallStop(Config config = {}) : session_(std::move(config)) {
    EXPECT_TRUE(succeeded(session_.run(kLong)));
    function_.emplace(session_.function("long").value());
  }
  std::vector<Array> argument(std::int64_t count) {
    EXPECT_TRUE(succeeded(session_.set<std::int64_t>("count", {count}, {})));
    return {session_.get("count").value()};
  }
  static std::string slug(const Result<std::vector<Array>>& result) { return slug_of(result.diagnostics()); }

  Session session_;
  std::optional<Function> function_;
};

TEST_F(CallStop, EndsItsOwnCallAlone) {
  const auto forever = argument(kForEver);
  const auto short_one = argument(100);
  for (int turn = 0; turn < 3; ++turn) {
    StopToken mine;
    StopToken others;
    std::thread stopper([mine]() mutable {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      mine.stop();
    });
    std::atomic<int> done = 0;
    std::thread beside([&] {
      for (int call = 0; call < 20; ++call) done += function_->call(short_one, others).ok() ? 1 : 0;
    });
    EXPECT_EQ(slug(function_->call(forever, mine)), "interrupted");
    stopper.join();
    beside.join();
    EXPECT_EQ(done, 20);
    EXPECT_FALSE(others.asked());
    EXPECT_TRUE(succeeded(function_->call(short_one)));
    EXPECT_TRUE(succeeded(function_->call(short_one, others)));
  }
}

TEST_F(CallStop, ADeadTokenSaysWhatToType) {
  StopToken dead;
  dead.stop();
  const auto refused = function_->call(argument(1), dead);
  ASSERT_EQ(slug(refused), "interrupted");
  EXPECT_NE(refused.diagnostics().front().help.find("new StopToken"), std::string::npos);
}

StopToken* token_of_handler = nullptr;

TEST_F(CallStop, ASignalHandlerMayAsk) {
  struct sigaction action{};
  action.sa_handler = [](int) { token_of_handler->stop(); };
  struct sigaction before{};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const auto forever = argument(kForEver);
  const pthread_t self = pthread_self();
  for (int turn = 0; turn < 10; ++turn) {
    StopToken token;
    token_of_handler = &token;
    std::thread raiser([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + turn));
      pthread_kill(self, SIGUSR1);
    });
    EXPECT_EQ(slug(function_->call(forever, token)), "interrupted");
    raiser.join();
  }
  sigaction(SIGUSR1, &before, nullptr);
}

// Links come and go on some threads while others ask and sessions have the token, too.
TEST(StopTokens, AreAskedWhileLinksComeAndGo) {
  for (int turn = 0; turn < 20; ++turn) {
    StopToken token;
    std::atomic<bool> asked = false;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, token] {
        Config config;
        config.stop = token;
        while (!asked) Session kept(config);
        Session late(config);
        EXPECT_EQ(slug_of(late.run("let a = 1\n").diagnostics()), "interrupted");
      });
    }
    for (int ask = 0; ask < 100; ++ask) token.stop();
    asked = true;
    for (std::thread& thread : threads) thread.join();
  }
}

class LimitedCallStop : public CallStop {
 protected:
  static Config limited(const StopToken& token) {
    Config config;
    config.stop = token;
    config.seconds_max = 0.05;
    return config;
  }
  LimitedCallStop() : LimitedCallStop(StopToken()) {}
  explicit LimitedCallStop(StopToken token) : CallStop(limited(token)), all_(token) {}
  StopToken all_;
};

TEST_F(LimitedCallStop, TheTimeAndTheTokenOfAllCallsStopItToo) {
  StopToken own;
  EXPECT_EQ(slug(function_->call(argument(kForEver), own)), "over-time");
  EXPECT_FALSE(own.asked());
  const auto forever = argument(kForEver);
  all_.stop();
  EXPECT_EQ(slug(function_->call(forever, own)), "interrupted");
  EXPECT_FALSE(own.asked());
}

TEST(ReadType, GivesWhatAHostNeedsForItsMemory) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2, y: 2]\nlet n = 5\n")));
  for (int again = 0; again < 2; ++again) {
    const auto type = session.read_type("f32[n@x, 3]");
    ASSERT_TRUE(succeeded(type));
    EXPECT_EQ(type->text, "f32[5@x, 3]");
    EXPECT_EQ(type->element, Element::f32);
    EXPECT_EQ(type->shape, (std::vector<std::int64_t>{5, 3}));
    EXPECT_FALSE(type->is_pending);
    ASSERT_EQ(type->tiles.size(), 4U);
    EXPECT_EQ(type->tiles[1], (Box{{0, 2}, {0, 3}}));
    EXPECT_EQ(type->tiles[2], (Box{{2, 5}, {0, 3}}));
  }
  EXPECT_TRUE(session.read_type("f32[4]{+x}")->is_pending);
  EXPECT_EQ(slug_of(session.read_type("f32[4@z]").diagnostics()), "unknown-axis");
}

}  // namespace
}  // namespace tessera
