// run() as a whole: memory, the stop flag, statistics, outputs.
#include "runtime/execute/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Run, InputsPassThroughUntouched) {
  Builder builder("x:2");
  const RegisterId in = builder.input("f32[4@x]");
  builder.output(in);
  builder.output(builder.apply(synth::Map{MapOp::negate}, {in}, "f32[4@x]"));
  builder.output(in);
  const Value value = value_of(counting<float>(Shape{4}), "f32[4@x]", builder.mesh());
  const auto outcome = run_well(builder.program(), {value});
  EXPECT_EQ(outcome.outputs[0].tile(1).data(), value.tile(1).data());
  EXPECT_EQ(outcome.outputs[2].tile(0).data(), value.tile(0).data());
  EXPECT_THAT(gathered<float>(outcome.outputs[1]).values(), ElementsAre(0, -1, -2, -3));
}

TEST(ExampleOf, Executor) {
  Builder builder("x:2");
  const RegisterId halves = builder.apply(synth::Iota{}, {}, "f32[4@x]");
  builder.output(builder.collect(synth::CollectiveKind::all_gather, halves, "f32[4]"));
  const auto outcome = run_well(builder.program());
  std::int64_t received = 0;
  std::int64_t peak = 0;
  for (const OriginStatistics& origin : outcome.statistics) {
    received += origin.received_bytes;
    peak = std::max(peak, origin.peak_bytes);
  }
  EXPECT_EQ(received, 16);
  EXPECT_EQ(peak, 8 + 16);
  EXPECT_THAT(gathered<float>(outcome.outputs[0]).values(), ElementsAre(0, 1, 2, 3));
}

TEST(Run, ViewsAreHandedOutDenseAndAligned) {
  Builder builder("x:3");
  const RegisterId in = builder.input("f32[6, 7]");
  const RegisterId columns = builder.collect(synth::CollectiveKind::slice, in, "f32[6, 7@x]");
  const RegisterId rows = builder.collect(synth::CollectiveKind::slice, in, "f32[6@x, 7]");
  builder.output(columns);
  builder.output(rows);
  builder.output(builder.apply(synth::Reshape{}, {in}, "f32[42]"));
  const auto array = counting<float>(Shape{6, 7});
  const auto outcome = run_well(builder.program(), {value_of(array, "f32[6, 7]", builder.mesh())});
  for (const Value& value : outcome.outputs) {
    EXPECT_EQ(gather(value)->bytes, array.bytes);
    for (std::int64_t device = 0; device < 3; ++device) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value.tile(device).data()) % 64, 0U);
    }
  }
}

TEST(Run, LargeOutputsOutliveEachOther) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f64[50000@x]");
  const RegisterId b = builder.apply(synth::Scan{0}, {builder.apply(synth::Iota{}, {}, "f64[30000]")}, "f64[30000]");
  const RegisterId c = builder.apply(synth::Map{MapOp::negate}, {a}, "f64[50000@x]");
  for (const RegisterId id : {a, b, c, a}) builder.output(id);
  auto outcome = run_well(builder.program());
  outcome.outputs.erase(outcome.outputs.begin());
  EXPECT_EQ(gathered<double>(outcome.outputs[2])[49999], 49999);
  outcome.outputs.pop_back();
  EXPECT_EQ(gathered<double>(outcome.outputs[1])[49999], -49999);
  outcome.outputs.pop_back();
  EXPECT_EQ(gathered<double>(outcome.outputs[0])[29999], 29999.0 * 30000 / 2);
}

TEST(Run, TooLittleMemoryIsRefusedBeforeTheFirstStep) {
  Builder builder("x:2");
  builder.effect(synth::PrintText{builder.string("started")});
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[1000]");
  const RegisterId b = builder.apply(synth::Scan{0}, {a}, "f32[1000]");
  builder.output(builder.apply(synth::Scan{0}, {b}, "f32[1000]"));
  Recorder recorder;
  recorder.world.memory_bytes_max = 10'000;
  const auto outcome = run(builder.program(), {}, recorder.world);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.errors()[0].kind, Kind::out_of_memory_plan);
  EXPECT_THAT(outcome.errors()[0].message, HasSubstr("needs 15.75 KiB of memory"));
  EXPECT_EQ(outcome.errors()[0].origin, 3U);
  EXPECT_EQ(recorder.written, "");
  recorder.world.memory_bytes_max = 16'128;
  EXPECT_TRUE(run(builder.program(), {}, recorder.world).ok());
}

TEST(Run, AnArrayNoMachineHoldsIsRefused) {
  Builder builder("");
  builder.output(builder.apply(synth::Iota{}, {}, "i64[1000000000000000000]"));
  EXPECT_EQ(run_badly(builder.program()).kind, Kind::out_of_memory_plan);
}

TEST(Run, StopsBetweenSteps) {
  Builder builder("");
  builder.effect(synth::PrintText{builder.string("one")});
  builder.effect(synth::PrintText{builder.string("two")});
  std::atomic<bool> stop = false;
  World world;
  std::string written;
  world.stop = &stop;
  world.output = [&](std::string_view text) {
    written += text;
    stop = true;
  };
  const auto outcome = run(builder.program(), {}, world);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.errors()[0].kind, base::Kind::interrupted);
  EXPECT_EQ(outcome.errors()[0].origin, 2U);
  EXPECT_EQ(written, "one\n");
}

TEST(Run, AnEndlessLoopStops) {
  Builder builder("");
  synth::Repeat repeat;
  repeat.count = builder.number(std::numeric_limits<std::int64_t>::max());
  repeat.index = builder.reg("i64[]");
  builder.add(std::move(repeat));
  const std::atomic<bool> stop = true;
  World world;
  world.stop = &stop;
  EXPECT_FALSE(run(builder.program(), {}, world).ok());
}

TEST(Run, StatisticsByOriginInOrder) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[4@x]");
  const RegisterId b = builder.collect(synth::CollectiveKind::all_gather, a, "f32[4]");
  builder.output(builder.apply(synth::Map{MapOp::exp}, {b}, "f32[4]"));
  auto& body = builder.program().body;
  body[0].origin = 7;
  body[1].origin = 3;
  body[2].origin = 7;
  World world;
  double now = 0;
  world.clock = [&] { return now += 1; };
  const auto outcome = run(builder.program(), {}, world);
  ASSERT_TRUE(outcome.ok());
  ASSERT_EQ(outcome->statistics.size(), 2U);
  EXPECT_EQ(outcome->statistics[0].origin, 7U);
  EXPECT_EQ(outcome->statistics[0].steps, 0);
  EXPECT_EQ(outcome->statistics[0].seconds, 2);
  EXPECT_EQ(outcome->statistics[1].origin, 3U);
  EXPECT_EQ(outcome->statistics[1].steps, 1);
  EXPECT_EQ(outcome->statistics[1].received_bytes, 16);
  EXPECT_EQ(outcome->statistics[1].peak_bytes, 8 + 16);
  EXPECT_EQ(outcome->peak_bytes, 24);
}

TEST(Run, AnUnverifiedProgramIsOurBug) {
  Builder builder("");
  builder.output(builder.reg("f32[4]"));
  EXPECT_EQ(run_badly(builder.program()).kind, base::Kind::internal);
  Builder other("");
  other.output(other.input("f32[4]"));
  EXPECT_EQ(run_badly(other.program()).kind, base::Kind::internal);
}

// A random number is a function of seed and place, whatever runs it, so a program gives the same bits every time.
TEST(Run, TheSameProgramGivesTheSameBits) {
  const auto result = [] {
    Builder builder("x:3");
    const RegisterId seed = builder.number(1);
    const RegisterId a = builder.apply(synth::Normal{}, {seed}, "f32[101, 203@x]");
    const RegisterId b = builder.apply(synth::Normal{}, {seed}, "f32[203@x, 57]");
    const RegisterId c = builder.apply(synth::Contract{{{0, 1}, {1, 2}}, {0, 2}}, {a, b}, "f32[101, 57]{+x}");
    builder.output(builder.collect(synth::CollectiveKind::all_reduce, c, "f32[101, 57]"));
    return gather(run_well(builder.program()).outputs[0])->bytes;
  };
  const auto first = result();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(result(), first);
}

}  // namespace
}  // namespace tessera::runtime::test
