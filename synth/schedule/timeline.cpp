#include "synth/schedule/timeline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace tessera::synth {

namespace {

class Simulation {
 public:
  Simulation(const PipelineShape& shape, const WarmUps& warm_ups, bool late, std::int64_t microbatches, Overlap overlap,
             bool all_greedy)
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
  std::optional<Timeline> run(base::StopToken stop) {
    const std::int64_t all = microbatches_ * static_cast<std::int64_t>(shape_.visits.size());
    for (std::int64_t done = 0; done < all; ++done) {
      stop.look();
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

}  // namespace

Timeline timeline(const PipelineShape& shape, const WarmUps& warm_ups, bool late, std::int64_t microbatches,
                  Overlap overlap, base::StopToken stop) {
  for (const bool all_greedy : {false, true}) {
    auto done = Simulation(shape, warm_ups, late, microbatches, overlap, all_greedy).run(stop);
    if (done) return std::move(*done);
  }
  throw base::InternalError("the visits of a pipeline wait for each other");
}

double bubble(const PipelineShape& shape, const Timeline& timeline) {
  double works = 0;
  for (const TimedVisit& visit : timeline.visits) works += visit.end - visit.begin;
  const double all = timeline.makespan * static_cast<double>(shape.stages);
  return all > 0 ? 1 - works / all : 0;
}

}  // namespace tessera::synth
