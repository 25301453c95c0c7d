// Collectives written out by hand: each changes the layout exactly as the planner's own step does, and its bytes move
// as in the planner's.
#include <fmt/format.h>

#include "synth/kinds.hpp"
#include "synth/machine/machine.hpp"
#include "typeck/operations/table.hpp"

namespace tessera::typeck {

namespace {

MaybeValue take_step(OperationCall& call, const Checked& a, const synth::Collective& step) {
  Checker& checker = call.checker;
  const ArrayType before = checker.type(a);
  const auto after = checker.made(synth::apply(step, before), call.span);
  if (!after.has_value()) return std::nullopt;
  auto plan = checker.plan_by_hand(before, step, call.span);
  if (!plan.has_value()) return std::nullopt;
  Reason why{Reason::Asker::collective, call.quoted(), call.span, {}, {}};
  if (!checker.allow_received((*plan)->received_bytes_total, why, call.span)) return std::nullopt;
  const NodeId node = checker.emit(call.span, {*after}, Redistribute{a.node(), std::move(*plan), std::move(why)});
  return Checked{{node}, call.span, {}, {}, {}};
}

// The effect of one of the collectives that name axes, and their dimensions if they have any.
std::optional<synth::Effect> effect_of(OperationCall& call, synth::CollectiveKind kind, const synth::AxisList& axes,
                                       std::size_t rank) {
  if (kind == synth::CollectiveKind::all_reduce) return synth::AllReduce{axes};
  if (kind == synth::CollectiveKind::all_to_all) {
    const auto from = call.dim(2, rank);
    const auto to = call.dim(3, rank);
    if (!from.has_value() || !to.has_value()) return std::nullopt;
    return synth::AllToAll{{synth::AxisMove{axes, *from, *to}}};
  }
  const auto dimension = call.dim(1, rank);
  if (!dimension.has_value()) return std::nullopt;
  if (kind == synth::CollectiveKind::reduce_scatter) return synth::ReduceScatter{axes, *dimension};
  if (kind == synth::CollectiveKind::all_gather) return synth::AllGather{{synth::AxesAt{axes, *dimension}}};
  return synth::Slice{{synth::AxesAt{axes, *dimension}}};
}

}  // namespace

MaybeValue run_collective(OperationCall& call) {
  const auto kind = static_cast<synth::CollectiveKind>(call.info.detail);
  const bool axes_first = kind == synth::CollectiveKind::all_to_all || kind == synth::CollectiveKind::all_reduce;
  const bool finishes = kind == synth::CollectiveKind::all_reduce || kind == synth::CollectiveKind::reduce_scatter;
  const std::size_t axes_at = axes_first ? 1 : 2;
  const MaybeValue a = finishes ? call.pending_array(0, axes_at) : call.array(0);
  if (!a.has_value()) return std::nullopt;
  const ArrayType own = call.checker.type(*a);
  const auto axes = call.axes(axes_at, own.mesh());
  if (!axes.has_value()) return std::nullopt;
  const auto effect = effect_of(call, kind, *axes, own.rank());
  return effect.has_value() ? take_step(call, *a, {*effect, synth::Direct{}}) : std::nullopt;
}

MaybeValue run_collective_to(OperationCall& call) {
  Checker& checker = call.checker;
  const auto written = checker.written_type(checker.ast(), *call.type(1));
  const MaybeValue a = call.array(0);
  if (!written.has_value() || !a.has_value()) return std::nullopt;
  const auto target = checker.full_type(*written);
  if (!target.has_value()) return std::nullopt;
  const ArrayType own = checker.type(*a);
  if (own.element() != target->element() || own.shape() != target->shape()) {
    checker.report(base::make(synth::Kind::as_changes_shape, checker.text(own), checker.text(*target))
                       .at(written->span)
                       .also(a->span, checker.text(own)));
    return std::nullopt;
  }
  if (!own.mesh().has_devices_of(target->mesh())) {
    checker.report(base::make(synth::Kind::cross_mesh, synth::print(own.mesh()), synth::print(target->mesh()))
                       .at(call.span)
                       .suggest(fmt::format("write `as {}`, which is planned", checker.text(*target))));
    return std::nullopt;
  }
  if (static_cast<synth::CollectiveKind>(call.info.detail) == synth::CollectiveKind::permute)
    return take_step(call, *a, {synth::Permute{*target}, synth::Direct{}});
  return take_step(call, *a, {synth::Exchange{*target}, synth::Direct{}});
}

}  // namespace tessera::typeck
