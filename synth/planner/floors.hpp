// Private to synth: quick lower bounds that spare a planner the pricing of candidates that cannot win.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

// Bounds of one change of layout between types with the same pending set on one machine.
class Floors {
 public:
  Floors(const ArrayType& from, const ArrayType& to, const RunMachine& machine);
  // The same for callers with many types before one target, which pass its tiles by device of a run with both meshes.
  Floors(const ArrayType& from, const ArrayType& to, const RunMachine& machine, std::shared_ptr<const Tiling> target);
  static std::shared_ptr<const Tiling> tiles_of(const ArrayType& from, const ArrayType& to);

  // What it takes to make them, in nanoseconds, about: on few devices every unit of every level is looked at.
  static std::int64_t work(const ArrayType& to, const RunMachine& machine);

  // Seconds that any plan takes, and any of two or more launches.
  double of_one_launch() const { return links_ + far_.latency; }
  double of_two_launches() const { return links_ + far_.latency + near_latency_; }
  // And any that may have no launch at all, if nothing is missing anywhere.
  double of_any() const { return links_ == 0 ? 0 : of_one_launch(); }
  // Bytes that any plan receives.
  std::int64_t least_bytes() const { return least_bytes_; }
  // Does a device hold all of its target tile, which is not empty? Then a plan that cuts the target finer and gathers
  // it again receives more than the least.
  bool holds_a_target() const { return holds_a_target_; }
  // Bytes that the exchange into a refinement of the target and the gather after it receive.
  std::int64_t bytes_of_refinement(const ArrayType& refined) const;
  // Seconds that one move takes from end to end. A floor that reaches `enough` need not be the highest; so with the
  // others.
  double of_direct(double enough) const { return of_move(source_, target_, far_, enough); }
  // Seconds that an exchange into a refinement of the target and the gather after it take. `inside`: the refinement
  // uses axes within the units of the innermost level only, so that the gather brings nothing into a unit.
  double of_refinement(const ArrayType& refined, bool inside, double enough) const;
  // Seconds that moves through these types, each to the next, take.
  double of_moves(const std::vector<ArrayType>& types, double enough) const;

 private:
  // `delay`: of a level that the move uses.
  double of_move(const Tiling& held, const Tiling& wanted, const Delay& delay, double enough) const;
  double into_units();
  void look_at_devices();
  double each_into_units(const Tiling& held, const Tiling& wanted) const;

  const RunMachine& machine_;
  std::vector<std::int64_t> unit_sizes_;  // of every level, in devices
  std::int64_t element_bytes_;
  std::int64_t run_devices_;  // of which there are no more than the meshes name
  Tiling source_;
  std::shared_ptr<const Tiling> shared_target_;
  const Tiling& target_;
  double device_bandwidth_;
  double near_latency_;
  Delay far_;         // of the slowest level whose units lack something: a launch of any plan uses it
  double units_ = 0;  // the bytes that units need and do not hold, over their links in
  double links_ = 0;
  std::int64_t least_bytes_ = 0;
  bool holds_a_target_ = false;
};

}  // namespace tessera::synth
