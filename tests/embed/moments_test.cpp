// The holdings of devices during a plan, and the boxes that they hand each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

struct Change {
  std::string mesh;
  std::string from;
  std::string to;
  std::optional<std::int64_t> within = {};
};

std::vector<Change> changes() {
  return {
      {"x:4", "f32[8@x,8]", "f32[8,8@x]"},
      {"x:4", "f32[8,8]{+x}", "f32[8,8]"},
      {"x:4", "f32[7,3]{+x}", "f32[7,3]"},
      {"x:4", "f32[7,3]{+x}", "f32[7@x,3]"},
      {"x:4", "f32[8,8]", "f32[8,8]{+x}"},
      {"x:4", "f32[8,8]", "f32[8@x,8]"},
      {"x:2,y:3", "i32[6@(x,y)]", "i32[6@(y,x)]"},
      {"x:3,y:2", "i64[8@(x,y)]", "i64[8@y]"},
      {"x:3,y:2", "f64[5@y,7,2]{max x}", "f64[5,7@y,2]{max x}"},
      {"x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]"},
      {"x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", 2304},
      {"x:4", "f32[9@x,7]", "f32[9,7@x]", 100},
      {"x:4", "f32", "f32"},
      {"x:5", "f32[3@x]", "f32[3]"},
  };
}

Plan plan_of(const Change& change, const std::string& planner = "tessera") {
  PlanRequest request;
  request.mesh = change.mesh;
  request.from = change.from;
  request.to = change.to;
  request.planner = planner;
  request.within_bytes = change.within;
  auto plan = make_plan(request);
  EXPECT_TRUE(succeeded(plan)) << change.from << " -> " << change.to;
  return *plan;
}

std::int64_t elements(const Box& box) {
  std::int64_t result = 1;
  for (const auto& [begin, end] : box) result *= std::max<std::int64_t>(0, end - begin);
  return result;
}

// Elements that each device gets in moves: whole ones and parts of sums from anywhere, and all from others.
struct Gets {
  std::map<std::int64_t, std::int64_t> all;
  std::map<std::int64_t, std::int64_t> parts;
  std::map<std::int64_t, std::int64_t> from_others;
};

Gets gets_of(const std::vector<Plan::Move>& moves) {
  Gets gets;
  for (const Plan::Move& move : moves) {
    (move.combines ? gets.parts : gets.all)[move.target] += elements(move.box);
    if (move.source != move.target) gets.from_others[move.target] += elements(move.box);
  }
  return gets;
}

bool is_round(const Plan::Step& step) { return step.detail.starts_with("round "); }

TEST(Moments, BytesAreThoseOfTheSteps) {
  for (const Change& change : changes()) {
    const Plan plan = plan_of(change);
    const std::vector<Plan::Step> steps = plan.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto moment = plan.moment(i + 1);
      ASSERT_TRUE(succeeded(moment));
      EXPECT_EQ(moment->type, steps[i].type);
      std::int64_t total = 0;
      std::int64_t most = 0;
      std::int64_t largest = 0;
      for (const Plan::Holding& device : moment->devices) {
        total += device.received_bytes;
        most = std::max(most, device.received_bytes);
        largest = std::max(largest, device.bytes);
      }
      EXPECT_EQ(total, steps[i].received_bytes_total) << change.from << " -> " << change.to << " step " << i;
      EXPECT_EQ(most, steps[i].received_bytes_max) << change.from << " -> " << change.to << " step " << i;
      EXPECT_EQ(largest, steps[i].local_bytes_max) << change.from << " -> " << change.to << " step " << i;
      EXPECT_LE(steps[i].peak_bytes, plan.peak_bytes());
    }
  }
}

TEST(Moments, BeginWithTheSource) {
  const Plan plan = plan_of({"x:2,y:2", "f32[5@y,4]{+x}", "f32[5,4]"});
  const auto moment = plan.moment(0);
  ASSERT_TRUE(succeeded(moment));
  EXPECT_EQ(moment->type, plan.from());
  EXPECT_EQ(moment->contributions, 2);
  ASSERT_EQ(moment->devices.size(), 4U);
  EXPECT_EQ(moment->devices[1].box, (Box{{2, 5}, {0, 4}}));
  EXPECT_EQ(moment->devices[1].bytes, 48);
  EXPECT_EQ(moment->devices[1].contribution, 0);
  EXPECT_EQ(moment->devices[2].contribution, 1);
  EXPECT_EQ(moment->devices[2].received_bytes, 0);
}

TEST(Moments, ThereIsOneMoreThanSteps) {
  const Plan plan = plan_of(changes()[0]);
  EXPECT_TRUE(succeeded(plan.moment(1)));
  EXPECT_EQ(slug_of(plan.moment(2).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(plan.moves(1).diagnostics()), "bad-call");
  EXPECT_TRUE(succeeded(plan_of({"x:4", "f32[8]", "f32[8]"}).moment(0)));
}

TEST(Moves, FillEveryTileOnce) {
  for (const Change& change : changes()) {
    const Plan plan = plan_of(change);
    const std::vector<Plan::Step> steps = plan.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto moves = plan.moves(i);
      ASSERT_TRUE(succeeded(moves));
      const auto moment = plan.moment(i + 1);
      Gets gets = gets_of(*moves);
      const std::int64_t parts = std::max<std::int64_t>(1, plan.moment(i)->contributions / moment->contributions);
      for (std::size_t d = 0; d < moment->devices.size() && !is_round(steps[i]); ++d) {
        const auto device = static_cast<std::int64_t>(d);
        EXPECT_EQ(gets.parts[device] % parts, 0);
        EXPECT_EQ(gets.all[device] + gets.parts[device] / parts, elements(moment->devices[d].box))
            << change.from << " -> " << change.to << " device " << d;
      }
    }
  }
}

TEST(Moves, AreWhatIsReceived) {
  for (const Change& change : changes()) {
    const Plan plan = plan_of(change);
    const std::int64_t element_bytes = change.from.starts_with("f64") || change.from.starts_with("i64") ? 8 : 4;
    for (std::size_t i = 0; i < plan.steps().size(); ++i) {
      Gets gets = gets_of(*plan.moves(i));
      const auto moment = plan.moment(i + 1);
      for (std::size_t d = 0; d < moment->devices.size(); ++d) {
        EXPECT_EQ(gets.from_others[static_cast<std::int64_t>(d)] * element_bytes, moment->devices[d].received_bytes)
            << change.from << " -> " << change.to << " step " << i << " device " << d;
      }
    }
  }
}

TEST(Moves, OfRoundsMakeTheExchangeTogether) {
  const Plan plan = plan_of({"x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", 2304});
  ASSERT_TRUE(is_round(plan.steps().front()));
  std::map<std::int64_t, std::int64_t> filled;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    for (const auto& [device, count] : gets_of(*plan.moves(i)).all) filled[device] += count;
  }
  for (std::int64_t device = 0; device < 8; ++device) EXPECT_EQ(filled[device], 512) << device;
}

TEST(Moves, OfOtherPlannersToo) {
  for (const std::string& name : planner_names()) {
    PlanRequest request{"x:4,y:2", "f32[16@y,16,16@x]", "f32[16,16@(x,y),16]", name, {}, false, {}};
    const auto plan = make_plan(request);
    if (!plan) continue;
    std::int64_t total = 0;
    for (std::size_t i = 1; i <= plan->steps().size(); ++i) {
      const auto moment = plan->moment(i);
      for (const Plan::Holding& device : moment->devices) total += device.received_bytes;
    }
    EXPECT_EQ(total, plan->received_bytes_total()) << name;
  }
}

TEST(Mesh, OfPlansAndArrays) {
  const Plan plan = plan_of(changes()[9]);
  ASSERT_EQ(plan.mesh().size(), 2U);
  EXPECT_EQ(plan.mesh()[0].name, "x");
  EXPECT_EQ(plan.mesh()[1].size, 2);
  EXPECT_EQ(plan.shape(), (std::vector<std::int64_t>{16, 16, 16}));
  Session session;
  ASSERT_TRUE(succeeded(session.run("let s = 1.0\nmesh m = [a: 3]\nlet v = iota(f32[6@a])")));
  EXPECT_TRUE(session.get("s")->mesh().empty());
  ASSERT_EQ(session.get("v")->mesh().size(), 1U);
  EXPECT_EQ(session.get("v")->mesh()[0].name, "a");
}

TEST(Steps, LaunchesAndPeaks) {
  const Plan sliced = plan_of({"x:4", "f32[8,8]", "f32[8@x,8]"});
  EXPECT_FALSE(sliced.steps()[0].launches);
  const Plan plan = plan_of(changes()[0]);
  EXPECT_TRUE(plan.steps()[0].launches);
  EXPECT_EQ(plan.steps()[0].peak_bytes, 128);
}

}  // namespace
}  // namespace tessera
