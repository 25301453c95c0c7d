#include "synth/moves/collective/relief.hpp"

#include <algorithm>

namespace tessera::synth {

namespace {

class Relief {
 public:
  Relief(std::vector<UnitHolders>& holders, std::size_t cells, double replicas, const LinksBetween& links)
      : holders_(holders), replicas_(replicas), links_(links), sent_instead_(cells, 0.0) {}

  // How long the busiest takes if nothing comes from elsewhere.
  double without() {
    for (UnitHolders& each : holders_) each.from_far = 0;
    double most = busiest_link();
    for (const UnitHolders& each : holders_) most = std::max(most, each.sent_far + each.fetched / each.count);
    return most;
  }

  // True if all can be done in that time; `from_far` then has the least that must come from elsewhere.
  bool in(double time) {
    constexpr int kTimesMax = 40;
    constexpr double kSame = 1e-4;  // of the time
    for (UnitHolders& each : holders_) each.from_far = 0;
    std::fill(sent_instead_.begin(), sent_instead_.end(), 0.0);
    for (int times = 0; times < kTimesMax; ++times) {
      double more = 0;
      for (UnitHolders& each : holders_) {
        const double sent = each.sent_far + instead(each);
        const double needed = each.fetched - each.count * (time - sent);
        if (needed <= each.from_far) continue;
        if (needed > each.fetched || each.count == replicas_) return false;
        sent_instead_[each.cell] += (needed - each.from_far) / (replicas_ - each.count);
        more = std::max(more, needed - each.from_far);
        each.from_far = needed;
      }
      if (more <= kSame * time) return busiest_link() <= time;
    }
    return false;
  }

 private:
  // Elements that each of them sends in the stead of the cell's holders elsewhere.
  double instead(const UnitHolders& each) const {
    return each.from_far == 0 ? sent_instead_[each.cell]
                              : sent_instead_[each.cell] - each.from_far / (replicas_ - each.count);
  }

  double busiest_link() {
    into_ = links_.brought_into;
    out_of_.assign(into_.size(), 0.0);
    for (const UnitHolders& each : holders_) {
      into_[each.unit] += each.from_far;
      out_of_[each.unit] += each.count * (each.sent_far + instead(each));
    }
    const double most =
        std::max(*std::max_element(into_.begin(), into_.end()), *std::max_element(out_of_.begin(), out_of_.end()));
    return most / links_.bandwidth;
  }

  std::vector<UnitHolders>& holders_;
  double replicas_;
  const LinksBetween& links_;
  std::vector<double> sent_instead_;  // by each holder of a cell, if none came from its own unit
  std::vector<double> into_;
  std::vector<double> out_of_;
};

}  // namespace

void relieve(std::vector<UnitHolders>& holders, std::size_t cells, double replicas, const LinksBetween& links,
             double enough) {
  constexpr int kHalvings = 12;
  // Far messages have their latency, and pieces are whole elements: what gains less is not worth it.
  constexpr double kWorthIt = 0.9;
  Relief relief(holders, cells, replicas, links);
  double good = relief.without();
  if (good * kWorthIt <= enough || !relief.in(good * kWorthIt)) {
    relief.without();
    return;
  }
  if (relief.in(enough)) return;
  good *= kWorthIt;
  double bad = enough;
  for (int i = 0; i < kHalvings; ++i) {
    const double time = (bad + good) / 2;
    (relief.in(time) ? good : bad) = time;
  }
  relief.in(good);
}

}  // namespace tessera::synth
