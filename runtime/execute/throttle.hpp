// Makes equal cores unequal, to try out devices of unequal speed (World::throttle). Values do not change.
//
// A process alone keeps a clock for each simulated device: a local step advances it by the time that the device's tile
// took on one core, times the fastest device's speed over the device's own; a step that moves data sets the clocks of
// the devices that exchange to the latest of them, and adds its modelled time. A rank of several works on its devices'
// tiles and then sleeps as much longer as its devices are slower; the clock is the wall's. Ranks that share a core all
// sleep twice as long as they would wait for it, so that they never wait for the core itself; the clock then runs that
// much slower.
#pragma once

#include <oneapi/tbb/global_control.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/execute/trace.hpp"
#include "runtime/ranks/team.hpp"
#include "runtime/transfers/moves.hpp"
#include "runtime/transfers/storage.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {
struct Running;
}

namespace tessera::runtime {

class Throttle {
 public:
  // `devices` of the run.
  Throttle(const synth::Machine& machine, std::int64_t devices, const Team& team);

  // Around a step that every device takes on its own tiles; `result` is what it makes last. `is_single`: it is one
  // step, whose devices have times of their own.
  void begin(const Block& block, bool is_single);
  DeviceTimes* times() { return times_ ? &*times_ : nullptr; }
  void end(const TileMap& result);

  // After a step that moved data.
  void joined(const synth::Collective& step, const synth::ArrayType& before, const synth::ArrayType& after);
  // The same for parts that an assembly fetched, all over the devices' own links.
  void joined(const synth::ArrayType& after, std::int64_t received_bytes);
  // The same for what a running sum carried from tile to tile.
  void carried(const synth::ArrayType& after, const synth::Running& running);
  // The same for rows that a take fetched by request, and for those that a scatter_add delivered.
  void requested(const synth::ArrayType& table, const synth::ArrayType& ids, const synth::ArrayType& after);
  void delivered(const synth::ArrayType& rows, const synth::ArrayType& ids, const synth::ArrayType& after);

  // The same for lines that were sorted by cuts.
  void cut(const synth::ArrayType& lines, const synth::Sort& sort);

  // Seconds since it was made, on the device that is last.
  double clock() const;

 private:
  void advance(const TileMap& result, double all);
  void sleep(const TileMap& result, double seconds) const;
  double share(const TileMap& result, std::int64_t device) const;
  void join_all(const synth::Mesh& from, const synth::Mesh& to, double seconds);

  synth::Machine machine_;
  std::vector<double> slowness_;  // of every device of the run: the fastest one's speed over its own
  bool is_alone_;
  double stretch_ = 1;  // of a rank that shares its core
  std::optional<tbb::global_control> one_core_;
  std::vector<double> clocks_;
  double begun_ = 0;
  Block block_;
  double step_begun_ = 0;
  std::optional<DeviceTimes> times_;
};

}  // namespace tessera::runtime
