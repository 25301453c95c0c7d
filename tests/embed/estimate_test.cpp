// Estimates: what they add up, their peaks beside those of runs, loops, pipelines, and passes that save memory.
#include "tessera/estimate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/units.hpp"
#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;

constexpr const char* kMesh = "mesh m = [x: 4]\nlet a = iota(f32[256@x, 128])\n";

Program checked(Session& session, const std::string& text) {
  auto program = session.check(text, "t");
  EXPECT_TRUE(succeeded(program)) << text;
  return std::move(program).value();
}

Estimate estimated(const std::string& text, bool keeps_values = false, const Config& config = {}) {
  Recording made(config);
  auto result = estimate(checked(made.session, text), keeps_values);
  EXPECT_TRUE(succeeded(result)) << text;
  return std::move(result).value();
}

const EstimatedStatement& of_line(const Estimate& estimate, std::uint32_t line) {
  const auto found = std::find_if(estimate.statements.begin(), estimate.statements.end(),
                                  [&](const EstimatedStatement& one) { return one.place.line == line; });
  EXPECT_NE(found, estimate.statements.end()) << "nothing of line " << line;
  return *found;
}

// Programs of every sort of step, small enough to run.
const std::vector<std::string>& programs() {
  static const std::vector<std::string> all = {
      "mesh m = [x: 4]\nlet a = iota(f32[64@x, 16])\nlet b = a as [64, 16@x]\nprint sum(b)",
      "mesh m = [x: 2, y: 2]\nlet a = iota(f32[8@x, 6@y])\nlet b = a @ iota(f32[6, 4])\nprint b",
      "mesh m = [x: 3]\nlet a = iota(f32[8@x])\nprint a[1:7], concat([a, a], 0), pad(a, [[2, 1]])",
      "mesh m = [x: 4]\nlet s = loop w = ones(f32[32@x]) for i < 7 { w * 2.0 + 1.0 }\nprint sum(s)",
      "mesh m = [x: 4]\nlet a = iota(f32[32@x])\nlet s = if sum(a) > 3.0 { a as [32] } else { (a + 1.0) as [32] "
      "}\nprint s[3]",
      "mesh m = [x: 4]\nfn f(w: f32[16, 8]) = sum(relu(iota(f32[32@x, 16]) @ w))\nlet (l, g) = grad(f)(ones(f32[16, "
      "8]))\nprint g[1, 1]",
      "let a = iota(f32[8])\nprint a",
      "mesh m = [x: 5]\nlet a = iota(f64[7@x, 3])\nlet b = update(a, 2, ones(f64[1, 3]))\nprint sum(b)",
      "mesh a = [d: 4]\nmesh b = [t: 5] on 2:7\nlet v = iota(f32[20@d, 8] on a)\nlet w = v as [20, 8@t] on b\nprint "
      "sum(w)",
      "mesh a = [x: 1] on 0:1\nmesh b = [x: 1] on 1:2\nlet t = ones(f32[6, 16, 16] on a)\n"
      "let s = pipeline p = zeros(f32[16, 16] on b) for i < 6 by \"1f1b\" {\n  p + ((t[i] @ t[i]) as [16, 16] on "
      "b)\n}\nprint sum(s)"};
  return all;
}

TEST(Estimate, TheExampleOfTheHeader) {
  const Machine machine;
  tessera::Session session({.machine = machine});
  auto program = session.check("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nprint sum(a)\n");
  auto estimate = tessera::estimate(*program);
  EXPECT_NE(tessera::seconds_text(estimate->seconds), "0 s");
  EXPECT_EQ(tessera::bytes_text(estimate->peak_bytes), "12 B");
}

TEST(Estimate, HasThePeakOfTheRun) {
  for (const bool keeps : {false, true}) {
    for (const std::string& text : programs()) {
      Config config;
      config.keep_values = keeps;
      Recording made(config);
      const Program program = checked(made.session, text);
      const auto before = estimate(program, keeps);
      ASSERT_TRUE(succeeded(before)) << text;
      const auto report = made.session.run(program);
      ASSERT_TRUE(succeeded(report)) << text;
      const bool branches = text.find("if ") != std::string::npos;  // the run takes one side
      EXPECT_GE(before->peak_bytes, report->peak_bytes) << text;
      if (!branches) {
        EXPECT_EQ(before->peak_bytes, report->peak_bytes) << text;
      }
    }
  }
}

TEST(Estimate, AddsUp) {
  for (const std::string& text : programs()) {
    const Estimate all = estimated(text);
    double seconds = 0;
    double operations = 0;
    std::int64_t received = 0;
    for (const EstimatedStatement& one : all.statements) {
      seconds += one.seconds;
      operations += one.operations;
      received += one.received_bytes;
      EXPECT_THAT(one.seconds, DoubleEq(one.compute_seconds + one.move_seconds + one.pipeline_seconds));
      if (!one.received_by_level.empty()) {
        EXPECT_EQ(std::accumulate(one.received_by_level.begin(), one.received_by_level.end(), std::int64_t{0}),
                  one.received_bytes)
            << text;
      }
    }
    EXPECT_THAT(all.seconds, DoubleNear(seconds, 1e-15)) << text;
    EXPECT_THAT(all.operations, DoubleEq(operations)) << text;
    EXPECT_EQ(all.received_bytes, received) << text;
  }
}

// Where nothing repeats, bytes are those of the plans and of the parts.
TEST(Estimate, ReceivesWhatPlansAndPartsDo) {
  for (const std::string& text : programs()) {
    if (text.find("loop") != std::string::npos || text.find("pipeline") != std::string::npos ||
        text.find("if ") != std::string::npos)
      continue;
    Recording made;
    const Program program = checked(made.session, text);
    std::int64_t bytes = 0;
    for (const Redistribution& one : program.redistributions()) bytes += one.plan.received_bytes_total();
    for (const PartsMoved& one : program.parts_moved()) bytes += one.received_bytes;
    EXPECT_EQ(estimate(program)->received_bytes, bytes) << text;
  }
}

TEST(Estimate, CountsLoopsAsOftenAsTheyRun) {
  const auto of_turns = [](int turns) {
    return estimated(std::string(kMesh) + "let s = loop w = a for i < " + std::to_string(turns) + " { w * 2.0 }\n");
  };
  const Estimate one = of_turns(1);
  const Estimate many = of_turns(9);
  EXPECT_TRUE(many.turns_known);
  EXPECT_THAT(of_line(many, 3).operations, DoubleEq(9 * of_line(one, 3).operations));
  EXPECT_THAT(of_line(many, 3).compute_seconds, DoubleNear(9 * of_line(one, 3).compute_seconds, 1e-15));
  const Estimate unknown =
      estimated(std::string(kMesh) + "let n = argmax(a[0, :])\nlet s = loop w = a for i < n { w * 2.0 }\n");
  EXPECT_FALSE(unknown.turns_known);
  EXPECT_THAT(of_line(unknown, 4).operations, DoubleEq(of_line(one, 3).operations));
}

// A pipeline in a loop takes its makespan at every turn.
TEST(Estimate, CountsPipelinesAsOftenAsTheyRun) {
  const auto of_turns = [](int turns) {
    return estimated(
        "mesh a = [x: 1] on 0:1\nmesh b = [x: 1] on 1:2\nlet t = ones(f32[6, 16, 16] on a)\n"
        "let s = loop q = zeros(f32[16, 16] on b) for j < " +
        std::to_string(turns) +
        " {\n  pipeline p = q for i < 6 by \"1f1b\" {\n    p + ((t[i] @ t[i]) as [16, 16] on b)\n  }\n}\n");
  };
  const double once = of_line(of_turns(1), 4).pipeline_seconds;
  EXPECT_GT(once, 0);
  EXPECT_THAT(of_line(of_turns(5), 4).pipeline_seconds, DoubleNear(5 * once, 1e-12));
}

// Steps in one pass read every array once, and what is between them never comes to memory.
TEST(Estimate, CountsMemoryByPasses) {
  constexpr double kArray = 256 * 128 * 4;
  const auto memory = [](const std::string& expression) {
    return of_line(estimated(std::string(kMesh) + "let b = " + expression + "\n", true), 3).memory_bytes;
  };
  EXPECT_THAT(memory("a + a"), DoubleEq(2 * kArray));
  EXPECT_THAT(memory("relu(a * 2.0 + 1.0) * a"), DoubleEq(2 * kArray));
  EXPECT_THAT(memory("reshape(a * 2.0, [128, 256])"), DoubleEq(2 * kArray)) << "a reshape is a view";
  EXPECT_THAT(memory("sum(a * a, dim=1)"), DoubleEq(kArray + 256 * 4));
}

TEST(Estimate, CountsOperationsOfProducts) {
  const Estimate one = estimated(std::string(kMesh) + "let b = a @ ones(f32[128, 64])\n");
  EXPECT_THAT(of_line(one, 3).operations, DoubleEq(2.0 * 256 * 128 * 64));
}

TEST(Estimate, NamesTheSlowestDeviceAndWhatItHas) {
  Config config;
  config.machine = Machine{{}, {{2, 2e12, 100e9, 1 << 20}, {2, 1e12, 50e9, 1 << 18}}};
  const Estimate one = estimated(std::string(kMesh) + "let b = a @ ones(f32[128, 64])\n", false, config);
  EXPECT_EQ(of_line(one, 3).slowest, 2);
  EXPECT_FALSE(one.devices_assumed);
  EXPECT_THAT(one.flops_per_second, DoubleEq(6e12));
  EXPECT_GT(one.memory_bytes_max, 0);
}

TEST(Estimate, StopsWhenItIsTold) {
  Recording made;
  const Program program = checked(made.session, programs()[0]);
  StopToken stop;
  stop.stop();
  const auto result = estimate(program, false, stop);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(slug_of(result.diagnostics()), "interrupted");
}

}  // namespace
}  // namespace tessera
