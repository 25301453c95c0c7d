// Collects the times of devices and steps for World::trace. Without a trace there is no Tracer, and a step costs one
// more look at a null pointer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "runtime/engine/device_times.hpp"
#include "runtime/execute/world.hpp"
#include "runtime/memory/payload.hpp"
#include "runtime/transfers/moves.hpp"

namespace tessera::runtime {

class Tracer {
 public:
  Tracer(const synth::Program& program, Team& team, const std::function<void(const TracedStep&)>& tell);

  // On the devices of this block of a mesh. Devices have times of their own only where one step is taken: the work of a
  // chain is cut without regard to them.
  // With a mark of an engine that works later: its times are known when `settle` is called, and slices are told then.
  void begin(std::span<const synth::Step> steps, const Block& block, synth::MeshRef mesh, std::int64_t mark = -1);
  DeviceTimes* times() { return times_ ? &*times_ : nullptr; }
  void count(const Received& received);
  void end(std::span<const synth::Step> steps, const Payload& payload, const StepPlan& plan, bool failed,
           std::int64_t mark = -1);
  // `seconds`: of a mark at the place that has this device. Before `gather`.
  void settle(const std::function<double(std::int64_t mark, std::int64_t device)>& seconds);
  // From here on steps belong to this visit of a microbatch; -1: to none.
  void enter(std::int64_t visit, std::int64_t microbatch) {
    visit_ = visit;
    microbatch_ = microbatch;
  }

  // Called on all ranks after the run: the others send rank 0 the slices that they kept, a piece at a time, in times of
  // rank 0's machine.
  base::Status gather();

 private:
  // A slice on its way to rank 0.
  struct Record {
    std::uint32_t step = 0;    // by number, the first
    std::uint32_t count = 0;   // of steps taken together
    std::uint32_t begins = 0;  // 1: these steps' first slice
    std::uint32_t failed = 0;
    std::int64_t visit = -1;
    std::int64_t microbatch = -1;
    DeviceSlice slice;
  };
  void keep(std::span<const synth::Step> steps, bool failed);
  void number(const synth::Body& body);
  base::Result<double> clock_offset();
  base::Status hand_over(int rank, std::int64_t count);
  void tell_of(int rank, std::span<const Record> records);

  Team& team_;
  const std::function<void(const TracedStep&)>& tell_;
  Block block_;
  synth::MeshRef mesh_;
  double begin_ = 0;
  std::int64_t begin_mark_ = -1;
  std::int64_t visit_ = -1;
  std::int64_t microbatch_ = -1;
  std::optional<DeviceTimes> times_;
  std::vector<std::int64_t> received_;  // by every device of the mesh, in the present step
  std::vector<DeviceSlice> slices_;

  // For a team, and for slices that are told later: ranks name steps to each other by their numbers, which count the
  // bodies of loops and branches in.
  std::map<const synth::Step*, std::uint32_t> numbers_;
  std::vector<const synth::Step*> steps_;
  std::vector<Record> records_;  // of this rank; rank 0 keeps those of engines that work later
  std::vector<std::pair<std::int64_t, std::int64_t>> marks_;  // of every record, where there are some
  std::size_t handed_over_ = 0;
};

}  // namespace tessera::runtime
