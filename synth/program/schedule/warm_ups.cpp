#include "synth/program/schedule/warm_ups.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::synth {

namespace {

// Way and back between stages, along the visits of one microbatch.
class RoundTrips {
 public:
  RoundTrips(const PipelineShape& shape, bool late)
      : shape_(shape), late_(late), stages_(shape.stages), into_(shape.visits.size()), out_of_(shape.visits.size()) {
    for (std::size_t v = 0; v < shape.visits.size(); ++v) stages_[shape.visits[v].stage].push_back(v);
    for (const BorderShape& border : shape.borders) {
      into_[border.to].push_back(&border);
      out_of_[border.from].push_back(&border);
    }
  }

  // L(i,j) of every j from i on; nothing where no microbatch comes back from j to i.
  std::vector<std::optional<double>> seconds_from(std::size_t i) const {
    const auto there = longest_from(stages_[i].front());
    const auto back = longest_to(stages_[i].back());
    std::vector<std::optional<double>> all(stages_.size());
    all[i] = of_stage(i);
    for (std::size_t j = i + 1; j < stages_.size(); ++j) {
      const std::size_t first = stages_[j].front();
      const std::size_t last = stages_[j].back();
      if (!there[first] || !back[last]) continue;
      const double twice = first == last ? weight(first) : 0;
      all[j] = *there[first] + *back[last] - twice + (late_ ? rests(i) : 0);
    }
    return all;
  }

  // From the start of a visit to the end of the border that it sends to another.
  double until_sent(const BorderShape& border) const { return weight(border.from) + border.seconds; }

  double of_stage(std::size_t stage) const {
    double seconds = 0;
    for (const std::size_t v : stages_[stage]) seconds += shape_.visits[v].main_seconds + shape_.visits[v].rest_seconds;
    return seconds;
  }

  // The borders that the visits of a stage send.
  template <class F>
  void for_each_sent(std::size_t stage, const F& f) const {
    for (const std::size_t v : stages_[stage]) {
      for (const BorderShape* border : out_of_[v]) f(*border);
    }
  }

 private:
  using Longest = std::vector<std::optional<double>>;

  double weight(std::size_t v) const {
    return shape_.visits[v].main_seconds + (late_ ? 0 : shape_.visits[v].rest_seconds);
  }
  double rests(std::size_t stage) const {
    double seconds = 0;
    for (const std::size_t v : stages_[stage]) seconds += shape_.visits[v].rest_seconds;
    return seconds;
  }

  // The longest way, over borders, from the start of a visit to the end of every later one.
  Longest longest_from(std::size_t from) const {
    Longest done(shape_.visits.size());
    done[from] = weight(from);
    for (std::size_t v = from + 1; v < done.size(); ++v) {
      for (const BorderShape* border : into_[v]) {
        if (!done[border->from]) continue;
        const double arrives = *done[border->from] + border->seconds + weight(v);
        done[v] = std::max(done[v].value_or(arrives), arrives);
      }
    }
    return done;
  }
  // The same to the end of a visit, from the start of every earlier one.
  Longest longest_to(std::size_t to) const {
    Longest done(shape_.visits.size());
    done[to] = weight(to);
    for (std::size_t v = to; v-- > 0;) {
      for (const BorderShape* border : out_of_[v]) {
        if (!done[border->to]) continue;
        const double takes = weight(v) + border->seconds + *done[border->to];
        done[v] = std::max(done[v].value_or(takes), takes);
      }
    }
    return done;
  }

  const PipelineShape& shape_;
  bool late_;
  std::vector<std::vector<std::size_t>> stages_;  // their visits
  std::vector<std::vector<const BorderShape*>> into_, out_of_;
};

// Whole periods that hold so many seconds; what the sum of rounded numbers adds does not count.
std::int64_t periods(double seconds, double period) {
  constexpr double kRounding = 1e-9;
  if (period <= 0) return 1;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(seconds / period - kRounding)));
}

}  // namespace

// Stages that share devices take turns on them.
double least_period(const PipelineShape& shape) {
  const RoundTrips trips(shape, true);
  double slowest = 0;
  for (std::size_t stage = 0; stage < shape.stages; ++stage) slowest = std::max(slowest, trips.of_stage(stage));
  for (const BorderShape& border : shape.borders) slowest = std::max(slowest, border.seconds);
  return slowest;
}

WarmUps least_warm_ups(const PipelineShape& shape, base::StopToken stop) {
  const RoundTrips trips(shape, true);
  const double slowest = least_period(shape);
  WarmUps least(shape.stages, 1);
  for (std::size_t i = shape.stages; i-- > 0;) {
    stop.look();
    const auto seconds = trips.seconds_from(i);
    for (std::size_t j = i + 1; j < shape.stages; ++j) {
      if (seconds[j]) least[i] = std::max(least[i], least[j] - 1 + periods(*seconds[j], slowest));
    }
    trips.for_each_sent(i, [&](const BorderShape& border) {
      const std::size_t to = shape.visits[border.to].stage;
      if (to <= i || seconds[to]) return;
      least[i] = std::max({least[i], least[to], periods(trips.until_sent(border), slowest)});
    });
  }
  return least;
}

WarmUps warm_ups(const PipelineShape& shape, Schedule schedule, std::int64_t microbatches, base::StopToken stop) {
  WarmUps all;
  for (std::size_t i = 0; i < shape.stages; ++i) {
    const auto to_come = static_cast<std::int64_t>(shape.stages - i);
    switch (schedule) {
      case Schedule::gpipe:
      case Schedule::gpipe_late: all.push_back(microbatches); break;
      case Schedule::one_forward_one_backward:
      case Schedule::one_forward_one_backward_late: all.push_back(to_come); break;
      case Schedule::eager:
      case Schedule::eager_late: all.push_back(2 * to_come - 1); break;
      case Schedule::automatic: break;
    }
  }
  if (schedule == Schedule::automatic) all = least_warm_ups(shape, stop);
  for (std::int64_t& each : all) each = std::max<std::int64_t>(1, std::min(each, microbatches));
  return all;
}

double period(const PipelineShape& shape, const WarmUps& warm_ups, bool late, base::StopToken stop) {
  const RoundTrips trips(shape, late);
  double longest = 0;
  for (std::size_t i = 0; i < shape.stages; ++i) {
    stop.look();
    const auto seconds = trips.seconds_from(i);
    for (std::size_t j = i; j < shape.stages; ++j) {
      const auto others = static_cast<double>(std::max<std::int64_t>(1, warm_ups[i] - warm_ups[j] + 1));
      if (seconds[j]) longest = std::max(longest, *seconds[j] / others);
    }
    trips.for_each_sent(i, [&](const BorderShape& border) {
      longest = std::max(longest, border.seconds);
      const std::size_t to = shape.visits[border.to].stage;
      const auto places = static_cast<double>(std::max(warm_ups[i], warm_ups[to]));
      if (to > i && !seconds[to]) longest = std::max(longest, trips.until_sent(border) / places);
    });
  }
  return longest;
}

}  // namespace tessera::synth
