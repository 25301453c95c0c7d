#include "synth/program/schedule/timeline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera::synth {

namespace {

// Visits of one stage that could begin, if the stage were free. A visit stands once.
class Ready {
 public:
  // From when on the visit can begin; nothing while that is not known.
  void set(std::size_t visit, std::optional<double> from) {
    if (const auto known = from_.find(visit); known != from_.end()) {
      waiting_.erase({known->second, Latest{visit}});
      begun_.erase(Latest{visit});
      from_.erase(known);
    }
    if (!from) return;
    from_[visit] = *from;
    waiting_.insert({*from, Latest{visit}});
  }
  struct First {
    std::size_t visit = 0;
    double begin = 0;
  };
  // The one that can begin first, once the stage is free, which is never earlier than before; of several the latest.
  std::optional<First> first(double free) {
    while (!waiting_.empty() && waiting_.begin()->first <= free) {
      begun_.insert(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
    if (!begun_.empty()) return First{begun_.begin()->visit, free};
    if (waiting_.empty()) return std::nullopt;
    return First{waiting_.begin()->second.visit, waiting_.begin()->first};
  }

 private:
  struct Latest {
    std::size_t visit = 0;
    bool operator<(const Latest& other) const { return visit > other.visit; }
  };
  std::map<std::size_t, double> from_;
  std::set<std::pair<double, Latest>> waiting_;
  std::set<Latest> begun_;  // could have begun before now
};

// Takes one visit after the other, the one that can begin first. What that changes are a few visits, and only these are
// looked at again, so that the time goes with the number of visits.
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
        visits_of_(shape.stages),
        into_(shape.visits.size()),
        out_of_(shape.visits.size()),
        next_(shape.visits.size(), 0),
        begins_(shape.visits.size()),
        free_(shape.stages, 0),
        arrivals_(shape.borders.size()),
        ends_(shape.visits.size()),
        ready_(shape.stages),
        from_(shape.visits.size()),
        queued_(shape.stages) {
    for (std::size_t v = 0; v < shape.visits.size(); ++v) {
      std::vector<std::size_t>& own = visits_of_[shape.visits[v].stage];
      before_.push_back(own.empty() ? v : own.back());
      own.push_back(v);
    }
    for (std::size_t b = 0; b < shape.borders.size(); ++b) {
      into_[shape.borders[b].to].push_back(b);
      out_of_[shape.borders[b].from].push_back(b);
    }
    after_.resize(shape.visits.size());
    for (std::size_t v = 0; v < before_.size(); ++v) after_[v] = v;
    for (std::size_t v = 0; v < before_.size(); ++v) after_[before_[v]] = v;
  }

  // Nothing if stages wait for each other for ever.
  std::optional<Timeline> run(base::StopToken stop) {
    const std::int64_t all = microbatches_ * static_cast<std::int64_t>(shape_.visits.size());
    for (std::size_t v = 0; v < shape_.visits.size(); ++v) look_at_visit(v);
    for (std::size_t stage = 0; stage < shape_.stages; ++stage) look_at_stage(stage);
    for (std::int64_t done = 0; done < all; ++done) {
      stop.look();
      if (queue_.empty()) return std::nullopt;
      const auto [begin, stage] = *queue_.begin();
      const std::size_t v = queued_[stage]->visit;
      take(v, begin);
      look_again(v);
    }
    std::stable_sort(timeline_.borders.begin(), timeline_.borders.end(),
                     [](const TimedBorder& a, const TimedBorder& b) { return a.begin < b.begin; });
    return std::move(timeline_);
  }

 private:
  using Candidate = Ready::First;

  bool is_greedy(std::size_t stage) const { return all_greedy_ || visits_of_[stage].size() > 2; }

  // What the visit that was just taken has changed.
  void look_again(std::size_t v) {
    const std::size_t stage = shape_.visits[v].stage;
    look_at_visit(v);
    look_at_visit(after_[v]);
    look_at_visit(visits_of_[stage].front());
    look_at_stage(stage);
    for (const std::size_t other : shape_.sharing[stage]) look_at_stage(other);
    for (const std::size_t b : out_of_[v]) look_at_both(shape_.borders[b].to);
    for (const std::size_t b : into_[v]) look_at_both(shape_.borders[b].from);
  }
  void look_at_both(std::size_t v) {
    look_at_visit(v);
    look_at_stage(shape_.visits[v].stage);
  }

  void look_at_visit(std::size_t v) {
    const std::size_t stage = shape_.visits[v].stage;
    from_[v] = begins_from(v);
    if (!is_greedy(stage)) return;
    const std::vector<std::size_t>& visits = visits_of_[stage];
    const bool is_full = visits.size() > 1 && v == visits.front() && has_all_in_flight(stage);
    ready_[stage].set(v, is_full ? std::nullopt : from_[v]);
  }
  bool has_all_in_flight(std::size_t stage) const {
    return next_[visits_of_[stage].front()] - next_[visits_of_[stage].back()] >= warm_ups_[stage];
  }

  void look_at_stage(std::size_t stage) {
    if (queued_[stage]) queue_.erase({queued_[stage]->begin, stage});
    double free = free_[stage];
    for (const std::size_t other : shape_.sharing[stage]) free = std::max(free, free_[other]);
    queued_[stage] = is_greedy(stage) ? ready_[stage].first(free) : next_in_turn(stage, free);
    if (queued_[stage]) queue_.insert({queued_[stage]->begin, stage});
  }
  std::optional<Candidate> next_in_turn(std::size_t stage, double free) const {
    const std::size_t first = visits_of_[stage].front();
    const std::size_t last = visits_of_[stage].back();
    const bool may_begin = next_[first] < microbatches_ && !has_all_in_flight(stage);
    const std::size_t v = first == last || may_begin ? first : last;
    return from_[v] ? std::optional(Candidate{v, std::max(free, *from_[v])}) : std::nullopt;
  }

  // When all that the next microbatch of a visit waits for is there; nothing while that is not known.
  std::optional<double> begins_from(std::size_t v) const {
    const std::int64_t k = next_[v];
    if (k >= microbatches_) return std::nullopt;
    double begin = 0;
    if (before_[v] != v) {
      if (next_[before_[v]] <= k) return std::nullopt;
      begin = std::max(begin, ends_[before_[v]][static_cast<std::size_t>(k)]);
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
    return begin;
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
  std::vector<std::size_t> before_, after_;                      // of each visit, that of its stage; itself without one
  std::vector<std::int64_t> next_;                               // of each visit, the microbatch that it takes next
  std::vector<std::vector<double>> begins_;                      // of each visit and microbatch
  std::vector<double> free_;                                     // of each stage
  std::map<std::pair<std::size_t, std::size_t>, double> links_;  // from stage to stage: when it is free
  std::vector<std::vector<double>> arrivals_;                    // of each border and microbatch
  std::vector<std::vector<double>> ends_;
  std::vector<Ready> ready_;                        // of each stage that takes the latest
  std::vector<std::optional<double>> from_;         // of each visit: when it may begin, if its stage is free
  std::vector<std::optional<Candidate>> queued_;    // of each stage
  std::set<std::pair<double, std::size_t>> queue_;  // of all stages: when they begin
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
