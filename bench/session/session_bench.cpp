// Checking a program, planning a change of layout, running on simulated devices, and what a host pays besides.
#include "bench/session/session_bench.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <tessera/function.hpp>
#include <tessera/tessera.hpp>

namespace {

std::string long_program(std::int64_t lines) {
  std::string text = "mesh m = [x: 4, y: 2]\nlet v0 = iota(f32[64@x, 64@y])\n";
  for (std::int64_t k = 1; k <= lines; ++k) {
    text += "let v" + std::to_string(k) + " = relu(v" + std::to_string(k - 1) + " * 0.5 + 1.0)\n";
  }
  return text;
}

void check_lines(benchmark::State& state) {
  const std::string text = long_program(state.range(0));
  for (auto round : state) {
    tessera::Session session;
    benchmark::DoNotOptimize(session.check(text).ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(check_lines)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);

void plan_change(benchmark::State& state, const char* mesh, const char* from, const char* to) {
  tessera::PlanRequest request;
  request.mesh = mesh;
  request.from = from;
  request.to = to;
  for (auto round : state) benchmark::DoNotOptimize(tessera::make_plan(request).ok());
}
BENCHMARK_CAPTURE(plan_change, eight_devices, "x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan_change, sixty_four_devices, "x:8,y:8", "f32[4096@x,64@y]", "f32[4096@y,64@x]")
    ->Unit(benchmark::kMicrosecond);

void run_change(benchmark::State& state) {
  const std::string extent = std::to_string(state.range(0));
  const std::string text = "mesh m = [x: 4]\nlet a = iota(f32[" + extent + "@x, " + extent + "])\nlet b = a as [" +
                           extent + ", " + extent + "@x]\n";
  tessera::Config config;
  config.keep_values = false;
  tessera::Session session(config);
  const auto program = session.check(text);
  if (!program) {
    state.SkipWithError("the program does not check");
    return;
  }
  for (auto round : state) benchmark::DoNotOptimize(session.run(*program).ok());
  state.SetBytesProcessed(state.iterations() * state.range(0) * state.range(0) * 4);
}
BENCHMARK(run_change)->Arg(256)->Arg(2048)->Unit(benchmark::kMillisecond);

// ---- What a host pays: a call of a compiled function, memory in and out.

void call_function(benchmark::State& state) {
  tessera::Session session;
  const std::string type = "f32[" + std::to_string(4 * state.range(0)) + "@x]";
  const std::vector<float> values(static_cast<std::size_t>(4 * state.range(0)), 1.5F);
  if (!session.run("mesh m = [x: 4]\nfn f(a: " + type + ") -> " + type + " = a * 2.0 + 1.0\n")) return;
  const auto f = session.function("f");
  const auto a = session.array(type, {values.data()}, nullptr);
  const std::vector<tessera::Array> arguments = {*a};
  for (auto round : state) benchmark::DoNotOptimize(f->call(arguments).ok());
}
BENCHMARK(call_function)->Arg(64)->Arg(65536)->Unit(benchmark::kMicrosecond);

constexpr std::size_t kElements = std::size_t{16} << 20U;  // f32: 64 MiB

void borrow_and_view(benchmark::State& state) {
  tessera::Session session;
  if (!session.run("mesh m = [x: 4]\n")) return;
  const std::vector<float> values(kElements, 1);
  for (auto round : state) {
    const auto array = session.array("f32[16777216@x]", {values.data()}, nullptr);
    benchmark::DoNotOptimize(array->view(3)->data);
  }
}
BENCHMARK(borrow_and_view)->Unit(benchmark::kMicrosecond);

void copy_out(benchmark::State& state) {
  tessera::Session session;
  if (!session.run("mesh m = [x: 4]\nlet a = iota(f32[16777216@x])\n")) return;
  const auto array = session.get("a");
  std::vector<float> out(kElements, 1);
  for (auto round : state) benchmark::DoNotOptimize(array->copy_to(out.data()).ok());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kElements * sizeof(float)));
}
BENCHMARK(copy_out)->Unit(benchmark::kMillisecond);

void copy_out_by_memcpy(benchmark::State& state) {
  const std::vector<float> values(kElements, 1);
  std::vector<float> out(kElements, 1);
  for (auto round : state) {
    std::memcpy(out.data(), values.data(), kElements * sizeof(float));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kElements * sizeof(float)));
}
BENCHMARK(copy_out_by_memcpy)->Unit(benchmark::kMillisecond);

}  // namespace

namespace tessera::bench {

void run_session_benchmarks(std::string program, std::vector<std::string> arguments) {
  std::vector<char*> all{program.data()};
  for (std::string& argument : arguments) all.push_back(argument.data());
  int count = static_cast<int>(all.size());
  benchmark::Initialize(&count, all.data());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

}  // namespace tessera::bench
