// Orders of pipelines: known makespans, the formula of the period against the simulation, and that the least warm-ups
// are the least.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "synth/program/schedule/schedule.hpp"
#include "synth/program/schedule/timeline.hpp"
#include "synth/program/schedule/warm_ups.hpp"

namespace tessera::synth {
namespace {

struct StageTimes {
  double forward = 1;
  double backward = 1;
  double rest = 1;
};

// Stages in a row, forward and back: the last one has one visit, as programs have it, or two.
enum class LastStage : std::uint8_t { one_visit, two_visits };
PipelineShape chain(const std::vector<StageTimes>& stages, const std::vector<double>& there,
                    const std::vector<double>& back, LastStage last = LastStage::one_visit) {
  PipelineShape shape;
  shape.stages = stages.size();
  shape.sharing.resize(stages.size());
  const std::size_t end = stages.size() - 1;
  for (std::size_t i = 0; i < end; ++i) shape.visits.push_back({i, stages[i].forward, 0});
  const StageTimes& turn = stages[end];
  if (last == LastStage::one_visit) {
    shape.visits.push_back({end, turn.forward + turn.backward, turn.rest});
  } else {
    shape.visits.push_back({end, turn.forward, 0});
    shape.visits.push_back({end, turn.backward, turn.rest});
  }
  const std::size_t turned = shape.visits.size() - 1;
  for (std::size_t i = end; i-- > 0;) shape.visits.push_back({i, stages[i].backward, stages[i].rest});
  for (std::size_t i = 0; i < end; ++i) {
    shape.borders.push_back({i, i + 1, there[i]});
    shape.borders.push_back({turned + i, turned + i + 1, back[end - 1 - i]});
  }
  return shape;
}

PipelineShape even(std::size_t stages, double border, LastStage last = LastStage::one_visit) {
  const std::vector<double> borders(stages - 1, border);
  return chain(std::vector<StageTimes>(stages), borders, borders, last);
}

double makespan(const PipelineShape& shape, Schedule schedule, Overlap overlap = Overlap::full) {
  return timeline(shape, warm_ups(shape, schedule, 32), is_late(schedule), 32, overlap).makespan;
}

// Four stages, 32 microbatches, a second for each of forward, backward and rest; borders of 0.5, 1, 2 and 3 seconds.
TEST(Schedule, MakespansOfFourEvenStages) {
  const std::vector<double> borders = {0.5, 1, 2, 3};
  const auto row = [&](Schedule schedule, const std::vector<double>& expected, Overlap overlap = Overlap::full) {
    for (std::size_t k = 0; k < borders.size(); ++k) {
      const PipelineShape shape = even(4, borders[k], LastStage::two_visits);
      EXPECT_NEAR(makespan(shape, schedule, overlap), expected[k], 1e-9) << name(schedule) << ", " << borders[k];
    }
  };
  row(Schedule::one_forward_one_backward, {138.5, 172, 239, 306}, Overlap::none);
  row(Schedule::one_forward_one_backward, {131, 157, 209, 261});
  row(Schedule::eager, {108, 111, 130, 162});
  row(Schedule::one_forward_one_backward_late, {105, 131, 183, 235});
  row(Schedule::eager_late, {105, 108, 114, 146});
  row(Schedule::automatic, {105, 108, 114, 122});
  row(Schedule::gpipe, {108, 111, 148, 216});
}

// A program computes the last stage's forward and backward in one visit: only gpipe, which would hold them apart,
// gains.
TEST(Schedule, OneVisitOfTheLastStageIsNeverSlower) {
  for (const double border : {0.0, 0.5, 1.0, 2.0, 3.0}) {
    for (const Schedule schedule : all_schedules()) {
      const double one = makespan(even(4, border), schedule);
      const double two = makespan(even(4, border, LastStage::two_visits), schedule);
      if (schedule == Schedule::gpipe || schedule == Schedule::gpipe_late)
        EXPECT_LE(one, two + 1e-9) << name(schedule) << ", " << border;
      else
        EXPECT_NEAR(one, two, 1e-9) << name(schedule) << ", " << border;
    }
  }
}

TEST(Schedule, LeastWarmUpsOfFourEvenStages) {
  EXPECT_EQ(least_warm_ups(even(4, 0.5)), (WarmUps{4, 3, 2, 1}));
  EXPECT_EQ(least_warm_ups(even(4, 1)), (WarmUps{7, 5, 3, 1}));
  EXPECT_EQ(least_warm_ups(even(4, 2)), (WarmUps{7, 5, 3, 1}));
  EXPECT_EQ(least_warm_ups(even(4, 3)), (WarmUps{10, 7, 4, 1}));
}

TEST(Schedule, WarmUpsAreNotMoreThanMicrobatches) {
  EXPECT_EQ(warm_ups(even(4, 3), Schedule::automatic, 3), (WarmUps{3, 3, 3, 1}));
  EXPECT_EQ(warm_ups(even(2, 3), Schedule::gpipe, 0), (WarmUps{1, 1}));
  EXPECT_EQ(warm_ups(even(3, 1), Schedule::eager, 9), (WarmUps{5, 3, 1}));
}

class RandomPipelines {
 public:
  explicit RandomPipelines(unsigned seed) : random_(seed) {}
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::int64_t among(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  PipelineShape shape() {
    const auto stages = static_cast<std::size_t>(among(2, 6));
    std::vector<StageTimes> times;
    for (std::size_t i = 0; i < stages; ++i) times.push_back({between(0.2, 2), between(0.2, 2), between(0, 2)});
    std::vector<double> there;
    std::vector<double> back;
    const double longest = between(0, 4);
    for (std::size_t i = 0; i + 1 < stages; ++i) {
      there.push_back(between(0, longest));
      back.push_back(between(0, longest));
    }
    return chain(times, there, back);
  }
  WarmUps falling(std::size_t stages) {
    WarmUps all(stages, 1);
    for (std::size_t i = stages - 1; i-- > 0;) all[i] = all[i + 1] + among(0, 3);
    return all;
  }

 private:
  std::mt19937 random_;
};

// Between two microbatches of the first stage's last visit, on the average of many late ones.
double simulated_period(const PipelineShape& shape, const WarmUps& warm_ups, bool late) {
  constexpr std::int64_t kMicrobatches = 1200;
  const Timeline times = timeline(shape, warm_ups, late, kMicrobatches);
  std::vector<double> ends;
  for (const TimedVisit& visit : times.visits) {
    if (visit.visit + 1 == shape.visits.size()) ends.push_back(visit.end);
  }
  constexpr std::size_t kBegin = 360;
  constexpr std::size_t kEnd = 1080;
  return (ends[kEnd] - ends[kBegin]) / static_cast<double>(kEnd - kBegin);
}

TEST(Schedule, TheFormulaOfThePeriodIsTheSimulations) {
  RandomPipelines random(15);
  for (int n = 0; n < 1200; ++n) {
    const PipelineShape shape = random.shape();
    const WarmUps own = random.falling(shape.stages);
    const bool late = n % 2 == 0;
    const double simulated = simulated_period(shape, own, late);
    ASSERT_NEAR(period(shape, own, late) / simulated, 1, 0.0006) << n << (late ? " late" : "");
  }
}

// One fewer on any stage does not hide all, where the stage needs more than one.
TEST(Schedule, LeastWarmUpsHideAllAndOneFewerDoesNot) {
  RandomPipelines random(16);
  int fewer = 0;
  for (int n = 0; n < 70; ++n) {
    const PipelineShape shape = random.shape();
    const WarmUps least = least_warm_ups(shape);
    const double best = least_period(shape);
    ASSERT_NEAR(simulated_period(shape, least, true), best, best * 0.0006) << n;
    for (std::size_t i = 0; i < least.size(); ++i) {
      const bool falls = i + 1 < least.size() && least[i] > least[i + 1];
      if (!falls) continue;  // a stage before it would have to wait for it
      WarmUps one_fewer = least;
      --one_fewer[i];
      ++fewer;
      EXPECT_GT(simulated_period(shape, one_fewer, true), best * 1.0006) << n << ", stage " << i;
    }
  }
  EXPECT_GT(fewer, 150);
}

// Nobody holds more microbatches between a stage's first and last visit than its warm-up says.
TEST(Schedule, StagesHoldWhatTheirWarmUpsSay) {
  RandomPipelines random(17);
  for (int n = 0; n < 100; ++n) {
    const PipelineShape shape = random.shape();
    for (const Schedule schedule : all_schedules()) {
      const WarmUps own = warm_ups(shape, schedule, 20);
      const Timeline times = timeline(shape, own, is_late(schedule), 20);
      std::vector<std::int64_t> held(shape.stages, 0);
      std::vector<std::int64_t> most(shape.stages, 0);
      for (const TimedVisit& visit : times.visits) {
        const std::size_t stage = shape.visits[visit.visit].stage;
        const std::vector<std::size_t> visits = shape.visits_of(stage);
        if (visit.visit == visits.front()) most[stage] = std::max(most[stage], ++held[stage]);
        if (visit.visit == visits.back()) --held[stage];
      }
      for (std::size_t i = 0; i < most.size(); ++i) EXPECT_LE(most[i], own[i]) << name(schedule);
      EXPECT_EQ(times.visits.size(), 20 * shape.visits.size());
    }
  }
}

TEST(Schedule, BackwardsComeInTheOrderOfMicrobatches) {
  RandomPipelines random(18);
  for (int n = 0; n < 50; ++n) {
    const PipelineShape shape = random.shape();
    const Timeline times = timeline(shape, random.falling(shape.stages), n % 2 == 0, 30);
    std::vector<std::int64_t> next(shape.visits.size(), 0);
    for (const TimedVisit& visit : times.visits) EXPECT_EQ(visit.microbatch, next[visit.visit]++);
  }
}

// Two stages on the same devices never work at once.
TEST(Schedule, StagesThatShareDevicesTakeTurns) {
  PipelineShape shape = even(3, 0.5);
  shape.sharing = {{2}, {}, {0}};
  const Timeline times = timeline(shape, warm_ups(shape, Schedule::eager, 12), false, 12);
  double free = 0;
  for (const TimedVisit& visit : times.visits) {
    if (shape.visits[visit.visit].stage == 1) continue;
    EXPECT_GE(visit.begin, free);
    free = visit.end;
  }
}

// Stages that send nothing back do not run ahead further than there are places for what they send.
TEST(Schedule, AStageThatGetsNothingBackWaitsForPlaces) {
  PipelineShape shape;
  shape.stages = 2;
  shape.sharing.resize(2);
  shape.visits = {{0, 1, 0}, {1, 5, 0}};
  shape.borders = {{0, 1, 1}};
  const Timeline times = timeline(shape, {2, 1}, true, 10);
  std::int64_t ahead = 0;
  for (const TimedVisit& visit : times.visits) {
    ahead += visit.visit == 0 ? 1 : -1;
    EXPECT_LE(ahead, 2);
  }
  EXPECT_NEAR(times.makespan, 52, 1e-9);
}

TEST(Schedule, NamesAreReadBack) {
  for (const Schedule schedule : all_schedules()) EXPECT_EQ(schedule_by_name(name(schedule)), schedule);
  EXPECT_FALSE(schedule_by_name("1fb1").has_value());
  EXPECT_FALSE(schedule_by_name("auto+late").has_value());
}

}  // namespace
}  // namespace tessera::synth
