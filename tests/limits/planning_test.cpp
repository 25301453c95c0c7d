// How long planning alone may take, in seconds of its thread on a machine of the yardstick's speed, and how much
// memory. The limits are generous: three times what planning is meant to take.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/planner/scores.hpp"
#include "tests/limits/yardstick.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::limits {
namespace {

using synth::ArrayType;
using synth::Machine;
using synth::MeshRef;
using synth::test::Random;

// The best of some runs: other programs can only make it slower. Their effect on the speed of the machine in all of
// them is taken out.
double seconds_to_plan(const ArrayType& from, const ArrayType& to, const Machine& machine, int runs) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    const double start = thread_seconds();
    const auto made = synth::plan_unverified(from, to, machine, {});
    best = std::min(best, thread_seconds() - start);
    EXPECT_TRUE(made.ok()) << print(from) << " -> " << print(to);
  }
  return best / slowness();
}

class PlanningAlone : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef NDEBUG
    GTEST_SKIP() << "the build is not the one that users get";
#endif
  }
};

TEST_F(PlanningAlone, TakesMicrosecondsOnTheYardstick) {
  std::vector<double> seconds;
  for (const bench::ProblemClass& of : bench::all_classes()) {
    for (const bench::Problem& problem : bench::problems(of.meshes, of.extents, 20, 3)) {
      seconds.push_back(seconds_to_plan(problem.from, problem.to, machine_for(of.machine, problem, of.local_bytes), 5));
    }
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const double nearly_all = seconds[seconds.size() * 99 / 100];
  RecordProperty("median_microseconds", std::to_string(median * 1e6));
  RecordProperty("p99_microseconds", std::to_string(nearly_all * 1e6));
  EXPECT_LT(median, 3 * 100e-6);
  EXPECT_LT(nearly_all, 3 * 5e-3);
}

MeshRef mesh(std::string_view text) { return *synth::parse_mesh(text); }

ArrayType any_type(const MeshRef& on, const synth::Shape& shape, bool pending, Random& random) {
  const auto layout = synth::test::any_layout(*on, shape.size(), pending, random);
  return *ArrayType::make(synth::ElementType::f32, shape, on, layout);
}

std::vector<Machine> machines(std::int64_t devices) {
  return {Machine{}, Machine{{{"node", devices / 8, 12.5e9, 5e-6}, {"device", 8, 300e9, 1e-6}}},
          Machine{{{"node", devices / 8, 100e9, 5e-6}, {"device", 8, 50e9, 1e-6}}}};
}

TEST_F(PlanningAlone, TakesMillisecondsFor512Devices) {
  Random random(5);
  std::vector<double> all;
  for (const std::string_view on :
       {"a:512", "a:64,b:8", "a:16,b:32", "a:8,b:8,c:8", "a:4,b:2,c:4,d:2,e:8", "a:2,b:2,c:2,d:2,e:2,f:2,g:2,h:4"}) {
    const MeshRef shared = mesh(on);
    for (int pair = 0; pair < 3; ++pair) {
      const synth::Shape shape(1 + random.below(4), pair % 3 == 0 ? 1000 : 512);
      const ArrayType from = any_type(shared, shape, pair % 3 == 1, random);
      const ArrayType to = any_type(shared, shape, false, random);
      for (const Machine& machine : machines(512)) {
        all.push_back(seconds_to_plan(from, to, machine, 4));
        EXPECT_LT(all.back(), 3 * 20e-3) << print(*shared) << ": " << print(from) << " -> " << print(to);
      }
    }
  }
  std::sort(all.begin(), all.end());
  RecordProperty("median_milliseconds", std::to_string(all[all.size() / 2] * 1e3));
  RecordProperty("longest_milliseconds", std::to_string(all.back() * 1e3));
  EXPECT_LT(all[all.size() / 2], 20e-3);
}

// In a process of its own, so that the memory is the plan's: its exit status says whether it was in time.
int status_of_planning(const ArrayType& from, const ArrayType& to, double seconds_max) {
  return seconds_to_plan(from, to, Machine{}, 3) < seconds_max ? 0 : 1;
}

TEST_F(PlanningAlone, OfTheLargestMeshTakesLittleTimeAndMemory) {
  constexpr std::int64_t kResidentBytesMax = 200 << 20;
  for (const auto& [seconds_max, on, before, after] :
       {std::tuple{150e-3, "x:256,y:256", "f32[65536@x,65536@y]", "f32[65536@y,65536@x]"},
        std::tuple{150e-3, "x:256,y:256", "f32[65536@(x,y),1024]", "f32[65536,1024@x]"},
        std::tuple{150e-3, "x:65536", "f32[65536@x,8]", "f32[65536,8]"},
        std::tuple{300e-3, "x:16,y:16,z:16,w:16", "f32[4096@(x,y),4096@z,64]{+w}", "f32[4096@(y,x),4096@w,64@z]"}}) {
    const MeshRef shared = mesh(on);
    const ArrayType from = *parse_array_type(before, shared);
    const ArrayType to = *parse_array_type(after, shared);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(status_of_planning(from, to, seconds_max));
    int status = 0;
    rusage usage{};
    ASSERT_EQ(wait4(child, &status, 0, &usage), child);
    EXPECT_EQ(WEXITSTATUS(status), 0) << before << " -> " << after << " takes too long";
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_LT(usage.ru_maxrss * 1024, kResidentBytesMax) << before << " -> " << after;
  }
}

// Sums on machines of three and four levels, with many axes: a search among many ways, each with programs to find. It
// is bounded by what it counts, so that no plan takes longer than a second.
TEST_F(PlanningAlone, OfSumsOnFourLevelsTakesASecondAtMost) {
  const Machine four{{{"l0", 4, 1e9, 1e-5}, {"l1", 4, 4e9, 2.5e-6}, {"l2", 4, 16e9, 6.25e-7}, {"l3", 8, 64e9, 1.5e-7}}};
  const Machine large{
      {{"l0", 16, 1e9, 1e-5}, {"l1", 16, 4e9, 2.5e-6}, {"l2", 16, 16e9, 6.25e-7}, {"l3", 16, 64e9, 1.5e-7}}};
  const Machine three{{{"l0", 8, 1e9, 1e-5}, {"l1", 8, 4e9, 2.5e-6}, {"l2", 8, 16e9, 6.25e-7}}};
  const auto type = [](std::string_view text, const MeshRef& on) { return *synth::parse_array_type(text, on); };
  struct Case {
    std::string mesh;
    std::string from;
    std::string to;
    Machine machine;
  };
  for (const Case& one : std::vector<Case>{
           {"a:2,b:3,c:4,d:3,e:2,h:2", "f32[1021,1021@(e,a),8192,257]{+b,c,d,h}",
            "f32[1021@h,1021@d,8192,257@c]{+a,b,e}", four},
           {"a:3,b:4,c:8,d:4", "f32[8192@(d,a),4096,64,4096]{+c}", "f32[8192@c,4096@b,64@d,4096]", large},
           {"a:3,c:8,d:4", "f32[8192@(d,a),64]{+c}", "f32[8192@c,64@d]", large},
           {"a:3,b:4,c:4,d:4,e:2", "f32[1021,257@e,1021,8192]{+a,b,d}", "f32[1021@e,257,1021@a,8192@c]{+b,d}", three},
           {"a:8,b:4,c:2,d:2,e:4", "f32[257,8192,8192,65536]{+b,c,d,e}", "f32[257@e,8192@c,8192@a,65536@d]", large}}) {
    const MeshRef on = mesh(one.mesh);
    EXPECT_LT(seconds_to_plan(type(one.from, on), type(one.to, on), one.machine, 1), 1) << one.from << " -> " << one.to;
  }
  Random random(23);
  for (int round = 0; round < 30; ++round) {
    const MeshRef on = mesh(round % 2 == 0 ? "a:2,b:2,c:3,d:4,e:2,f:3" : "a:4,b:2,c:3,d:2,e:2,f:2,g:2");
    const synth::Shape shape{1021, 4096, 257, 64};
    const ArrayType from = any_type(on, shape, true, random);
    const Machine& machine = round % 3 == 0 ? four : round % 3 == 1 ? large : three;
    EXPECT_LT(seconds_to_plan(from, any_type(on, shape, true, random), machine, 1), 1) << print(from);
  }
}

}  // namespace
}  // namespace tessera::limits
