// Plans through the public interface.
#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

PlanRequest request(std::string mesh, std::string from, std::string to, std::string planner = "tessera") {
  PlanRequest result;
  result.mesh = std::move(mesh);
  result.from = std::move(from);
  result.to = std::move(to);
  result.planner = std::move(planner);
  return result;
}

TEST(Plan, OfOneCollective) {
  const auto plan = make_plan(request("x:4", "f32[8@x,8]", "f32[8,8@x]"));
  ASSERT_TRUE(succeeded(plan));
  ASSERT_EQ(plan->steps().size(), 1U);
  const Plan::Step step = plan->steps()[0];
  EXPECT_EQ(step.op, "all_to_all");
  EXPECT_EQ(step.detail, "x: dim 0 -> dim 1");
  EXPECT_EQ(step.type, "f32[8, 8@x]");
  EXPECT_EQ(step.local_bytes_max, 64);
  EXPECT_EQ(step.received_bytes_total, 4 * 48);
  EXPECT_EQ(step.received_bytes_max, 48);
  EXPECT_EQ(step.groups, 1);
  EXPECT_EQ(step.group_size, 4);
  EXPECT_EQ(plan->received_bytes_total(), 192);
  EXPECT_EQ(plan->lower_bound_bytes_total(), 192);
  EXPECT_EQ(plan->bound_bytes(), 64);
  EXPECT_EQ(plan->local_bytes_max(), 64);
  EXPECT_EQ(plan->peak_bytes(), 128);
  EXPECT_EQ(plan->from(), "f32[8@x, 8]");
  EXPECT_EQ(plan->to(), "f32[8, 8@x]");
  EXPECT_GE(plan->seconds(), plan->lower_bound_seconds());
  EXPECT_NE(plan->text().find("all_to_all"), std::string::npos);
  EXPECT_EQ(plan->json().find('\n'), std::string::npos);
  EXPECT_TRUE(
      plan->json().starts_with(R"({"mesh": "x:4", "from": "f32[8@x,8]", "to": "f32[8,8@x]", "planner": "tessera")") ||
      plan->json().starts_with(R"({"mesh":"x:4","from":"f32[8@x,8]","to":"f32[8,8@x]","planner":"tessera")"))
      << plan->json();
}

TEST(Plan, AMachineOfTheHostsMustBeOne) {
  for (const MachineLevel& level :
       {MachineLevel{"n", 0, 1e9, 0}, MachineLevel{"n", 4, 0, 0}, MachineLevel{"n", 4, 1e9, -1}}) {
    PlanRequest asked = request("x:4", "f32[8@x,8]", "f32[8,8@x]");
    asked.machine.levels = {level};
    EXPECT_EQ(slug_of(make_plan(asked).diagnostics()), "bad-machine");
    Session session(Config{.machine = {{level}, {}}});
    const auto done = session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x, 8]) as [8, 8@x]");
    EXPECT_EQ(slug_of(done.diagnostics()), "bad-machine");
  }
  PlanRequest asked = request("x:4", "f32[8@x,8]", "f32[8,8@x]");
  asked.machine.levels = {MachineLevel{"n", 4, 1e9, 0}};
  EXPECT_TRUE(succeeded(make_plan(asked)));
}

TEST(Plan, EveryPlannerHasItsName) {
  EXPECT_EQ(planner_names(),
            (std::vector<std::string>{"tessera", "paper", "xla", "shardy", "dtensor", "gather", "ring", "smp", "p2",
                                      "sendrecv", "localgather", "globalgather", "alpa"}));
  // A rival may be unable to plan; our planner and gathering plan everything.
  for (const std::string& name : planner_names()) {
    const auto plan = make_plan(request("x:2", "f32[8@x,8]", "f32[8,8@x]", name));
    const bool may_fail = name != "tessera" && name != "gather";
    if (!plan.ok() && may_fail) {
      EXPECT_EQ(slug_of(plan.diagnostics()), "unsupported") << name;
    } else {
      EXPECT_TRUE(succeeded(plan)) << name;
    }
  }
}

struct Blamed {
  std::string mesh;
  std::string from;
  std::string to;
  Blame blame;
};

TEST(Plan, WhatDoesNotParseIsTheCommandsFault) {
  const std::vector<Blamed> all = {
      {"x:", "f32[8]", "f32[8]", Blame::command},
      {"x", "f32[8]", "f32[8]", Blame::command},
      {"x:4", "f32[8", "f32[8]", Blame::command},
      {"x:4", "f32[8]", "8", Blame::command},
      {"x:4", "f32[8]", "", Blame::command},
      {"x:4", "f32[8@z]", "f32[8", Blame::command},
      {"x:4,x:2", "f32[8]", "f32[8", Blame::command},
      {"x:4", "f32[8@z]", "f32[8]", Blame::program},
      {"x:4", "f32[8@x]", "f32[9]", Blame::program},
      {"x:4", "f32[8@x]", "i32[8]", Blame::program},
      {"x:4", "f32[8@x,8@x]", "f32[8,8]", Blame::program},
      {"x:0", "f32[8]", "f32[8]", Blame::program},
      {"x:4,x:2", "f32[8]", "f32[8]", Blame::program},
      {"x:65537", "f32[8]", "f32[8]", Blame::program},
      {"x:4", "f32[99999999999999999999]", "f32[8]", Blame::program},
      {"x:4", "f32[4611686018427387904,4]", "f32[4611686018427387904,4@x]", Blame::program},
  };
  for (const Blamed& one : all) {
    const auto plan = make_plan(request(one.mesh, one.from, one.to));
    ASSERT_FALSE(plan.ok()) << one.mesh << ' ' << one.from << ' ' << one.to;
    EXPECT_EQ(plan.diagnostics()[0].blame, one.blame)
        << one.mesh << ' ' << one.from << ' ' << one.to << ": " << plan.diagnostics()[0].slug;
  }
}

TEST(Plan, PlacesAreInTheTextTheyAreAbout) {
  const auto plan = make_plan(request("x:4", "f32[8]", "f32[8@z]"));
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(slug_of(plan.diagnostics()), "unknown-axis");
  ASSERT_FALSE(plan.diagnostics()[0].labels.empty());
  EXPECT_EQ(plan.diagnostics()[0].labels[0].place.file, "to");
  EXPECT_EQ(plan.diagnostics()[0].labels[0].place.column, 7U);
}

TEST(Plan, AnUnknownPlannerIsAnsweredWithTheNearest) {
  const auto plan = make_plan(request("x:4", "f32[8@x]", "f32[8]", "shardi"));
  EXPECT_EQ(slug_of(plan.diagnostics()), "unknown-planner");
  EXPECT_EQ(plan.diagnostics()[0].help, "did you mean `shardy`?");
}

TEST(Plan, ABudgetThatCannotBeMetNamesTheLeast) {
  PlanRequest tight = request("x:4", "f32[8@x,8]", "f32[8,8@x]");
  tight.within_bytes = 1;
  const auto plan = make_plan(tight);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(slug_of(plan.diagnostics()), "over-budget");
  EXPECT_TRUE(plan.diagnostics()[0].help.starts_with("least budget: ")) << plan.diagnostics()[0].help;
  const std::string json = plan_failure_json(tight, plan.diagnostics());
  EXPECT_NE(json.find("\"over-budget\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"least_bytes\""), std::string::npos) << json;
  tight.within_bytes = -1;
  EXPECT_EQ(slug_of(make_plan(tight).diagnostics()), "bad-call");
}

TEST(Plan, AMachineMustFitTheMesh) {
  PlanRequest one = request("x:4", "f32[8@x]", "f32[8]");
  one.machine.levels = {MachineLevel{"node", 3, 1e9, 1e-6}};
  const auto plan = make_plan(one);
  EXPECT_EQ(slug_of(plan.diagnostics()), "machine-mismatch");
  EXPECT_EQ(plan.diagnostics()[0].blame, Blame::program);
  one.machine.levels[0].count = 4;
  EXPECT_TRUE(succeeded(make_plan(one)));
}

TEST(PlanFailureJson, OfARequestThatCannotBeRead) {
  const PlanRequest unread = request("x:4", "f32[8", "f32[8]");
  const auto plan = make_plan(unread);
  ASSERT_FALSE(plan.ok());
  const std::string json = plan_failure_json(unread, plan.diagnostics());
  EXPECT_TRUE(json.starts_with(R"({"mesh":"x:4","from":"f32[8","to":"f32[8]","planner":"tessera","error":")" +
                               plan.diagnostics()[0].slug + R"(","message":")"))
      << json;
  EXPECT_EQ(json.find('\n'), std::string::npos);
}

TEST(Sizes, AreReadAsWritten) {
  EXPECT_EQ(parse_size("1000").value(), 1'000);
  EXPECT_EQ(parse_size("2KB").value(), 2'000);
  EXPECT_EQ(parse_size("64MiB").value(), 64LL << 20);
  for (const char* wrong : {"", "MiB", "-1", "1 XB", "1.5", "64 MiB of memory"}) {
    const auto size = parse_size(wrong);
    ASSERT_FALSE(size.ok()) << wrong;
    EXPECT_EQ(size.diagnostics()[0].blame, Blame::command) << wrong;
  }
}

// `count` times the item, between commas.
std::string repeated(const std::string& item, int count) {
  std::string text = item;
  for (int i = 1; i < count; ++i) text += "," + item;
  return text;
}

// What is far too long is refused as what is a little too long: by what there is too much of, and at once.
TEST(PlanRequests, FarTooLongAreRefusedAtOnce) {
  constexpr int kMany = 100'000;
  const PlanRequest good = request("x:4", "f32[8@x]", "f32[8]");
  const auto slug = [&](std::string PlanRequest::* text, const std::string& value) {
    PlanRequest wrong = good;
    wrong.*text = value;
    const std::clock_t begin = std::clock();
    const auto plan = make_plan(wrong);
    EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 4) << value.substr(0, 40);
    return plan.ok() ? "" : plan.diagnostics()[0].slug;
  };
  for (const int count : {9, 999, kMany}) {
    std::string axes = "a0:1";
    for (int i = 1; i < count; ++i) axes += ",a" + std::to_string(i) + ":1";
    EXPECT_EQ(slug(&PlanRequest::mesh, axes), "mesh-axes-too-many");
  }
  for (const int count : {17, 999, kMany}) {
    EXPECT_EQ(slug(&PlanRequest::from, "f32[" + repeated("1", count) + "]"), "rank-too-large");
    EXPECT_EQ(slug(&PlanRequest::to, "f32[" + repeated("1", count) + "]{+x}"), "rank-too-large");
  }
  EXPECT_EQ(slug(&PlanRequest::mesh, "x:4 w(" + repeated("1", 5) + ")"), "cut-weights");
  EXPECT_EQ(slug(&PlanRequest::mesh, "x:4 w(" + repeated("1", kMany) + ")"), "bad-call");
  EXPECT_EQ(slug(&PlanRequest::mesh, "x:4 on (" + repeated("0:1", kMany) + ")"), "bad-call");
  EXPECT_EQ(slug(&PlanRequest::mesh, "x:4 place [[" + repeated("1", kMany) + "]]"), "bad-call");
  EXPECT_EQ(slug(&PlanRequest::from, "f32[8@(" + repeated("x", kMany) + ")]"), "bad-call");
  EXPECT_EQ(slug(&PlanRequest::from, "f32[8]{+" + repeated("x", kMany) + "}"), "bad-call");
}

}  // namespace
}  // namespace tessera
