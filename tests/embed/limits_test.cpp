// The limits that a host sets a program that it does not trust: one that goes beyond is refused, and changes nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <tessera/function.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

// Long enough that nobody waits for its end.
constexpr const char* kEndless = "let e = loop w = 0.0 for i < 1000000000 { w + 1.0 }\n";

// The session refuses the text, keeps what it had, and takes what is within the limit.
void expect_refused(const Config& config, const std::string& text, const std::string& slug, const std::string& within) {
  Recording recording(config);
  ASSERT_TRUE(succeeded(recording.session.run("let kept = 7\n")));
  const auto refused = recording.session.run(text);
  ASSERT_FALSE(refused.ok()) << text;
  EXPECT_EQ(slug_of(refused.diagnostics()), slug) << text;
  EXPECT_FALSE(refused.diagnostics().front().labels.empty()) << "no place of " << text;
  EXPECT_EQ(recording.session.names().size(), 1U);
  EXPECT_TRUE(succeeded(recording.session.run(within))) << within;
}

TEST(Limits, OfNesting) {
  Config config;
  config.nesting_max = 5;
  expect_refused(config, "let a = ((((((1))))))\n", "nested-too-deeply", "let a = (((1)))\n");
  // More than the language allows is not allowed by a host.
  config.nesting_max = 1'000'000;
  expect_refused(config, "let a = " + std::string(300, '(') + "1" + std::string(300, ')') + "\n", "nested-too-deeply",
                 "let a = ((((((1))))))\n");
}

TEST(Limits, OfDevices) {
  Config config;
  config.devices_max = 8;
  expect_refused(config, "mesh m = [x: 3, y: 3]\n", "too-many-devices", "mesh m = [x: 4, y: 2]\n");
}

// Texts that mean far more than they say are refused where the memory would not do, and before it is taken.
TEST(Limits, OfMemoryForChecking) {
  Config config;
  config.memory_bytes_max = 16 << 20;
  std::string doubling = "fn g0(v: f32) = v * v\n";
  for (int k = 1; k < 60; ++k) {
    const std::string before = "g" + std::to_string(k - 1) + "(v)";
    doubling += "fn g" + std::to_string(k) + "(v: f32) = " + before + " + " + before + "\n";
  }
  std::string many = "let a = [0";
  for (int k = 0; k < 20'000; ++k) many += ",0";
  expect_refused(config, doubling + "print g59(1.0)\n", "program-too-large", doubling + "print g5(1.0)\n");
  expect_refused(config, doubling + "print grad(g59)(1.0)\n", "check-too-large",
                 doubling + "let (y, dy) = grad(g5)(1.0)\n");
  expect_refused(config, many + "]\n", "source-too-large", "let a = [0, 0]\n");
  Session session(config);
  const auto refused = session.run("# " + std::string(1 << 21, 'x') + "\n");
  EXPECT_EQ(slug_of(refused.diagnostics()), "bad-call");
  EXPECT_NE(refused.diagnostics().front().message.find("Config::memory_bytes_max"), std::string::npos);
}

TEST(Limits, OfSteps) {
  Config config;
  config.steps_max = 100;
  expect_refused(config, "let a = loop w = 0.0 for i < 101 { w + 1.0 }\n", "too-many-steps",
                 "let a = loop w = 0.0 for i < 20 { w + 1.0 }\n");
  // The limit is of each run, not of all together.
  Session session(config);
  for (int run = 0; run < 20; ++run)
    ASSERT_TRUE(succeeded(session.run("let a = loop w = 0.0 for i < 20 { w + 1.0 }\n")));
}

TEST(Limits, OfOutput) {
  Config config;
  config.output_bytes_max = 10;
  expect_refused(config, "print \"eleven....\"\n", "too-much-output", "print \"nine.....\"\n");
  Recording recording(config);
  const auto refused = recording.session.run("print \"four\"\nprint \"four\"\nprint \"four\"\n");
  EXPECT_EQ(slug_of(refused.diagnostics()), "too-much-output");
  EXPECT_EQ(refused.diagnostics().front().labels.front().place.line, 3U);
  EXPECT_EQ(*recording.text, "four\nfour\n");
}

TEST(Limits, OfSeconds) {
  Config config;
  config.seconds_max = 1;
  const auto begin = std::chrono::steady_clock::now();
  expect_refused(config, kEndless, "over-time", "let a = 1\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  Session session(config);
  EXPECT_EQ(slug_of(session.run(kEndless).diagnostics()), "over-time");
  // The time begins anew with each call, and a check after it is not stopped.
  EXPECT_TRUE(succeeded(session.check("let a = 1\n")));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_TRUE(succeeded(session.run("let a = 1\n")));
}

TEST(Limits, OfSecondsForAFunction) {
  Config config;
  config.seconds_max = 1;
  config.stop = StopToken();
  Session session(config);
  ASSERT_TRUE(succeeded(session.run("fn f(n: i64) = loop w = 0.0 for i < n { w + 1.0 }\n")));
  const auto f = session.function("f", {"i64"});
  ASSERT_TRUE(succeeded(f));
  const std::vector<std::int64_t> rounds = {1'000'000'000, 3};
  const auto endless = session.array("i64", {&rounds[0]}, nullptr);
  const auto few = session.array("i64", {&rounds[1]}, nullptr);
  std::vector<std::thread> threads;
  std::vector<std::string> slugs(2);
  threads.emplace_back([&] { slugs[0] = slug_of(f->call({*endless}).diagnostics()); });
  threads.emplace_back([&] {
    // Another call's time is not over with it.
    for (int call = 0; call < 100 && slugs[1].empty(); ++call) {
      const auto results = f->call({*few});
      if (!results || results->front().to_vector<float>()->front() != 3) slugs[1] = slug_of(results.diagnostics());
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(slugs, (std::vector<std::string>{"over-time", ""}));
  config.stop->stop();
  EXPECT_EQ(slug_of(f->call({*few}).diagnostics()), "interrupted");
}

// However short the text, and whatever the call: nothing of it is kept.
TEST(Limits, OfHardlyAnySeconds) {
  for (const double seconds : {1e-9, 1e-300}) {
    Config config;
    config.seconds_max = seconds;
    Session session(config);
    EXPECT_EQ(slug_of(session.check("let a = 1\n").diagnostics()), "over-time");
    for (int run = 0; run < 20; ++run) EXPECT_EQ(slug_of(session.run("let a = 1\n").diagnostics()), "over-time");
    EXPECT_TRUE(session.names().empty());
    Session before;
    ASSERT_TRUE(succeeded(before.run("fn f(v: f32) = v\n")));
    Session late = before.fork(config);
    EXPECT_EQ(slug_of(late.function("f", {"f32"}).diagnostics()), "over-time");
    EXPECT_EQ(slug_of(late.run("let a = 1\n").diagnostics()), "over-time");
  }
}

// A host that has computed a limit wrongly learns it, and has no session without limits.
TEST(Limits, ThatAreNone) {
  const auto refused = [](const Config& config, const std::string& name) {
    for (const bool is_fork : {false, true}) {
      Session session = is_fork ? Session().fork(config) : Session(config);
      const std::vector<float> host(2, 1);
      const Diagnostics all[] = {session.run("let a = 1\n").diagnostics(), session.check("let a = 1\n").diagnostics(),
                                 session.function("f").diagnostics(), session.set("a", host, {2}).diagnostics(),
                                 session.array("f32[2]", {host.data()}, nullptr).diagnostics()};
      for (const Diagnostics& why : all) {
        EXPECT_EQ(slug_of(why), "bad-call");
        EXPECT_NE(why.front().message.find("Config::" + name), std::string::npos) << why.front().message;
      }
    }
  };
  for (const double seconds : {-1.0, -1e-300, std::nan("")}) {
    Config config;
    config.seconds_max = seconds;
    refused(config, "seconds_max");
  }
  const std::pair<const char*, std::int64_t Config::*> counts[] = {{"memory_bytes_max", &Config::memory_bytes_max},
                                                                   {"text_bytes_max", &Config::text_bytes_max},
                                                                   {"nesting_max", &Config::nesting_max},
                                                                   {"devices_max", &Config::devices_max},
                                                                   {"steps_max", &Config::steps_max},
                                                                   {"output_bytes_max", &Config::output_bytes_max}};
  for (const auto& [name, member] : counts) {
    for (const std::int64_t limit : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      Config config;
      config.*member = limit;
      refused(config, name);
    }
  }
  Config endless;
  endless.seconds_max = std::numeric_limits<double>::infinity();
  endless.memory_bytes_max = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(succeeded(Session(endless).run("let a = 1\n")));
}

TEST(Limits, AStopIsNoEndOfTheTime) {
  Session* running = nullptr;
  Config config;
  config.seconds_max = 100;
  config.output = [&](std::string_view) { running->stop(); };
  Session session(config);
  running = &session;
  EXPECT_EQ(slug_of(session.run("print 1\nprint 2\n").diagnostics()), "interrupted");
}

}  // namespace
}  // namespace tessera
