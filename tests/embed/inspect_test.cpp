// A host learns about sessions, programs and plans without reading text: placements, declarations, statements, runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tessera/plan_verdict.hpp"
#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

TEST(Inspect, WhatATypeTakesOnItsDevices) {
  Session session;
  const auto report = session.run("mesh m = [x: 4, y: 2]\nlet a = iota(f32[16@y, 16, 16@x])\nlet b = ones(i32[7@x])\n");
  ASSERT_TRUE(succeeded(report));
  const Placement& even = report->bindings[0].placement;
  EXPECT_EQ(even.tile, (std::vector<std::int64_t>{8, 16, 4}));
  EXPECT_EQ(even.tile_bytes, 2048);
  EXPECT_EQ(even.total_bytes, 8 * 2048);
  EXPECT_EQ(even.copies, 1);
  EXPECT_EQ(even.devices, 8);
  const Placement uneven = session.get("b")->placement();
  EXPECT_EQ(uneven.tile, std::vector<std::int64_t>{2});
  EXPECT_EQ(uneven.tile_bytes, 8);
  EXPECT_EQ(uneven.total_bytes, 7 * 4 * 2);
  EXPECT_EQ(uneven.copies, 2);
}

TEST(Inspect, TheLargestTileIsSomeDevicesTile) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 3, y: 2]\nlet a = iota(f64[8@(x,y), 5])")));
  const Array a = session.get("a").value();
  std::int64_t largest = 0;
  std::int64_t total = 0;
  for (std::int64_t device = 0; device < a.devices(); ++device) {
    const auto bytes = static_cast<std::int64_t>(a.tile(device)->bytes.size());
    largest = std::max(largest, bytes);
    total += bytes;
  }
  EXPECT_EQ(a.placement().tile_bytes, largest);
  EXPECT_EQ(a.placement().total_bytes, total);
}

TEST(Inspect, MeshesAndFunctionsHaveNames) {
  Session session;
  const auto report = session.run("mesh m = [x: 4]\nmesh n = [u: 2, v: 3]\nfn f(a: f32[4]) = a\nlet c = 1");
  ASSERT_TRUE(succeeded(report));
  const auto meshes = session.meshes();
  ASSERT_EQ(meshes.size(), 2U);
  EXPECT_EQ(meshes[0].name, "m");
  EXPECT_FALSE(meshes[0].is_default);
  EXPECT_TRUE(meshes[1].is_default);
  EXPECT_EQ(meshes[1].axes, (std::vector<std::pair<std::string, std::int64_t>>{{"u", 2}, {"v", 3}}));
  EXPECT_EQ(session.functions(), std::vector<std::string>{"f"});
  const auto& declared = report->program.declared();
  ASSERT_EQ(declared.size(), 3U);
  EXPECT_EQ(declared[2].name, "f");
  EXPECT_EQ(declared[2].kind, Declaration::Kind::function);
}

TEST(Inspect, EverythingSaysWhichStatementItIsOf) {
  Session session(Config{.bare_expressions = true});
  const auto report = session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as [8]\na\n  b + 1.0", "t", 5);
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->bindings[1].statement, 2U);
  ASSERT_EQ(report->statistics.size(), 1U);
  EXPECT_EQ(report->statistics[0].statement, 2U);
  const auto changes = report->program.redistributions();
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].statement, 2U);
  const auto& shown = report->program.shown();
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].line, 8U);
  EXPECT_EQ(shown[1].column, 3U);
}

TEST(Inspect, AForkMayRunUnderOtherSettings) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])")));
  Config config = recording.session.config();
  config.machine.levels = {MachineLevel{"slow", 4, 1e3, 1}};
  Session slow = recording.session.fork(config);
  const auto seconds = [](Session& session) {
    return session.check("let b = a as [8]")->redistributions().at(0).plan.seconds();
  };
  EXPECT_GT(seconds(slow), 0.9);
  EXPECT_LT(seconds(recording.session), 0.1);
  ASSERT_TRUE(succeeded(slow.run("print sum(a)")));
  EXPECT_EQ(*recording.text, "28.0\n");
}

TEST(Inspect, ProgressIsToldBeforeEachStep) {
  std::vector<Progress> told;
  Config config;
  config.progress = [&](const Progress& progress) { told.push_back(progress); };
  Session session(config);
  ASSERT_TRUE(
      succeeded(session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as [8]\n"
                            "let c = loop w = b for i < 3 { w + 1.0 }")));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().step, 1);
  EXPECT_EQ(told.front().received_bytes, 0);
  EXPECT_EQ(told.back().step, told.back().steps);
  EXPECT_EQ(told.back().received_bytes, 4 * 24);
  EXPECT_GT(told.size(), static_cast<std::size_t>(told.back().steps));  // the loop is told of several times
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_LE(told[i - 1].step, told[i].step);
}

TEST(Inspect, ARunSaysHowMuchMemoryItTook) {
  Session session;
  const auto report = session.run("mesh m = [x: 4]\nlet a = iota(f32[1024@x])");
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->peak_bytes, 1024);
  EXPECT_GE(report->arena_bytes, 1024);
}

// A network of so many layers; of each the backward pass reads the value that it gave.
RunReport gradient_of(int layers, bool again) {
  std::string value = "x";
  for (int k = 0; k < layers; ++k) value = "tanh(" + value + " @ w)";
  if (again) value = "(again { " + value + " })";
  Session session;
  const auto report = session.run(
      "mesh m = [data: 4]\nfn loss(x: f32[B, D]?, w: f32[D, D]?) = sum(" + value + ")\n" +
      "let x = random(f32[64@data, 32], 1)\nlet w = random(f32[32, 32], 2)\nlet (l, g) = grad(loss, wrt=w)(x, w)\n");
  EXPECT_TRUE(succeeded(report));
  return *report;
}

std::int64_t kept_bytes(const RunReport& report) {
  std::int64_t bytes = 0;
  for (const KeptValue& one : report.kept) bytes += one.tile_bytes;
  return bytes;
}

// Every layer more takes as much more memory as is said to be kept of it: 64x32 floats over four devices.
TEST(Inspect, ARunSaysWhatItKeptForTheBackwardPass) {
  for (int layers = 3; layers < 8; ++layers) {
    const RunReport less = gradient_of(layers, false);
    const RunReport more = gradient_of(layers + 1, false);
    EXPECT_EQ(kept_bytes(more) - kept_bytes(less), 2048);
    EXPECT_EQ(more.peak_bytes - less.peak_bytes, 2048) << layers;
  }
  const RunReport report = gradient_of(3, false);
  ASSERT_FALSE(report.kept.empty());
  EXPECT_EQ(report.kept.front().type, "f32[64@data, 32]");
  EXPECT_EQ(report.kept.front().made.line, 2U);
  EXPECT_EQ(kept_bytes(report), 3 * 2048);
  EXPECT_EQ(kept_bytes(gradient_of(3, true)), 0);
  EXPECT_TRUE(Session().run("let a = iota(f32[8])").value().kept.empty());
}

PlanRequest change(std::string from, std::string to, std::string planner = "tessera") {
  PlanRequest request;
  request.mesh = "x:4,y:2";
  request.from = std::move(from);
  request.to = std::move(to);
  request.planner = std::move(planner);
  return request;
}

TEST(PlanRun, EveryPlannersPlanMovesTheData) {
  Session session;
  ASSERT_TRUE(
      succeeded(session.run("mesh m = [x: 4, y: 2]\nlet a = iota(f32[16@y, 7, 16@x])\n"
                            "let b = a as [16, 7@(x,y), 16]")));
  int planned = 0;
  for (const std::string& planner : planner_names()) {
    const auto plan = make_plan(change("f32[16@y, 7, 16@x]", "f32[16, 7@(x,y), 16]", planner));
    if (!plan) continue;
    ++planned;
    EXPECT_EQ(plan->mesh_text(), "x:4,y:2");
    const auto run = session.run(*plan, *session.get("a"));
    ASSERT_TRUE(succeeded(run)) << planner;
    ASSERT_EQ(run->after.size(), plan->steps().size());
    for (std::int64_t device = 0; device < 8; ++device) {
      EXPECT_EQ(run->after.back().tile(device)->box, session.get("b")->tile(device)->box) << planner;
      EXPECT_EQ(run->after.back().tile(device)->bytes, session.get("b")->tile(device)->bytes) << planner;
    }
  }
  EXPECT_GE(planned, 4);
}

TEST(PlanRun, TheArrayHasToFit) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 4, y: 2]\nlet a = iota(f32[8@x])")));
  const auto plan = make_plan(change("f32[8@y]", "f32[8]"));
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(slug_of(session.run(*plan, *session.get("a")).diagnostics()), "bad-call");
  const auto nothing = make_plan(change("f32[8@x]", "f32[8@x]"));
  EXPECT_TRUE(session.run(*nothing, *session.get("a"))->after.empty());
}

TEST(PlanRun, APlanWithAFaultIsRefused) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 4, y: 2]\nlet a = iota(f32[8@x, 8])")));
  std::string json = *json_with_sends(*make_plan(change("f32[8@x, 8]", "f32[8, 8@x]")));
  json.replace(json.find("dim 1"), 5, "dim 7");
  const PlanVerdict verdict = verify_plan(json);
  ASSERT_NE(verdict.fault, "");
  if (verdict.plan) {
    EXPECT_EQ(slug_of(session.run(*verdict.plan, *session.get("a")).diagnostics()), "bad-call");
  }
}

double seconds_of_this_process() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One product of matrices that would take many seconds. The work of others on the cores does not count: after the stop
// each core goes on for a fifth of a second at most.
TEST(Stop, EndsALongStepSoon) {
  std::atomic<bool> began = false;
  Config config;
  config.progress = [&](const Progress&) { began = true; };
  Session session(config);
  ASSERT_TRUE(
      succeeded(session.run("mesh m = [x: 2]\nlet a = ones(f64[4096@x, 4096])\nlet b = ones(f64[4096, 4096])")));
  began = false;
  auto done = std::async(std::launch::async, [&] { return session.run("let c = a @ b"); });
  const auto ended = [&] { return done.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready; };
  while (!began && !ended()) continue;
  const double start = seconds_of_this_process();
  while (seconds_of_this_process() - start < 0.2 && !ended()) continue;
  const double before = seconds_of_this_process();
  session.stop();
  const auto result = done.get();
  EXPECT_EQ(slug_of(result.diagnostics()), "interrupted");
  EXPECT_LT(seconds_of_this_process() - before, 0.3 * std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_FALSE(session.get("c").ok());
}

TEST(Reference, TellsOfEveryOperation) {
  const auto& all = operations();
  const auto rows_of = [&](const std::string& name) {
    std::vector<OperationHelp> rows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rows), [&](const auto& row) { return row.name == name; });
    return rows;
  };
  ASSERT_EQ(rows_of("max").size(), 2U);
  EXPECT_EQ(rows_of("max")[0].signature, "max(a, b)");
  const auto take = rows_of("take");
  ASSERT_EQ(take.size(), 1U);
  EXPECT_EQ(take[0].signature, "take(table, ids)");
  EXPECT_THAT(take[0].layouts, testing::StartsWith("those of ids, then those within a row; of a table split by rows"));
  EXPECT_EQ(rows_of("size")[0].layouts, "");
  for (const OperationHelp& row : all) EXPECT_FALSE(row.does.empty()) << row.name;
}

TEST(Reference, KnowsTheWordsOfTheLanguage) {
  const auto& words = keywords();
  EXPECT_NE(std::find(words.begin(), words.end(), "within"), words.end());
  EXPECT_EQ(std::find(words.begin(), words.end(), "max"), words.end());
  EXPECT_EQ(nearest_spelling("mehs", words), "mesh");
  EXPECT_EQ(nearest_spelling("something", words), std::nullopt);
}

}  // namespace
}  // namespace tessera
