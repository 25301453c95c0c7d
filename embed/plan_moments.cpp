// What the devices hold during a plan, and what they hand each other.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "embed/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/plan_impl.hpp"
#include "synth/collective/rounds.hpp"

namespace tessera {

namespace {

using synth::CollectiveKind;

// A step between the types that its copies are made of: every round of an exchange is between the exchange's ends.
struct Leg {
  const synth::PlanStep& step;
  const synth::ArrayType& from;
};

Leg leg(const synth::Plan& plan, std::size_t index) {
  std::size_t first = index;
  const auto& round = plan.steps[index].collective.round;
  if (round) first -= static_cast<std::size_t>(round->index);
  return {plan.steps[index], first == 0 ? plan.from : plan.steps[first - 1].after};
}

std::vector<Plan::Move> copies_of(const Leg& leg) {
  const auto& round = leg.step.collective.round;
  std::vector<Plan::Move> result;
  for (const synth::BoxCopy& copy :
       round ? synth::copies_of_round(leg.from, leg.step.after, *round) : synth::copies(leg.from, leg.step.after)) {
    result.push_back({copy.source, copy.target, embed::to_public(copy.box), false});
  }
  return result;
}

// What a relay's devices keep, and what they hand each other: from the one that passes it on, not from the first.
std::vector<Plan::Move> sends_of(const Leg& leg) {
  std::vector<Plan::Move> result;
  for (const synth::BoxCopy& copy : synth::copies(leg.from, leg.step.after)) {
    if (copy.source == copy.target) result.push_back({copy.source, copy.target, embed::to_public(copy.box), false});
  }
  const auto transfer = synth::transfer_of(synth::relay_tasks(leg.from, leg.step.after), *leg.step.collective.relay);
  if (!transfer) return result;  // of a plan that does not verify
  for (const synth::Send& send : transfer->sends) {
    const synth::Box& box = transfer->pieces[static_cast<std::size_t>(send.piece)];
    result.push_back({send.from, send.to, embed::to_public(box), false});
  }
  return result;
}

std::vector<Plan::Move> contributions_of(const Leg& leg) {
  std::vector<Plan::Move> result;
  for (const synth::BoxReduction& reduction : synth::reductions(leg.from, leg.step.after)) {
    for (const std::int32_t source : *reduction.contributors) {
      result.push_back({source, reduction.target, embed::to_public(reduction.box), true});
    }
  }
  return result;
}

// Every device keeps its tile: as it is, or as what adds nothing.
std::vector<Plan::Move> staying(const synth::ArrayType& type) {
  std::vector<Plan::Move> result;
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    result.push_back({device, device, embed::to_public(synth::tile(type, device)), false});
  }
  return result;
}

std::vector<Plan::Move> moves_of(const Leg& leg) {
  switch (leg.step.collective.kind) {
    case CollectiveKind::slice:
    case CollectiveKind::keep: return staying(leg.step.after);
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::permute:
    case CollectiveKind::exchange: return copies_of(leg);
    case CollectiveKind::relay: return sends_of(leg);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_reduce: return contributions_of(leg);
  }
  return {};
}

// Elements of a box that a step moves: all of them, but in a round of an exchange.
std::int64_t moved_elements(const Leg& leg, const synth::Box& box) {
  const auto& round = leg.step.collective.round;
  if (!round || synth::empty(box)) return synth::elements(box);
  const synth::Interval& side = box[round->dimension];
  std::int64_t moved = 0;
  for (const synth::Interval& piece : synth::round_pieces(leg.from, leg.step.after, round->dimension)) {
    const synth::Interval part = synth::part_of(piece, *round);
    moved += synth::Interval{std::max(side.begin, part.begin), std::min(side.end, part.end)}.length();
  }
  return synth::elements(box) / side.length() * moved;
}

// Elements that a device receives of an all_reduce: the others' parts of what it owns, and then what they own. The flat
// tile is cut into as many stretches as there are devices.
std::int64_t received_of_all_reduce(const Leg& leg, std::int64_t device) {
  const std::int64_t count = synth::elements(synth::tile(leg.step.after, device));
  const synth::AxisList& axes = leg.step.collective.axes;
  const std::int64_t size = synth::shard_count(axes);
  const std::int64_t own = synth::cut(count, size, synth::position(leg.from.mesh(), axes, device)).length();
  return own * (size - 1) + count - own;
}

// Elements that a device receives in a step: of what is moved never what it holds itself.
std::int64_t received_elements(const Leg& leg, std::int64_t device) {
  const synth::Box target = synth::tile(leg.step.after, device);
  switch (leg.step.collective.kind) {
    case CollectiveKind::slice:
    case CollectiveKind::keep: return 0;
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::permute:
    case CollectiveKind::exchange:
    case CollectiveKind::relay: {
      const synth::Box own = synth::intersect(synth::tile(leg.from, device), target);
      return moved_elements(leg, target) - moved_elements(leg, own);
    }
    case CollectiveKind::reduce_scatter:
      return synth::elements(target) * (synth::shard_count(leg.step.collective.axes) - 1);
    case CollectiveKind::all_reduce: return received_of_all_reduce(leg, device);
  }
  return 0;
}

Plan::Moment holdings(const synth::ArrayType& type) {
  const synth::AxisList& pending = type.layout().pending();
  Plan::Moment moment{synth::print(type), synth::shard_count(pending), {}};
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    moment.devices.push_back({embed::to_public(synth::tile(type, device)), synth::tile_bytes(type, device),
                              synth::position(type.mesh(), pending, device), 0});
  }
  return moment;
}

Diagnostics no_such(const char* what, std::size_t index, std::size_t count) {
  return embed::failure(
      base::make(embed::Kind::bad_call, fmt::format("the plan has {} {}, so there is no {}", count, what, index)));
}

}  // namespace

MeshAxes Plan::mesh() const { return embed::to_public(impl_->plan->from.mesh()); }

std::vector<std::int64_t> Plan::shape() const {
  const synth::Shape& shape = impl_->plan->from.shape();
  return {shape.begin(), shape.end()};
}

Result<Plan::Moment> Plan::moment(std::size_t index) const {
  const synth::Plan& plan = *impl_->plan;
  if (index > plan.steps.size()) return no_such("moments", index, plan.steps.size() + 1);
  return embed::safely([&]() -> Result<Moment> {
    if (index == 0) return holdings(plan.from);
    const Leg last = leg(plan, index - 1);
    Moment moment = holdings(last.step.after);
    const std::int64_t element_bytes = synth::bytes_of(plan.from.element());
    for (std::size_t i = 0; i < moment.devices.size(); ++i) {
      moment.devices[i].received_bytes = received_elements(last, static_cast<std::int64_t>(i)) * element_bytes;
    }
    return moment;
  });
}

Result<std::vector<Plan::Move>> Plan::moves(std::size_t index) const {
  const synth::Plan& plan = *impl_->plan;
  if (index >= plan.steps.size()) return no_such("steps", index, plan.steps.size());
  return embed::safely([&]() -> Result<std::vector<Move>> { return moves_of(leg(plan, index)); });
}

}  // namespace tessera
