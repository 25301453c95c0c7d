// The plans of changes of layout, as the rules of layouts price them and as redistributions are made of them.
#pragma once

#include <memory>
#include <optional>

#include "base/stop.hpp"
#include "synth/planner/plan.hpp"
#include "typeck/layouts/reports.hpp"

namespace tessera::typeck {

class Plans {
 public:
  using Found = std::optional<std::shared_ptr<const synth::Plan>>;  // nothing: it was reported why

  Plans(synth::PlanCache& cache, base::StopToken stop, Reports& reports)
      : cache_(cache), stop_(std::move(stop)), reports_(reports) {}

  // To be carried out, and verified; unless all of the program is only priced.
  Found plan(const synth::ArrayType& from, const synth::ArrayType& to, base::Span span,
             const synth::PlanOptions& options = {}) {
    if (only_prices_) return price(from, to, span, options);
    return reports_.made(cache_.get(from, to, options, stop_), span);
  }
  // To be compared with others.
  Found price(const synth::ArrayType& from, const synth::ArrayType& to, base::Span span,
              const synth::PlanOptions& options = {}) {
    return reports_.made(cache_.get_price(from, to, options, stop_), span);
  }
  // Of the program only the seconds are asked for: nobody reads what else was compared, and no plan is carried out.
  void only_price() { only_prices_ = true; }
  bool only_prices() const { return only_prices_; }
  // The plan of a step that was written out.
  Found by_hand(const synth::ArrayType& from, const synth::Collective& step, base::Span span) {
    return reports_.made(cache_.get_by_hand(from, step, stop_), span);
  }
  const synth::Machine& machine() const { return cache_.machine(); }
  synth::PlanCache& cache() const { return cache_; }

 private:
  synth::PlanCache& cache_;
  base::StopToken stop_;
  Reports& reports_;
  bool only_prices_ = false;
};

}  // namespace tessera::typeck
