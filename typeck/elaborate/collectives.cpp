// Collectives written out by hand: each changes the layout exactly as the planner's own step does.
#include <fmt/format.h>

#include "synth/kinds.hpp"
#include "synth/moves/collective/collective.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

MaybeValue run_collective(OperationCall& call) {
  open::ByHand step{std::get<synth::CollectiveKind>(call.info.detail), {}, 0, 0, {}};
  const bool axes_first =
      step.kind == synth::CollectiveKind::all_to_all || step.kind == synth::CollectiveKind::all_reduce;
  const bool finishes =
      step.kind == synth::CollectiveKind::all_reduce || step.kind == synth::CollectiveKind::reduce_scatter;
  const std::size_t axes_at = axes_first ? 1 : 2;
  const MaybeValue a = finishes ? call.pending_array(0, axes_at) : call.array(0);
  if (!a.has_value()) return std::nullopt;
  const open::Type own = call.elaborator.type(*a);
  auto axes = call.axes(axes_at, own.mesh());
  if (!axes.has_value()) return std::nullopt;
  step.axes = std::move(*axes);
  if (step.kind != synth::CollectiveKind::all_reduce) {
    const bool moves = step.kind == synth::CollectiveKind::all_to_all;
    const auto from = call.dim(moves ? 2 : 1, own.rank());
    const auto to = moves ? call.dim(3, own.rank()) : from;
    if (!from.has_value() || !to.has_value()) return std::nullopt;
    step.from = *from;
    step.to = *to;
  }
  return call.elaborator.compute(call.span, own, std::move(step), {*a}, call.quoted());
}

MaybeValue run_collective_to(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto written = elaborator.types().written_type(elaborator.ast(), *call.type(1));
  const MaybeValue a = call.array(0);
  if (!written.has_value() || !a.has_value()) return std::nullopt;
  const auto target = elaborator.made(*written);
  if (!target.has_value()) return std::nullopt;
  const open::Type own = elaborator.type(*a);
  if (own.element() != target->element() || own.shape() != target->shape()) {
    elaborator.report(base::make(synth::Kind::as_changes_shape, elaborator.text(*a), elaborator.text(*written))
                          .at(written->span)
                          .also(a->span, elaborator.text(*a)));
    return std::nullopt;
  }
  if (!own.mesh().has_devices_of(target->mesh())) {
    elaborator.report(base::make(synth::Kind::cross_mesh, synth::print(own.mesh()), synth::print(target->mesh()))
                          .at(call.span)
                          .suggest(fmt::format("write `as {}`, which is planned", elaborator.text(*written))));
    return std::nullopt;
  }
  open::ByHand step{std::get<synth::CollectiveKind>(call.info.detail), {}, 0, 0, written->layout};
  return elaborator.compute(call.span, *target, std::move(step), {*a}, call.quoted());
}

}  // namespace tessera::typeck
