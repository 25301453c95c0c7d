// Private to synth: ways to finish pending sums on the way to a target.
//
// Only the wanted elements are summed: dimensions that can be cut before anything is added are cut first, so that a
// reduction adds and receives less. A way begins at the source, at the source cut over unused axes, or at a layout in
// which the parts of the sum lie as in the target; from there sums are reduced or scattered, all pending axes at once
// or one after the other. The pending set is then what it has to be, and the move that is left is the portfolio's.
//
// Example: `f32[8000,3000]{+y} -> f32[8000@x,3000]` on x:4,y:2 is sliced over x, then reduced: devices receive 192 MB.
// Reduced first it would be 480.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "synth/layout/tiling.hpp"
#include "synth/planner/choice.hpp"

namespace tessera::synth {

// Finds the ways in the order of the least time that each promises with all that follows, and prices a step only when
// it is its turn.
class Resolutions {
 public:
  // From a pending type to one that is pending over less: without `resolve`. All outlive this.
  Resolutions(const ArrayType& from, const ArrayType& to, const AxisList& resolve, Prices& prices);
  // The next way that can still be chosen.
  base::Result<std::optional<Way>> next(const Choice& choice);
  // Have ways been left out, because enough were priced?
  bool gave_up() const { return gave_up_; }

 private:
  // The least time of something. `seconds` gives the order in which ways are tried. `bound` knows more and drops ways;
  // it gives no order, because it knows more of some ways than of others, and few are priced at all.
  struct Least {
    double seconds = 0;
    double bound = 0;

    friend Least operator+(const Least& a, const Least& b) { return {a.seconds + b.seconds, a.bound + b.bound}; }
    friend Least operator+(double more, const Least& b) { return {more + b.seconds, more + b.bound}; }
  };
  using WayRef = std::shared_ptr<const Way>;  // many entries go on from one
  struct Entry {
    Least least;             // of the whole chain
    std::size_t number = 0;  // in the order in which they were met
    WayRef way;
    AxisList left;  // what is still to be resolved
    Chain steps;    // the way's next, not yet taken and priced
  };
  struct Met {
    Layout layout;
    double seconds = 0;
    std::int64_t received_bytes = 0;
  };
  base::Status start();
  base::Status begin_towards(const ArrayType& parts);
  base::Status begin_with_one_slice();
  base::Status begin_with_more_parts();
  base::Status begin_as_sum(const Chain& start, const AxisList& more);
  base::Status begin_at(const Chain& steps);
  void expand(const WayRef& way, const AxisList& left);
  void offer(const WayRef& way, const AxisList& left, Collective step);
  void offer_orders(const WayRef& way, const AxisList& left, std::size_t dimension);
  void offer_moves(const WayRef& way, const AxisList& left);
  void push(Entry entry);
  bool take_least(Entry& entry);
  bool is_met(const Way& way);
  Least least_of(const Way& way, const AxisList& left) const;
  Least least_after(const ArrayType& type, const AxisList& left) const;
  double floor_of(const ArrayType& type) const;
  Least least_of_step(const Collective& step, const ArrayType& before, const ArrayType& after) const;
  double farthest_latency(const AxisList& axes) const;
  const std::vector<double>& units_spread_over(const AxisList& axes) const;
  double seconds_to_bring_together(const AxisList& axes) const;
  double seconds_to_finish(const ArrayType& type, const AxisList& left) const;

  const ArrayType& from_;
  const ArrayType& to_;
  const AxisList& resolve_;
  AxisList copied_along_;  // the target's axes along which all devices have the same
  Prices& prices_;
  std::int64_t bound_bytes_;
  double bandwidth_;
  double latency_;
  bool has_programs_;
  bool has_slow_links_;             // and programs that cross them once
  bool may_cut_ = false;            // a scattered dimension, further, by axes along which the sum has copies
  std::vector<double> bandwidths_;  // of every level, outermost first: of all its links together
  // Results for sets of axes that were asked about before.
  mutable std::vector<std::pair<AxisList, std::vector<double>>> spread_;
  mutable std::shared_ptr<const Tiling> target_;                     // the target's tiles, once they are asked for
  mutable std::map<std::pair<const Mesh*, Layout>, double> floors_;  // of the move from there to the target
  std::vector<Entry> entries_;                                       // a heap
  std::vector<Met> met_;
  std::size_t count_ = 0;
  std::int64_t priced_max_ = 0;
  bool is_started_ = false;
  bool is_found_ = false;  // one way at least
  bool gave_up_ = false;
};

}  // namespace tessera::synth
