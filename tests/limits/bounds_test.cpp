// Whatever a text asks for, a session with limits answers within them: memory while it is read, checked, planned and
// run, and the time until a stop, or the end of the time that is allowed, is heeded.
#include <gtest/gtest.h>
#include <ctime>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/limits/expect.hpp"
#include "tests/limits/large_texts.hpp"
#include "tests/limits/memory_in_use.hpp"

namespace tessera::limits {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Processor time of this process: another program on the machine does not make it longer.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class LargeTexts : public ::testing::TestWithParam<LargeText> {};

std::string name_of(const ::testing::TestParamInfo<LargeText>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Limits, LargeTexts, ::testing::ValuesIn(large_texts(6)), name_of);

// docs/embedding.md states the factor.
TEST_P(LargeTexts, StayWithinTheMemoryThatIsAllowed) {
  constexpr std::int64_t kLimit = 24 << 20;
  constexpr std::int64_t kFactor = 5;
  Config config;
  config.memory_bytes_max = kLimit;
  config.seconds_max = 1.5;
  Session session(config);
  const MemoryInUse memory;
  const auto done = session.run(GetParam().text);
  expect_no_bug(done, GetParam().name);
  RecordProperty("megabytes", std::to_string(memory.most() >> 20));
  RecordProperty("outcome", done.ok() ? "done" : done.diagnostics().front().slug);
  EXPECT_LT(memory.most(), kFactor * kLimit) << (done.ok() ? "done" : done.diagnostics().front().slug);
  EXPECT_TRUE(session.run("let after = 1\n").ok());
}

// A stop that is asked for at any time, or the end of the time.
TEST_P(LargeTexts, EndSoonAfterAStop) {
  constexpr double kSoon = 0.2;
  for (const double after : {0.02, 0.15}) {
    for (const bool by_token : {true, false}) {
      Config config;
      config.stop = StopToken();
      config.memory_bytes_max = std::int64_t{1} << 30;
      if (!by_token) config.seconds_max = after;
      Session session(config);
      const double begin = now();
      double processor_at_stop = 0;
      std::thread stopping([&] {
        std::this_thread::sleep_for(std::chrono::duration<double>(after));
        processor_at_stop = processor_seconds();
        if (by_token) config.stop->stop();
      });
      const auto done = session.run(GetParam().text);
      const double late = now() - begin - after;
      const double worked = processor_seconds();
      stopping.join();
      expect_no_bug(done, GetParam().name);
      EXPECT_FALSE(late > 0.05 && done.ok() && !by_token) << GetParam().name;
      EXPECT_TRUE(late < kSoon || worked - processor_at_stop < 2 * kSoon)
          << GetParam().name << ": " << late << " s, of the processor " << worked - processor_at_stop << " s";
    }
  }
}

// A print of so many arrays that their texts take seconds.
std::string long_print() {
  std::string text = "let a = iota(f32[64, 64])\nprint a";
  for (int k = 0; k < 50'000; ++k) text += ", a";
  return text + "\n";
}

TEST(LongPrint, EndsSoonAfterAStop) {
  Config config;
  config.stop = StopToken();
  Session session(config);
  const auto program = session.check(long_print());
  ASSERT_TRUE(program.ok());
  double at_stop = 0;
  std::thread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    at_stop = processor_seconds();
    config.stop->stop();
  });
  const auto done = session.run(*program);
  const double end = processor_seconds();
  stopping.join();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.diagnostics().front().slug, "interrupted");
  EXPECT_LT(end - at_stop, 0.4);
}

TEST(LongPrint, EndsWhereNoMoreMayBeWritten) {
  Config config;
  config.output_bytes_max = 100'000;
  Session session(config);
  const auto program = session.check(long_print());
  ASSERT_TRUE(program.ok());
  const double begin = processor_seconds();
  const auto done = session.run(*program);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.diagnostics().front().slug, "too-much-output");
  EXPECT_LT(processor_seconds() - begin, 0.4);
}

// A plan counts arrays, so ids are not copied to be read.
TEST(Ids, AreReadWhereTheyLie) {
  Session session;
  ASSERT_TRUE(session.run("let table = iota(f32[1000])\nlet ids = iota(i32[2000000]) % 1000\n").ok());
  const MemoryInUse memory;
  ASSERT_TRUE(session.run("let taken = take(table, ids)\n").ok());
  ASSERT_TRUE(session.run("let sums = bincount(ids, 1000, weights=taken)\n").ok());
  EXPECT_LT(memory.most(), 1 << 20);  // arrays have memory of their own
}

}  // namespace
}  // namespace tessera::limits
