#include "tessera/plan_traffic.hpp"

#include <fmt/format.h>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/plan_impl.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/link_load.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera {

namespace {

PlanSlot to_public(const synth::SlotLoad& load, const synth::RunMachine& machine) {
  PlanSlot slot{load.received_bytes, {}};
  for (const synth::LinkLoad& link : load.links)
    slot.links.push_back({machine.levels[link.level].name, link.unit, link.out, link.seconds});
  return slot;
}

PlanHop to_public(const synth::HopLoad& hop, const synth::RunMachine& machine) {
  return {hop.step,
          hop.receivers,
          hop.received_bytes_min,
          hop.received_bytes_max,
          hop.senders_min,
          hop.senders_max,
          hop.receiver,
          {hop.senders.begin(), hop.senders.end()},
          to_public(hop.load, machine)};
}

}  // namespace

Result<PlanTraffic> traffic_of(const Plan& plan, std::size_t index) {
  const synth::Plan& steps = *plan.impl()->plan;
  if (index >= steps.steps.size()) {
    return embed::failure(base::make(
        embed::Kind::bad_call, fmt::format("the plan has {} steps, so there is no {}", steps.steps.size(), index)));
  }
  return embed::safely([&]() -> Result<PlanTraffic> {
    auto machine = synth::machine_for(plan.impl()->machine, synth::run_devices(steps.from, steps.to));
    if (!machine) return embed::to_public({}, machine.errors());
    const synth::Collective& step = steps.steps[index].collective;
    const synth::Round* round = synth::round_of(step);
    const std::size_t first = round != nullptr ? index - static_cast<std::size_t>(round->index) : index;
    const synth::ArrayType& before = first == 0 ? steps.from : steps.steps[first - 1].after;
    const synth::ArrayType& after = steps.steps[index].after;
    const synth::StepLoads loads = synth::loads_of(*machine, step, before, after);
    PlanTraffic traffic{loads.hops, loads.stretches, {}, {}, to_public(loads.all, *machine), 0};
    for (const synth::SlotLoad& slot : loads.slots) traffic.slots.push_back(to_public(slot, *machine));
    for (const synth::HopLoad& hop : loads.each_hop) traffic.each_hop.push_back(to_public(hop, *machine));
    if (synth::relay_of(step) != nullptr) {
      const synth::Collective direct{step.effect, synth::Direct{}};
      traffic.exchange_seconds = synth::cost(*machine, direct, before, after).seconds;
    }
    return traffic;
  });
}

}  // namespace tessera
