#include "synth/planner/list_sends.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/sends.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

// The most devices and sends that the verifier follows send by send.
constexpr std::int64_t kListedDevicesMax = 512;
constexpr std::size_t kListedSendsMax = 100'000;

// The sends between two devices; a device keeps what it has of its target.
ListedSends listed(const RunMachine& machine, const PlanStep& step, const ArrayType& before) {
  ListedSends all;
  const RelayRecipe* relay = relay_of(step.collective);
  const ReduceProgram* program = program_of(step.collective);
  all.at_once = relay == nullptr && program == nullptr;
  if (relay != nullptr) all.stretches = relay->stretches;
  if (program != nullptr) all.stretches = program->stretches;
  for (const BoxSend& send : sends(machine, step.collective, before, step.after)) {
    if (send.source == send.target || empty(send.box)) continue;
    all.hops = std::max(all.hops, std::int64_t{send.hop} + 1);
    all.sends.push_back(send);
  }
  return all;
}

}  // namespace

base::Result<Plan> with_sends(Plan plan, const Machine& machine) {
  return base::guarded([&]() -> base::Result<Plan> {
    if (std::max(plan.from.devices(), plan.to.devices()) > kListedDevicesMax)
      return base::make(Kind::too_many_sends, kListedSendsMax, kListedDevicesMax);
    std::size_t count = 0;
    TESSERA_TRY(checked, machine_for(machine, run_devices(plan.from, plan.to)));
    ArrayType before = plan.from;
    for (PlanStep& step : plan.steps) {
      if (step.received_bytes_total > 0 && listed_of(step.collective) == nullptr) {
        auto sends = std::make_shared<const ListedSends>(listed(checked, step, before));
        step.collective = with_list(std::move(step.collective), std::move(sends));
      }
      if (const ListedSends* const sends = listed_of(step.collective)) count += sends->sends.size();
      if (count > kListedSendsMax) return base::make(Kind::too_many_sends, kListedSendsMax, kListedDevicesMax);
      const Round* round = round_of(step.collective);
      const bool more_rounds = round != nullptr && round->index + 1 < round->count;
      if (!more_rounds) before = step.after;
    }
    return std::move(plan);
  });
}

}  // namespace tessera::synth
