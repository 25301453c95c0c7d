// Running sums, products, maxima and minima along a split dimension. A device learns what stands in front of its tile
// when the one before it knows what stands in front of its own; all ranks go through the boundaries in the same order,
// so that none waits for one that waits for it.
#include "runtime/kernels/running.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

namespace {

class CarryChain {
 public:
  // Every device has room for what stands in front of its tile at `beside`.
  CarryChain(Team& team, const Storage& storage, const synth::Apply& apply, const synth::Scan& scan,
             std::int64_t beside)
      : team_(team),
        storage_(storage),
        apply_(apply),
        scan_(scan),
        beside_(beside),
        element_(storage.type(apply.results[0]).element()) {}

  // Ranks that have nothing to do with a boundary pass it by.
  base::Status run(const std::vector<synth::CarryHop>& hops) {
    for (std::size_t begin = 0, end = 0; begin < hops.size(); begin = end) {
      while (end < hops.size() && hops[end].position == hops[begin].position) ++end;
      TESSERA_TRY_STATUS(
          cross({hops.begin() + static_cast<std::ptrdiff_t>(begin), hops.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    return base::Done{};
  }

  RunningTile tile(std::size_t device) const {
    const Direction direction = scan_.reverse ? Direction::backward : Direction::forward;
    return {scan_.op,        storage_.view(operand(), device),
            scan_.dimension, storage_.out(result(), device),
            direction,       position(device)};
  }
  // What stands in front of a tile of this rank: nothing where the dimension begins.
  Carry in_front(std::size_t device) const {
    const auto found = in_front_.find(device);
    return found == in_front_.end() ? Carry{} : found->second;
  }

 private:
  synth::RegisterId operand() const { return apply_.operands[0]; }
  synth::RegisterId result() const { return apply_.results[0]; }
  std::int64_t position(std::size_t device) const {
    const std::size_t d = scan_.dimension;
    return synth::running_position(storage_.tiles(result()).boxes[device][d], storage_.type(result()).shape()[d],
                                   scan_.reverse);
  }
  Carry carry_of(const synth::CarryHop& hop, std::byte* data) const {
    return {synth::carry_form(element_, scan_.op, hop.position), data};
  }

  // One boundary, of all lines of tiles. Messages have memory of their own, which outlives a failure.
  base::Status cross(const std::vector<synth::CarryHop>& hops) {
    std::vector<Incoming> incoming;
    std::vector<Outgoing> outgoing;
    for (const synth::CarryHop& hop : hops) {
      const auto source = static_cast<std::size_t>(hop.source);
      const auto target = static_cast<std::size_t>(hop.target);
      const int from = storage_.owner(result(), source);
      const int to = storage_.owner(result(), target);
      const std::int64_t bytes = synth::carry_bytes(hop, element_, scan_.op);
      if (to == team_.rank()) in_front_[target] = carry_of(hop, storage_.room(result(), target, beside_));
      if (from == team_.rank()) {
        const Carry told = to == from ? in_front_[target] : carry_of(hop, team_.room(bytes).data());
        tile(source).carry_on(in_front(source), told);
        if (to != from) outgoing.push_back({to, std::span(told.data, static_cast<std::size_t>(bytes))});
      } else if (to == team_.rank()) {
        incoming.push_back({from, team_.room(bytes)});
      }
    }
    if (incoming.empty() && outgoing.empty()) return base::Done{};
    TESSERA_TRY_STATUS(team_.begin_messages(incoming, outgoing));
    TESSERA_TRY_STATUS(team_.await_messages());
    take_over(hops, incoming);
    return base::Done{};
  }
  // What has come, in the order of the hops.
  void take_over(const std::vector<synth::CarryHop>& hops, const std::vector<Incoming>& incoming) {
    auto next = incoming.begin();
    for (const synth::CarryHop& hop : hops) {
      const bool is_mine = storage_.owner(result(), static_cast<std::size_t>(hop.target)) == team_.rank();
      if (!is_mine || storage_.owner(result(), static_cast<std::size_t>(hop.source)) == team_.rank()) continue;
      std::ranges::copy(next->bytes, in_front_[static_cast<std::size_t>(hop.target)].data);
      ++next;
    }
  }

  Team& team_;
  const Storage& storage_;
  const synth::Apply& apply_;
  const synth::Scan& scan_;
  std::int64_t beside_;
  synth::ElementType element_;
  std::map<std::size_t, Carry> in_front_;
};

}  // namespace

base::Status Executor::run_scan(const synth::Apply& apply, const synth::Scan& scan, const StepPlan& plan) {
  const synth::ArrayType& type = storage_.type(apply.results[0]);
  const std::vector<synth::CarryHop> hops = synth::carry_hops(type, scan.dimension, scan.reverse);
  if (hops.empty()) return take_local(apply, plan);
  return on_host(apply, plan, [&] { return scan_over_tiles(apply, scan, hops, plan); });
}

base::Status Executor::scan_over_tiles(const synth::Apply& apply, const synth::Scan& scan,
                                       const std::vector<synth::CarryHop>& hops, const StepPlan& plan) {
  const synth::RegisterId result = apply.results[0];
  Received received{0, std::vector<std::int64_t>(static_cast<std::size_t>(storage_.devices(result)), 0)};
  for (const synth::CarryHop& hop : hops)
    received.add(hop.target, synth::carry_bytes(hop, storage_.type(result).element(), scan.op));
  count_received(received);
  CarryChain chain(team_, storage_, apply, scan, plan.beside_offset);
  TESSERA_TRY_STATUS(
      on_devices(storage_.block(result), work_of(storage_, apply), device_times(), [&](std::size_t device) -> Failure {
        chain.tile(device).run_inside();
        return std::nullopt;
      }));
  TESSERA_TRY_STATUS(chain.run(hops));
  return on_devices(storage_.block(result), work_of(storage_, apply), device_times(),
                    [&](std::size_t device) -> Failure {
                      chain.tile(device).put_in_front(chain.in_front(device));
                      return std::nullopt;
                    });
}

}  // namespace tessera::runtime
