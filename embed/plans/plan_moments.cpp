// Shows what the devices hold during a plan, and what they hand each other.
#include <fmt/format.h>

#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/plan_impl.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/sends.hpp"

namespace tessera {

namespace {

// A step between the types that its copies are made of: every round of an exchange is between the exchange's ends.
struct Leg {
  const synth::PlanStep& step;
  const synth::ArrayType& from;
};

Leg leg(const synth::Plan& plan, std::size_t index) {
  std::size_t first = index;
  const synth::Round* round = synth::round_of(plan.steps[index].collective);
  if (round != nullptr) first -= static_cast<std::size_t>(round->index);
  return {plan.steps[index], first == 0 ? plan.from : plan.steps[first - 1].after};
}

std::vector<Plan::Move> moves_of(const Leg& leg, const synth::RunMachine& machine) {
  std::vector<Plan::Move> result;
  for (const synth::BoxSend& send : synth::sends(machine, leg.step.collective, leg.from, leg.step.after))
    result.push_back({send.source, send.target, embed::to_public(send.box), send.adds, send.hop});
  return result;
}

Diagnostics no_such(const char* what, std::size_t index, std::size_t count) {
  return embed::failure(
      base::make(embed::Kind::bad_call, fmt::format("the plan has {} {}, so there is no {}", count, what, index)));
}

}  // namespace

Plan::Moment embed::holdings(const synth::ArrayType& type) {
  const synth::AxisList& pending = type.layout().pending();
  Plan::Moment moment{synth::print(type), synth::shard_count(pending), {}, to_public(type.mesh())};
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    moment.devices.push_back({to_public(synth::tile(type, device)), synth::tile_bytes(type, device),
                              synth::position(type.mesh(), pending, device), 0,
                              type.mesh().device_of_run(device).value});
  }
  return moment;
}

MeshAxes Plan::mesh() const { return embed::to_public(impl_->plan->from.mesh()); }

std::vector<std::int64_t> Plan::shape() const {
  const synth::Shape& shape = impl_->plan->from.shape();
  return {shape.begin(), shape.end()};
}

Result<Plan::Moment> Plan::moment(std::size_t index) const {
  const synth::Plan& plan = *impl_->plan;
  if (index > plan.steps.size()) return no_such("moments", index, plan.steps.size() + 1);
  return embed::safely([&]() -> Result<Moment> {
    if (index == 0) return embed::holdings(plan.from);
    const Leg last = leg(plan, index - 1);
    Moment moment = embed::holdings(last.step.after);
    const std::int64_t element_bytes = synth::bytes_of(plan.from.element());
    const auto received = synth::received_elements(last.step.collective, last.from, last.step.after);
    for (std::size_t i = 0; i < received.size(); ++i) moment.devices[i].received_bytes = received[i] * element_bytes;
    return moment;
  });
}

Result<std::vector<Plan::Move>> Plan::moves(std::size_t index) const {
  const synth::Plan& plan = *impl_->plan;
  if (index >= plan.steps.size()) return no_such("steps", index, plan.steps.size());
  return embed::safely([&]() -> Result<std::vector<Move>> {
    const auto machine = synth::machine_for(impl_->machine, synth::run_devices(plan.from, plan.to));
    if (!machine) return embed::to_public({}, machine.errors());
    return moves_of(leg(plan, index), *machine);
  });
}

}  // namespace tessera
