#include "synth/schedule/warm_ups.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera::synth {

namespace {

// Way and back between stages, along the visits of one microbatch.
class RoundTrips {
 public:
  RoundTrips(const PipelineShape& shape, bool late) : shape_(shape), late_(late) {
    for (std::size_t stage = 0; stage < shape.stages; ++stage) {
      const std::vector<std::size_t> visits = shape.visits_of(stage);
      first_.push_back(visits.front());
      last_.push_back(visits.back());
    }
  }

  // L(i,j); nothing where no microbatch comes back from j to i.
  std::optional<double> seconds(std::size_t i, std::size_t j) const {
    if (i == j) return of_stage(i);
    const auto there = longest(first_[i], first_[j]);
    const auto back = longest(last_[j], last_[i]);
    if (!there || !back) return std::nullopt;
    const double twice = first_[j] == last_[j] ? weight(first_[j]) : 0;
    return *there + *back - twice + (late_ ? rests(i) : 0);
  }

  // From the start of a visit to the end of the border that it sends to another.
  double until_sent(const BorderShape& border) const { return weight(border.from) + border.seconds; }

  double of_stage(std::size_t stage) const {
    double seconds = 0;
    for (const std::size_t v : shape_.visits_of(stage))
      seconds += shape_.visits[v].main_seconds + shape_.visits[v].rest_seconds;
    return seconds;
  }

 private:
  double weight(std::size_t v) const {
    return shape_.visits[v].main_seconds + (late_ ? 0 : shape_.visits[v].rest_seconds);
  }
  double rests(std::size_t stage) const {
    double seconds = 0;
    for (const std::size_t v : shape_.visits_of(stage)) seconds += shape_.visits[v].rest_seconds;
    return seconds;
  }

  // The longest way from the start of one visit to the end of another, over borders.
  std::optional<double> longest(std::size_t from, std::size_t to) const {
    std::vector<std::optional<double>> done(shape_.visits.size());
    done[from] = weight(from);
    for (std::size_t v = from + 1; v <= to; ++v) {
      for (const BorderShape& border : shape_.borders) {
        if (border.to != v || !done[border.from]) continue;
        const double arrives = *done[border.from] + border.seconds + weight(v);
        done[v] = std::max(done[v].value_or(arrives), arrives);
      }
    }
    return from <= to ? done[to] : std::nullopt;
  }

  const PipelineShape& shape_;
  bool late_;
  std::vector<std::size_t> first_, last_;
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

WarmUps least_warm_ups(const PipelineShape& shape) {
  const RoundTrips trips(shape, true);
  const double slowest = least_period(shape);
  WarmUps least(shape.stages, 1);
  for (std::size_t i = shape.stages; i-- > 0;) {
    for (std::size_t j = i + 1; j < shape.stages; ++j) {
      if (const auto seconds = trips.seconds(i, j))
        least[i] = std::max(least[i], least[j] - 1 + periods(*seconds, slowest));
    }
    for (const BorderShape& border : shape.borders) {
      const std::size_t to = shape.visits[border.to].stage;
      if (shape.visits[border.from].stage != i || to <= i || trips.seconds(i, to)) continue;
      least[i] = std::max({least[i], least[to], periods(trips.until_sent(border), slowest)});
    }
  }
  return least;
}

WarmUps warm_ups(const PipelineShape& shape, Schedule schedule, std::int64_t microbatches) {
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
  if (schedule == Schedule::automatic) all = least_warm_ups(shape);
  for (std::int64_t& each : all) each = std::max<std::int64_t>(1, std::min(each, microbatches));
  return all;
}

double period(const PipelineShape& shape, const WarmUps& warm_ups, bool late) {
  const RoundTrips trips(shape, late);
  double longest = 0;
  for (std::size_t i = 0; i < shape.stages; ++i) {
    for (std::size_t j = i; j < shape.stages; ++j) {
      const auto others = static_cast<double>(std::max<std::int64_t>(1, warm_ups[i] - warm_ups[j] + 1));
      if (const auto seconds = trips.seconds(i, j)) longest = std::max(longest, *seconds / others);
    }
  }
  for (const BorderShape& border : shape.borders) {
    longest = std::max(longest, border.seconds);
    const std::size_t from = shape.visits[border.from].stage;
    const std::size_t to = shape.visits[border.to].stage;
    const auto places = static_cast<double>(std::max(warm_ups[from], warm_ups[to]));
    if (to > from && !trips.seconds(from, to)) longest = std::max(longest, trips.until_sent(border) / places);
  }
  return longest;
}

}  // namespace tessera::synth
