#include "synth/planner/within.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/units_text.hpp"
#include "synth/kinds.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/portfolio.hpp"
#include "synth/planner/refinements.hpp"
#include "synth/planner/round_peaks.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// ---- Chains ----

// A way to resolve what is pending, and what it leads to.
struct Resolution {
  Chain steps;
  ArrayType resolved;
};

// The steps by which a chain's pending set becomes the target's, before anything is kept.
base::Result<Resolution> resolution_of(const Chain& chain, const ArrayType& from, const ArrayType& unkept_target) {
  Resolution found{{}, from};
  for (const Collective& step : chain) {
    if (found.resolved.layout().pending() == unkept_target.layout().pending()) break;
    TESSERA_TRY(after, apply(step, found.resolved));
    found.resolved = after;
    found.steps.push_back(step);
  }
  return found;
}

// For each way to resolve what is pending: the portfolio's chain, the direct move, the plain exchange, and all detours
// over a refinement of the target.
class Chains {
 public:
  Chains(const RunMachine& machine, const ArrayType& from, const ArrayType& to)
      : machine_(machine), from_(from), to_(to) {}

  base::Result<std::vector<Chain>> all(const std::vector<Chain>& portfolio) {
    const PendingChange change = pending_change(from_, to_);
    TESSERA_TRY(target, without_keeps(to_, change));
    if (!change.keep.empty()) kept_ = Chain{keep_step(change.keep, to_.layout().reduce())};
    for (const Chain& chain : portfolio) {
      all_.push_back(chain);
      TESSERA_TRY(resolution, resolution_of(chain, from_, target));
      // A chain that finishes more than it has to, and begins that anew, has no such point.
      if (resolution.resolved.layout().pending() == target.layout().pending()) add_moves(resolution, target);
    }
    return std::move(all_);
  }

 private:
  void add_moves(const Resolution& resolution, const ArrayType& target) {
    const bool exactly = !kept_.empty();
    const Chain direct = direct_move(resolution.resolved, target, exactly);
    add(resolution, direct);
    if (direct.empty()) return;
    add(resolution, Chain{exchange_step(target)});
    Refinements refinements(resolution.resolved, target, machine_);
    while (const auto refined = refinements.next()) {
      Chain detour = direct_move(resolution.resolved, refined->type, true);
      append(detour, direct_move(refined->type, target, exactly));
      add(resolution, detour);
    }
  }
  void add(const Resolution& resolution, const Chain& move) {
    Chain chain = resolution.steps;
    append(chain, move);
    append(chain, kept_);
    all_.push_back(std::move(chain));
  }

  const RunMachine& machine_;
  const ArrayType& from_;
  const ArrayType& to_;
  Chain kept_;
  std::vector<Chain> all_;
};

// ---- Rounds ----

// A chain with the types before and after each step, and its largest step.
struct Course {
  Chain chain;
  std::vector<ArrayType> types;
  std::size_t largest = 0;
  std::int64_t peak = 0;         // of that step, in one go
  std::int64_t others_peak = 0;  // of the others

  // A slice is a view: the array under it cannot be freed piece by piece as it is sent.
  bool may_cut() const {
    const bool of_view = largest > 0 && std::holds_alternative<Slice>(chain[largest - 1].effect);
    return !chain.empty() && movement(chain[largest]) == Movement::copies && !of_view && others_peak < peak;
  }
  RoundPeaks peaks_along(std::size_t dimension) const {
    return RoundPeaks(types[largest], types[largest + 1], dimension);
  }
  Chain in_rounds(std::size_t dimension, std::int64_t count) const {
    const auto at = chain.begin() + static_cast<std::ptrdiff_t>(largest);
    Chain cut_chain(chain.begin(), at);
    for (std::int64_t index = 0; index < count; ++index) {
      Collective& step = cut_chain.emplace_back(exchange_step(types[largest + 1]));
      step.recipe = Round{index, count, dimension};
    }
    cut_chain.insert(cut_chain.end(), at + 1, chain.end());
    return cut_chain;
  }
};

base::Result<Course> course_of(const Chain& chain, const ArrayType& from, Source source) {
  Course course{chain, {from}};
  TESSERA_TRY(peaks, step_peaks(chain, from, source));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    TESSERA_TRY(after, apply(chain[i], course.types.back()));
    course.types.push_back(after);
    if (peaks[i] > peaks[course.largest]) course.largest = i;
  }
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (i != course.largest) course.others_peak = std::max(course.others_peak, peaks[i]);
  }
  course.peak = chain.empty() ? tile_bytes_max(from) : peaks[course.largest];
  return course;
}

// JSON does not name the dimension of a round; a reader takes the first that has these figures.
bool same_figures(const Plan& a, const Plan& b) {
  const auto figures = [](const PlanStep& s) { return std::tuple(s.received_bytes_total, s.received_bytes_max); };
  return a.peak_bytes == b.peak_bytes &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [&](const PlanStep& s, const PlanStep& t) { return figures(s) == figures(t); });
}

class Budget {
 public:
  Budget(Prices& prices, const ArrayType& from, const ArrayType& to, const PlanOptions& options)
      : prices_(prices), from_(from), to_(to), bytes_(*options.within_bytes), source_(options.source) {}

  base::Result<Plan> best_of(const std::vector<Chain>& chains) {
    std::vector<Course> courses;
    for (const Chain& chain : chains) {
      TESSERA_TRY(course, course_of(chain, from_, source_));
      courses.push_back(std::move(course));
    }
    for (const Course& course : courses) TESSERA_TRY_STATUS(offer(course));
    if (ways_.empty()) return over_budget(least_of(courses), bytes_);
    return fastest();
  }

 private:
  struct Cut {
    std::size_t dimension;
    std::int64_t rounds;
  };
  // The ways to cut one course, into as few rounds along each dimension as will do; none: it is taken as it is.
  struct CutCourse {
    const Course* course;
    std::vector<Cut> cuts;
    double seconds_least = 0;  // of the chain in one go
  };

  base::Status offer(const Course& course) {
    CutCourse way{&course, {}};
    const bool fits = course.peak <= bytes_ && course.others_peak <= bytes_;
    if (!fits) {
      if (source_ != Source::dies || !course.may_cut() || course.others_peak > bytes_) return base::Done{};
      for (std::size_t d = 0; d < to_.rank(); ++d) {
        if (const auto rounds = course.peaks_along(d).fewest(bytes_, kRoundsMax)) way.cuts.push_back({d, *rounds});
      }
      if (way.cuts.empty()) return base::Done{};
    }
    Way whole{{}, from_};
    for (const Collective& step : course.chain) TESSERA_TRY_STATUS(whole.take(step, prices_));
    way.seconds_least = whole.seconds;
    ways_.push_back(std::move(way));
    return base::Done{};
  }

  // Rounds take no less than the step in one go: ways that cannot be chosen any more are not priced.
  base::Result<Plan> fastest() {
    const auto sooner = [](const CutCourse& a, const CutCourse& b) { return a.seconds_least < b.seconds_least; };
    std::stable_sort(ways_.begin(), ways_.end(), sooner);
    std::vector<Plan> priced_ones;
    double most = std::numeric_limits<double>::infinity();
    for (const CutCourse& way : ways_) {
      if (way.seconds_least > most) break;
      TESSERA_TRY(plans, plans_of(way));
      for (Plan& plan : plans) {
        most = std::min(most, plan.seconds * kAsFast);
        priced_ones.push_back(std::move(plan));
      }
    }
    return chosen(std::move(priced_ones));
  }

  base::Result<std::vector<Plan>> plans_of(const CutCourse& way) {
    if (way.cuts.empty()) {
      TESSERA_TRY(plan, priced(prices_, from_, to_, Planner::tessera, way.course->chain));
      return std::vector<Plan>{std::move(plan)};
    }
    std::vector<Plan> plans;
    for (const Cut& cut : way.cuts) {
      const Chain chain = way.course->in_rounds(cut.dimension, cut.rounds);
      TESSERA_TRY(plan, priced(prices_, from_, to_, Planner::tessera, chain));
      const auto same = [&](const Plan& other) { return same_figures(other, plan); };
      if (std::none_of(plans.begin(), plans.end(), same)) plans.push_back(std::move(plan));
    }
    return plans;
  }

  std::int64_t least_of(const std::vector<Course>& courses) const {
    std::int64_t least = kNoLimit;
    for (const Course& course : courses) {
      least = std::min(least, std::max(course.peak, course.others_peak));
      if (source_ != Source::dies || !course.may_cut()) continue;
      for (std::size_t d = 0; d < to_.rank() && course.others_peak < least; ++d) {
        least = std::max(course.others_peak, course.peaks_along(d).least(least));
      }
    }
    return least;
  }

  Prices& prices_;
  const ArrayType& from_;
  const ArrayType& to_;
  std::int64_t bytes_;
  Source source_;
  std::vector<CutCourse> ways_;
};

}  // namespace

base::Diagnostic over_budget(std::int64_t least, std::int64_t budget) {
  return base::make(Kind::over_budget, base::exact_bytes_text(least), base::exact_bytes_text(budget))
      .suggest(fmt::format("least budget: {} bytes", least));
}

base::Result<Plan> plan_within(Prices& prices, const ArrayType& from, const ArrayType& to,
                               const std::vector<Chain>& portfolio, const PlanOptions& options) {
  std::vector<Chain> chains = portfolio;
  if (!same_type(from, to)) {
    TESSERA_TRY(more, Chains(prices.machine(), from, to).all(portfolio));
    chains = std::move(more);
  }
  return Budget(prices, from, to, options).best_of(chains);
}

}  // namespace tessera::synth
