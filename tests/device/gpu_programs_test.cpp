// Programs that run with the engine of GPUs, on the emulated driver, give the host's bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/device/gpu/gpu_engine.hpp"
#include "runtime/engine/device_times.hpp"
#include "tests/device/emulated_gpus.hpp"

namespace tessera::device {
namespace {

using runtime::test::Builder;
using runtime::test::Recorder;

void prints_the_same(const synth::Program& program) {
  const std::string host = printed(program, nullptr);
  EXPECT_FALSE(host.empty());
  EXPECT_EQ(printed(program, emulated_engine()), host);
}

TEST(GpuPrograms, SumOfWhatIsSplit) {
  Builder b("x:8");
  const auto a = b.apply(synth::Iota{}, {}, "f32[8@x, 4]");
  const auto two = b.constant(runtime::test::Array<float>::scalar(2.0F), "f32[]");
  const auto twice = b.apply(synth::Map{synth::MapOp::multiply}, {a, two}, "f32[8@x, 4]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0, 1}}, {twice}, "f32[]{+x}");
  const auto sum = b.collect(synth::CollectiveKind::all_reduce, sums, "f32[]");
  b.effect(synth::Print{{{{}, 0}}}, {sum});
  const auto whole = b.collect(synth::CollectiveKind::all_gather, twice, "f32[8, 4]");
  b.effect(synth::Print{{{{}, 0}}}, {whole});
  prints_the_same(b.program());
}

// A loop of some steps, whose turns are all alike but for where the carried value lies.
synth::Program loop(std::int64_t turns) {
  Builder b("x:2");
  const auto initial = b.apply(synth::Iota{}, {}, "f32[8@x, 4]");
  synth::Repeat repeat;
  repeat.count = b.number(turns);
  repeat.index = b.reg("i64[]");
  repeat.initial = {initial};
  repeat.parameters = {b.reg("f32[8@x, 4]")};
  b.into(&repeat.body);
  const auto half = b.constant(runtime::test::Array<float>::scalar(0.5F), "f32[]");
  const auto less = b.apply(synth::Map{synth::MapOp::multiply}, {repeat.parameters[0], half}, "f32[8@x, 4]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0, 1}}, {less}, "f32[]{+x}");
  const auto sum = b.collect(synth::CollectiveKind::all_reduce, sums, "f32[]");
  const auto turn = b.apply(synth::Map{synth::MapOp::cast}, {repeat.index}, "f32[]");
  const auto shift = b.apply(synth::Map{synth::MapOp::add}, {sum, turn}, "f32[]");
  repeat.next = {b.apply(synth::Map{synth::MapOp::add}, {less, shift}, "f32[8@x, 4]")};
  repeat.results = {b.reg("f32[8@x, 4]")};
  const auto result = repeat.results[0];
  b.into(nullptr);
  b.add(std::move(repeat));
  b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_gather, result, "f32[8, 4]")});
  return b.program();
}

TEST(GpuPrograms, LoopsWhoseTurnsAreAlike) {
  for (const std::int64_t turns : {0, 1, 2, 9}) prints_the_same(loop(turns));
}

TEST(GpuPrograms, AnIndexThatIsOutOfRangeIsFoundLater) {
  for (const std::int64_t third : {0, 1, 7}) {
    Builder b("x:2");
    const auto table = b.apply(synth::Iota{}, {}, "f32[4, 2]");
    const auto ids = b.constant(runtime::test::Array<std::int64_t>({4}, {3, 1, third, 2}), "i64[4@x]");
    const auto rows = b.apply(synth::Take{}, {table, ids}, "f32[4@x, 2]");
    b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_gather, rows, "f32[4, 2]")});
    if (third < 4) {
      prints_the_same(b.program());
      continue;
    }
    Recorder on_host;
    Recorder on_gpu;
    on_gpu.world.engine = emulated_engine();
    const auto host = runtime::run(b.program(), {}, on_host.world);
    const auto gpu = runtime::run(b.program(), {}, on_gpu.world);
    ASSERT_FALSE(host.ok() || gpu.ok());
    EXPECT_EQ(gpu.errors().front().message, host.errors().front().message);
    EXPECT_EQ(gpu.errors().front().origin, host.errors().front().origin);
    EXPECT_EQ(on_gpu.written, "");
  }
}

// Rows that are sorted need room for keys and positions, twice.
synth::Program sorts_rows() {
  Builder b("x:2");
  b.effect(synth::PrintText{b.string("begins")});
  const auto a = b.apply(synth::Iota{}, {}, "f32[2@x, 400000]");
  const auto sorted = b.apply(synth::Sort{}, {a}, "f32[2@x, 400000]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0, 1}}, {sorted}, "f32[]{+x}");
  b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_reduce, sums, "f32[]")});
  return b.program();
}

// A limit that its arrays keep and its room does not is refused before the first step, at the step that needs the room;
// with just enough the program runs.
TEST(GpuPrograms, RoomBesideArraysIsPartOfTheLimit) {
  const synth::Program program = sorts_rows();
  std::int64_t needed = 0;
  std::int64_t room = 0;
  {
    Recorder recorder;
    recorder.world.engine = emulated_engine();
    const auto& memory = dynamic_cast<GpuEngine&>(*recorder.world.engine).place().memory;
    recorder.world.progress = [&](const runtime::Progress&) { needed = std::max(needed, memory.taken_bytes()); };
    const auto outcome = runtime::run(program, {}, recorder.world);
    ASSERT_TRUE(outcome.ok()) << outcome.errors().front().message;
    room = outcome->room_bytes;
  }
  EXPECT_GE(room, 2 * 400'000 * 16);
  for (const std::int64_t limit : {needed - room / 2, needed - 1, needed}) {
    GpuRequest request = emulated_request({0});
    request.memory_bytes = limit;
    Recorder recorder;
    recorder.world.engine = *open_gpus(request);
    const auto outcome = runtime::run(program, {}, recorder.world);
    EXPECT_EQ(outcome.ok(), limit == needed);
    EXPECT_EQ(recorder.written.empty(), limit != needed);
    if (outcome.ok()) continue;
    const base::Diagnostic& why = outcome.errors().front();
    EXPECT_EQ(why.kind, runtime::Kind::out_of_memory_plan);
    EXPECT_NE(why.message.find("for what steps need beside them"), std::string::npos) << why.message;
    EXPECT_EQ(why.origin, program.body[2].origin);
  }
}

// One of the first calls of every function of the driver fails: the program says so, and a program after it runs.
TEST(GpuPrograms, AnyCallMayFail) {
  const synth::Program program = loop(3);
  const std::string host = printed(program, nullptr);
  int failures = 0;
  for (int n = 1; n <= 200; n += n < 40 ? 1 : 20) {
    Recorder recorder;
    {
      const Environment failing("TESSERA_EMULATED_FAILURE", "*:" + std::to_string(n) + (n % 2 == 0 ? ":700" : ":701"));
      auto engine = open_gpus(emulated_request({0}));
      if (engine.ok()) recorder.world.engine = *std::move(engine);
      if (recorder.world.engine != nullptr) failures += runtime::run(program, {}, recorder.world).ok() ? 0 : 1;
    }
  }
  EXPECT_GE(failures, 10);
  EXPECT_EQ(printed(program, emulated_engine()), host);
}

// The emulated GPU works when somebody waits for it, so that its times are none of those at which it was asked.
TEST(GpuPrograms, TimesAreThoseOfTheGpus) {
  Builder b("x:4");
  const auto a = b.apply(synth::Iota{}, {}, "f32[4000@x, 8]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {a}, "f32[8]{+x}");
  const auto sum = b.collect(synth::CollectiveKind::all_reduce, sums, "f32[8]");
  b.effect(synth::Print{{{{}, 0}}}, {sum});
  for (const std::vector<int>& gpus : {std::vector<int>{0}, {0, 1}}) {
    Recorder recorder;
    runtime::World& world = recorder.world;
    world.engine = emulated_engine(gpus);
    world.engine_times = true;
    std::vector<double> asked;  // before each step
    std::vector<std::vector<runtime::DeviceSlice>> steps;
    world.clock = runtime::DeviceTimes::trace_clock;
    world.progress = [&](const runtime::Progress&) { asked.push_back(runtime::DeviceTimes::trace_clock()); };
    world.trace = [&](const runtime::TracedStep& step) {
      steps.emplace_back(step.devices.begin(), step.devices.end());
    };
    ASSERT_TRUE(runtime::run(b.program(), {}, world).ok());
    ASSERT_EQ(steps.size(), 4U);
    asked.clear();
    steps.clear();
    const auto outcome = runtime::run(b.program(), {}, world);  // its kernels are there
    ASSERT_TRUE(outcome.ok());
    const double done = runtime::DeviceTimes::trace_clock();
    ASSERT_EQ(steps.size(), 4U);
    for (std::size_t device = 0; device < 4; ++device) {
      EXPECT_GE(steps[0][device].end, asked[2]) << "device " << device;
      for (std::size_t k = 0; k < steps.size(); ++k) {
        ASSERT_EQ(steps[k].size(), 4U);
        EXPECT_LE(steps[k][device].begin, steps[k][device].end);
        EXPECT_LE(steps[k][device].end, done + 1e-3);
        const double before = k == 0 ? asked[0] - 1e-3 : steps[k - 1][device].end;
        EXPECT_GE(steps[k][device].begin, before - 1e-6);
      }
    }
    double seconds = 0;
    for (const runtime::OriginStatistics& statistics : outcome->statistics) seconds += statistics.seconds;
    EXPECT_GT(seconds, 0);
    EXPECT_LE(seconds, done - asked.front() + 1e-3);
  }
}

}  // namespace
}  // namespace tessera::device
