// Running sums, products, maxima and minima, and recurrences, along a split dimension. A device learns what stands in
// front of its tile when the one before it knows what stands in front of its own; all ranks go through the boundaries
// in the same order, so that none waits for one that waits for it.
#include "runtime/kernels/running.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/kernels/recur.hpp"
#include "runtime/ranks/messenger.hpp"
#include "synth/program/running.hpp"

namespace tessera::runtime {

namespace running {

// Where a tile begins and ends along the dimension, and how long that is.
struct Stretch {
  std::int64_t begin, end, extent;
};

RunningTile tile_of(const Storage& storage, const synth::Apply& apply, const synth::Scan& scan, std::size_t device,
                    const Stretch& along) {
  const Direction direction = scan.reverse ? Direction::backward : Direction::forward;
  return {scan.op,        storage.view(apply.operands[0], device),
          scan.dimension, storage.out(apply.results[0], device),
          direction,      along.begin};
}
RecurTile tile_of(const Storage& storage, const synth::Apply& apply, const synth::Recur& recur, std::size_t device,
                  const Stretch& along) {
  return {storage.view(apply.operands[0], device), storage.view(apply.operands[1], device), recur,
          storage.out(apply.results[0], device), RecurPlace{along.begin == 0, along.end == along.extent}};
}

template <class Along>
class CarryChain {
 public:
  // Every device has room for what stands in front of its tile at `beside`.
  CarryChain(Team& team, const Storage& storage, const synth::Apply& apply, const Along& along, std::int64_t beside)
      : team_(team),
        storage_(storage),
        apply_(apply),
        along_(along),
        running_(*synth::running_of(along)),
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

  auto tile(std::size_t device) const { return tile_of(storage_, apply_, along_, device, stretch(device)); }
  // What stands in front of a tile of this rank: nothing where the dimension begins.
  Carry in_front(std::size_t device) const {
    const auto found = in_front_.find(device);
    return found == in_front_.end() ? Carry{} : found->second;
  }

 private:
  synth::RegisterId result() const { return apply_.results[0]; }
  Stretch stretch(std::size_t device) const {
    const synth::Interval& own = storage_.tiles(result()).boxes[device][running_.dimension];
    const std::int64_t extent = storage_.type(result()).shape()[running_.dimension];
    const std::int64_t begin = synth::running_position(own, extent, running_.reverse);
    return {begin, begin + own.length(), extent};
  }
  Carry carry_of(const synth::CarryHop& hop, std::byte* data) const {
    return {synth::carry_form(element_, running_.kind, hop.position), data};
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
      const std::int64_t bytes = synth::carry_bytes(hop, element_, running_.kind);
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
  const Along& along_;
  synth::Running running_;
  std::int64_t beside_;
  synth::ElementType element_;
  std::map<std::size_t, Carry> in_front_;
};

}  // namespace running

template <class Along>
base::Status Executor::run_along(const synth::Apply& apply, const Along& along, const StepPlan& plan) {
  const std::vector<synth::CarryHop> hops =
      synth::carry_hops(storage_.type(apply.results[0]), along.dimension, along.reverse);
  if (hops.empty()) return take_local(apply, plan);
  return on_host(apply, plan, [&] { return run_over_tiles(apply, along, hops, plan); });
}

template <class Along>
base::Status Executor::run_over_tiles(const synth::Apply& apply, const Along& along,
                                      const std::vector<synth::CarryHop>& hops, const StepPlan& plan) {
  const synth::RegisterId result = apply.results[0];
  const synth::CarryKind kind = synth::running_of(along)->kind;
  Received received{0, std::vector<std::int64_t>(static_cast<std::size_t>(storage_.devices(result)), 0)};
  for (const synth::CarryHop& hop : hops)
    received.add(hop.target, synth::carry_bytes(hop, storage_.type(result).element(), kind));
  count_received(received);
  running::CarryChain<Along> chain(team_, storage_, apply, along, plan.beside_offset);
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

template base::Status Executor::run_along(const synth::Apply&, const synth::Scan&, const StepPlan&);
template base::Status Executor::run_along(const synth::Apply&, const synth::Recur&, const StepPlan&);

}  // namespace tessera::runtime
