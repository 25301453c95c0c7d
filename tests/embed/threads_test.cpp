// Sessions and threads: each its own, and stop() from anywhere.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

// Long enough that nobody waits for its end, cheap enough to be stopped at once.
constexpr const char* kLong = "let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }";

TEST(Stop, EndsARunFromAnotherThread) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("let kept = 7")));
  std::atomic<bool> done = false;
  std::thread stopper([&] {
    // Stopping is only heard during a run, so it is said until the run has ended.
    while (!done) {
      recording.session.stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto report = recording.session.run(kLong);
  done = true;
  stopper.join();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(slug_of(report.diagnostics()), "interrupted");
  // Nothing is lost, and the next run is not stopped.
  EXPECT_FALSE(recording.session.get("a").ok());
  ASSERT_TRUE(succeeded(recording.session.run("print kept")));
  EXPECT_EQ(*recording.text, "7\n");
}

TEST(Stop, BeforeARunIsNotHeard) {
  Session session;
  session.stop();
  EXPECT_TRUE(succeeded(session.run("let a = 1")));
}

TEST(Stop, DoesNotReachForks) {
  Session session;
  Session fork = session.fork();
  Config config;
  config.output = [&](std::string_view) { session.stop(); };
  Session stopping(config);
  session = stopping.fork();
  EXPECT_TRUE(succeeded(fork.run("let a = 1\nlet b = 2")));
}

TEST(Stop, FromTheOutputStopsBeforeTheNextStep) {
  Session* running = nullptr;
  std::string text;
  Config config;
  config.output = [&](std::string_view written) {
    text += written;
    running->stop();
  };
  Session session(config);
  running = &session;
  EXPECT_EQ(slug_of(session.run("print \"one\"\nprint \"two\"").diagnostics()), "interrupted");
  EXPECT_EQ(text, "one\n");
}

// A plan that takes about a tenth of a second is given up.
TEST(Stop, EndsPlanning) {
  PlanRequest request{.mesh = "a:4,b:4,c:4,d:4,e:4,f:4,g:4,h:4",
                      .from = "f32[65537@(a,b,c,d),65539@(e,f,g,h)]",
                      .to = "f32[65537@(h,g,f,e),65539@(d,c,b,a)]"};
  request.stop = StopToken();
  std::thread stopper([token = *request.stop]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    token.stop();
  });
  const auto plan = make_plan(request);
  stopper.join();
  EXPECT_EQ(slug_of(plan.diagnostics()), "interrupted");
}

// Many sessions and forks at work at once: each gets what it would get alone.
TEST(Threads, SessionsAreIndependent) {
  Recording origin;
  ASSERT_TRUE(succeeded(origin.session.run("mesh m = [x: 4, y: 2]\nlet a = iota(f32[16@y, 16@x])")));
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&texts, i, fork = origin.session.fork()]() mutable {
      for (int round = 0; round < 20; ++round) {
        const auto done =
            fork.run("let a = (a + " + std::to_string(i) + ".0) as [16@(x,y), 16]\nlet a = a as [16@y, 16@x]");
        if (!done.ok()) texts[i] = done.diagnostics()[0].message;
      }
      if (texts[i].empty()) texts[i] = fork.get("a").value().text();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Session alone = origin.session.fork();
    ASSERT_TRUE(succeeded(alone.run("let a = a + " + std::to_string(20 * i) + ".0")));
    EXPECT_EQ(texts[i], alone.get("a").value().text()) << i;
  }
}

}  // namespace
}  // namespace tessera
