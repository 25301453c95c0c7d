// Timelines of pipelines: as a plain simulation has them, which looks at every visit each time; in a time that goes
// with the number of visits; and until somebody asks for a stop.
#include "synth/program/schedule/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "synth/program/schedule/pipeline_plan.hpp"
#include "synth/program/schedule/warm_ups.hpp"

namespace tessera::synth {
namespace {

class PlainSimulation {
 public:
  PlainSimulation(const PipelineShape& shape, const WarmUps& warm_ups, bool late, std::int64_t microbatches,
                  Overlap overlap, bool all_greedy)
      : shape_(shape),
        warm_ups_(warm_ups),
        late_(late),
        microbatches_(microbatches),
        overlap_(overlap),
        all_greedy_(all_greedy),
        next_(shape.visits.size(), 0),
        begins_(shape.visits.size()),
        free_(shape.stages, 0),
        arrivals_(shape.borders.size()),
        ends_(shape.visits.size()) {
    for (std::size_t stage = 0; stage < shape.stages; ++stage) visits_of_.push_back(shape.visits_of(stage));
    into_.resize(shape.visits.size());
    out_of_.resize(shape.visits.size());
    for (std::size_t b = 0; b < shape.borders.size(); ++b) {
      into_[shape.borders[b].to].push_back(b);
      out_of_[shape.borders[b].from].push_back(b);
    }
  }

  // Nothing if stages wait for each other for ever.
  std::optional<Timeline> run() {
    const std::int64_t all = microbatches_ * static_cast<std::int64_t>(shape_.visits.size());
    for (std::int64_t done = 0; done < all; ++done) {
      const auto next = first_to_begin();
      if (!next) return std::nullopt;
      take(next->visit, next->begin);
    }
    std::stable_sort(timeline_.borders.begin(), timeline_.borders.end(),
                     [](const TimedBorder& a, const TimedBorder& b) { return a.begin < b.begin; });
    return std::move(timeline_);
  }

 private:
  struct Candidate {
    std::size_t visit = 0;
    double begin = 0;
  };

  // The visit that can begin first, over all stages; visits that begin later cannot make anything ready before.
  std::optional<Candidate> first_to_begin() const {
    std::optional<Candidate> first;
    for (std::size_t stage = 0; stage < shape_.stages; ++stage) {
      const auto candidate = is_greedy(stage) ? latest_ready(stage) : next_in_turn(stage);
      if (candidate && (!first || candidate->begin < first->begin)) first = candidate;
    }
    return first;
  }

  bool is_greedy(std::size_t stage) const { return all_greedy_ || visits_of_[stage].size() > 2; }

  std::optional<Candidate> next_in_turn(std::size_t stage) const {
    const std::size_t first = visits_of_[stage].front();
    const std::size_t last = visits_of_[stage].back();
    const bool may_begin = next_[first] < microbatches_ && next_[first] - next_[last] < warm_ups_[stage];
    return candidate(first == last || may_begin ? first : last);
  }

  std::optional<Candidate> latest_ready(std::size_t stage) const {
    std::optional<Candidate> best;
    const std::vector<std::size_t>& visits = visits_of_[stage];
    for (auto v = visits.rbegin(); v != visits.rend(); ++v) {
      const bool is_full = *v == visits.front() && next_[*v] - next_[visits.back()] >= warm_ups_[stage];
      if (is_full && visits.size() > 1) continue;
      const auto one = candidate(*v);
      if (one && (!best || one->begin < best->begin)) best = one;
    }
    return best;
  }

  // When the next microbatch of a visit may begin; nothing while that is not known.
  std::optional<Candidate> candidate(std::size_t v) const {
    const std::int64_t k = next_[v];
    if (k >= microbatches_) return std::nullopt;
    const std::size_t stage = shape_.visits[v].stage;
    double begin = free_[stage];
    for (const std::size_t other : shape_.sharing[stage]) begin = std::max(begin, free_[other]);
    const std::vector<std::size_t>& own = visits_of_[stage];
    if (v != own.front()) {
      const std::size_t before = *std::prev(std::find(own.begin(), own.end(), v));
      if (next_[before] <= k) return std::nullopt;
      begin = std::max(begin, ends_[before][static_cast<std::size_t>(k)]);
    }
    for (const std::size_t b : into_[v]) {
      if (static_cast<std::int64_t>(arrivals_[b].size()) <= k) return std::nullopt;
      begin = std::max(begin, arrivals_[b][static_cast<std::size_t>(k)]);
    }
    for (const std::size_t b : out_of_[v]) {
      const auto taken = place_is_free(shape_.borders[b], k);
      if (!taken) return std::nullopt;
      begin = std::max(begin, *taken);
    }
    return Candidate{v, begin};
  }

  // When the value that had a border's place before is taken out of it.
  std::optional<double> place_is_free(const BorderShape& border, std::int64_t k) const {
    const std::int64_t places =
        std::max(warm_ups_[shape_.visits[border.from].stage], warm_ups_[shape_.visits[border.to].stage]);
    if (k < places) return 0;
    if (next_[border.to] <= k - places) return std::nullopt;
    return begins_[border.to][static_cast<std::size_t>(k - places)];
  }

  void take(std::size_t v, double begin) {
    const VisitShape& visit = shape_.visits[v];
    const std::int64_t k = next_[v]++;
    double end = begin + visit.main_seconds + visit.rest_seconds;
    const double ready = late_ ? begin + visit.main_seconds : end;
    for (const std::size_t b : out_of_[v]) {
      if (overlap_ == Overlap::none)
        end = send_and_wait(b, k, end);
      else
        send(b, k, ready);
    }
    begins_[v].push_back(begin);
    ends_[v].push_back(end);
    free_[visit.stage] = end;
    timeline_.visits.push_back({v, k, begin, end});
    timeline_.makespan = std::max(timeline_.makespan, end);
  }

  void send(std::size_t b, std::int64_t k, double ready) {
    const BorderShape& border = shape_.borders[b];
    double& link = links_[{shape_.visits[border.from].stage, shape_.visits[border.to].stage}];
    const double begin = std::max(ready, link);
    link = begin + border.seconds;
    arrivals_[b].push_back(link);
    timeline_.borders.push_back({b, k, begin, link});
  }

  double send_and_wait(std::size_t b, std::int64_t k, double begin) {
    const double end = begin + shape_.borders[b].seconds;
    arrivals_[b].push_back(end);
    timeline_.borders.push_back({b, k, begin, end});
    return end;
  }

  const PipelineShape& shape_;
  const WarmUps& warm_ups_;
  bool late_;
  std::int64_t microbatches_;
  Overlap overlap_;
  bool all_greedy_;
  std::vector<std::vector<std::size_t>> visits_of_, into_, out_of_;
  std::vector<std::int64_t> next_;                               // of each visit, the microbatch that it takes next
  std::vector<std::vector<double>> begins_;                      // of each visit and microbatch
  std::vector<double> free_;                                     // of each stage
  std::map<std::pair<std::size_t, std::size_t>, double> links_;  // from stage to stage: when it is free
  std::vector<std::vector<double>> arrivals_;                    // of each border and microbatch
  std::vector<std::vector<double>> ends_;
  Timeline timeline_;
};

Timeline plain_timeline(const PipelineShape& shape, const WarmUps& warm_ups, bool late, std::int64_t microbatches,
                        Overlap overlap) {
  for (const bool all_greedy : {false, true}) {
    auto done = PlainSimulation(shape, warm_ups, late, microbatches, overlap, all_greedy).run();
    if (done) return std::move(*done);
  }
  ADD_FAILURE() << "the visits wait for each other";
  return {};
}

// Any pipeline: a visit may be on any stage, and sends to any later ones of others. Times are whole, so that many
// visits can begin together.
class AnyPipeline {
 public:
  explicit AnyPipeline(unsigned seed) : random_(seed) {}

  std::size_t up_to(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random_); }

  PipelineShape shape(std::size_t stages_max, std::size_t visits_max) {
    PipelineShape shape;
    shape.stages = 1 + up_to(stages_max - 1);
    const std::size_t visits = shape.stages + up_to(visits_max);
    for (std::size_t v = 0; v < visits; ++v) {
      const std::size_t stage = v < shape.stages ? v : up_to(shape.stages - 1);
      shape.visits.push_back({stage, seconds(), seconds()});
    }
    for (std::size_t v = 1; v < visits; ++v) {
      for (std::size_t more = up_to(2); more > 0; --more) {
        const std::size_t from = up_to(v - 1);
        if (shape.visits[from].stage != shape.visits[v].stage) shape.borders.push_back({from, v, seconds()});
      }
    }
    shape.sharing.resize(shape.stages);
    if (shape.stages > 2 && up_to(2) == 0) {
      shape.sharing[0] = {2};
      shape.sharing[2] = {0};
    }
    return shape;
  }
  WarmUps warm_ups(const PipelineShape& shape) {
    WarmUps own;
    for (std::size_t i = 0; i < shape.stages; ++i) own.push_back(static_cast<std::int64_t>(1 + up_to(7)));
    return own;
  }

 private:
  double seconds() { return static_cast<double>(up_to(4)); }
  std::mt19937 random_;
};

TEST(Timeline, IsThatOfAPlainSimulation) {
  AnyPipeline any(4);
  for (int n = 0; n < 1500; ++n) {
    const PipelineShape shape = any.shape(6, 9);
    const WarmUps own = any.warm_ups(shape);
    const bool late = n % 2 == 0;
    const Overlap overlap = n % 5 == 0 ? Overlap::none : Overlap::full;
    const Timeline times = timeline(shape, own, late, 12, overlap);
    const Timeline plain = plain_timeline(shape, own, late, 12, overlap);
    ASSERT_EQ(times.visits.size(), plain.visits.size());
    for (std::size_t k = 0; k < times.visits.size(); ++k) {
      const TimedVisit& a = times.visits[k];
      const TimedVisit& b = plain.visits[k];
      ASSERT_EQ(std::tuple(a.visit, a.microbatch, a.begin, a.end), std::tuple(b.visit, b.microbatch, b.begin, b.end))
          << "pipeline " << n << ", visit " << k;
    }
    EXPECT_EQ(times.makespan, plain.makespan);
    ASSERT_EQ(times.borders.size(), plain.borders.size());
    for (std::size_t k = 0; k < times.borders.size(); ++k) {
      EXPECT_EQ(times.borders[k].begin, plain.borders[k].begin);
      EXPECT_EQ(times.borders[k].end, plain.borders[k].end);
    }
  }
}

// Many visits, dealt to few stages or to many, and to stages of many visits.
std::vector<std::pair<PipelineShape, std::int64_t>> large_pipelines() {
  constexpr std::int64_t kVisits = 200'000;
  std::vector<std::pair<PipelineShape, std::int64_t>> all;
  for (const std::size_t stages : {2U, 30U, 400U}) {
    for (const std::size_t turns : {1U, 40U}) {
      PipelineShape shape;
      shape.stages = stages;
      shape.sharing.resize(stages);
      for (std::size_t v = 0; v < stages * turns; ++v) {
        shape.visits.push_back({v % stages, 1, 1});
        if (v > 0) shape.borders.push_back({v - 1, v, 1});
      }
      all.emplace_back(shape, kVisits / static_cast<std::int64_t>(shape.visits.size()));
    }
  }
  return all;
}

TEST(Timeline, OfManyVisitsTakesSecondsUnderEverySchedule) {
  for (const auto& [shape, microbatches] : large_pipelines()) {
    for (const Schedule schedule : all_schedules()) {
      const auto begin = std::chrono::steady_clock::now();
      const Timeline times = timeline(shape, warm_ups(shape, schedule, microbatches), is_late(schedule), microbatches);
      EXPECT_EQ(times.visits.size(), shape.visits.size() * static_cast<std::size_t>(microbatches));
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10))
          << name(schedule) << " on " << shape.stages << " stages of " << shape.visits.size() << " visits";
    }
  }
}

TEST(Timeline, IsGivenUpWhenAskedTo) {
  for (const auto& [shape, microbatches] : large_pipelines()) {
    std::atomic<bool> stop = false;
    std::atomic<std::chrono::steady_clock::time_point> asked;
    std::thread asking([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      asked = std::chrono::steady_clock::now();
      stop = true;
    });
    EXPECT_THROW(compare_schedules(shape, microbatches, base::StopToken(&stop)), base::Interrupted);
    const auto after = std::chrono::steady_clock::now() - asked.load();
    asking.join();
    EXPECT_LT(after, std::chrono::seconds(1)) << shape.stages;
  }
}

}  // namespace
}  // namespace tessera::synth
