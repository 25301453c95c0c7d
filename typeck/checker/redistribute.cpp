// All communication begins here: every redistribution that the checker makes, with its reason.
#include <fmt/format.h>

#include <algorithm>

#include "base/units_text.hpp"
#include "synth/collective/collective.hpp"
#include "typeck/checker/checker.hpp"

namespace tessera::typeck {

std::optional<std::shared_ptr<const synth::Plan>> Checker::plan(const ArrayType& from, const ArrayType& to, Span span,
                                                                const synth::PlanOptions& options) {
  auto made_plan = plans_.get(from, to, options, options_.stop);
  if (made_plan.ok()) return std::move(made_plan).value();
  for (Diagnostic& diagnostic : std::move(made_plan).errors()) report(std::move(diagnostic).at(span));
  return std::nullopt;
}

std::optional<std::shared_ptr<const synth::Plan>> Checker::plan_by_hand(const ArrayType& from,
                                                                        const synth::Collective& step, Span span) {
  auto made_plan = plans_.get_by_hand(from, step, options_.stop);
  if (made_plan.ok()) return std::move(made_plan).value();
  for (Diagnostic& diagnostic : std::move(made_plan).errors()) report(std::move(diagnostic).at(span));
  return std::nullopt;
}

// `local` and the reshard policy speak of steps that receive bytes. Reports and returns false where the step is
// refused.
bool Checker::allow_received(std::int64_t bytes, const Reason& why, Span span) {
  if (bytes == 0) return true;
  if (local_depth_ > 0) {
    report(base::make(Kind::local_communicates, why.who, base::bytes_text(bytes))
               .at(span, "this must be redistributed")
               .suggest("lay the operands out alike before `local`, or take this out of it"));
    return false;
  }
  if (!why.inserted() || options_.reshard == ReshardPolicy::silent) return true;
  const bool refused = options_.reshard == ReshardPolicy::error;
  const base::KindInfo& kind = refused ? Kind::reshard_refused : Kind::reshard_inserted;
  const std::string cause =
      why.asker == Reason::Asker::pending_resolution ? "a pending sum is finished" : "layouts differ";
  Diagnostic diagnostic = base::make(kind, why.who, base::bytes_text(bytes), cause).at(span, "this is redistributed");
  if (why.because.known() && why.because != span) diagnostic.labels.push_back({why.because, "to fit this", false});
  report(std::move(diagnostic).suggest("write the change of layout with `as` to make it explicit"));
  return !refused;
}

namespace {

// `concat` would bring its operands to a layout that is printed behind it; its own layout is therefore printed first.
bool takes_any_wanted_layout(const Ast& ast, ExprId expr) {
  const auto* const call = std::get_if<frontend::Call>(&ast[expr].node);
  return call != nullptr && call->callee.text == "concat";
}

}  // namespace

MaybeValue Checker::redistribute(const Checked& value, const ArrayType& target, Reason why,
                                 const synth::PlanOptions& options) {
  const ArrayType& from = type(value);
  // The same tiles may be written in two ways (a split of extent 1); whoever asks for one of them gets it.
  if (from == target && !options.within_bytes.has_value()) return value;
  if (synth::same_type(from, target) && !options.within_bytes.has_value()) return retyped(value, target);
  const auto before = options.within_bytes.has_value() ? std::nullopt : moved_before(value.node(), target);
  const Span asked = options.within_bytes.has_value() ? why.asked_at : value.span;
  auto found =
      before.has_value() ? std::optional(std::shared_ptr<const synth::Plan>{}) : plan(from, target, asked, options);
  if (!found.has_value()) return std::nullopt;
  if (*found != nullptr) {
    if (!allow_received((*found)->received_bytes_total, why, value.span)) return std::nullopt;
    if ((*found)->steps.empty()) return from == target ? value : retyped(value, target);
  }
  const bool recorded =
      value.expr.valid() && why.asker != Reason::Asker::annotation && why.asker != Reason::Asker::collective;
  if (recorded) note_inserted(value, target);
  Checked result = value;
  result.nodes = {before.has_value()
                      ? *before
                      : emit(value.span, {target}, Redistribute{value.node(), std::move(*found), std::move(why)})};
  if (!before.has_value() && !options.within_bytes.has_value()) note_moved(value.node(), result.node());
  return result;
}

// What is wanted again is still there where that is no burden: the value crossed to another mesh, or it takes no more
// room as it is wanted, beside the value itself, which is there anyway. A whole array made of its parts is not kept.
// A gradient's second pass keeps nothing of its first that it was not told to.
void Checker::note_moved(NodeId source, NodeId made) {
  const ArrayType& from = type(source);
  const ArrayType& to = type(made);
  if (from.mesh() == to.mesh() && synth::tile_bytes_max(to) > synth::tile_bytes_max(from)) return;
  moves_[source].push_back({to, made, open_regions_.empty() ? 0 : open_regions_.back()});
}

std::optional<NodeId> Checker::moved_before(NodeId source, const ArrayType& target) const {
  const auto known = moves_.find(source);
  if (known == moves_.end()) return std::nullopt;
  for (const Move& move : known->second) {
    const bool is_seen = std::find(open_regions_.begin(), open_regions_.end(), move.region) != open_regions_.end();
    const bool is_same_pass = typed_.nodes[move.made].pass == pass_ || type(source).mesh() != target.mesh();
    if (is_seen && is_same_pass && move.type == target) return move.made;
  }
  return std::nullopt;
}

// For the printed program: what was inserted stands behind its expression there.
void Checker::note_inserted(const Checked& value, const ArrayType& target) {
  const auto text = [&](const ArrayType& own) { return print_type(own, environment_, environment_.now()); };
  const std::string before = takes_any_wanted_layout(ast(), value.expr) ? text(type(value)) + " as " : "";
  frame_->inserted_as[value.expr] = before + text(target);
}

// Finishes a pending reduction: into the wanted layout where the caller offers one that fits, else by all_reduce.
MaybeValue Checker::resolve_pending(const Checked& value, const std::string& who, Span asked_at,
                                    const Preference* want) {
  const ArrayType& from = type(value);
  if (from.layout().pending().empty()) return value;
  Layout target = *Layout::make(from.mesh(), from.layout().splits());
  Reason why{Reason::Asker::pending_resolution, who, asked_at, {}, {}};
  if (want != nullptr && want->fits(from.rank(), from.mesh()) && want->layout->pending().empty()) {
    target = *want->layout;
    why.because = want->because;
  }
  const auto target_type = with_layout(value.span, from, std::move(target));
  if (!target_type.has_value()) return std::nullopt;
  return redistribute(value, *target_type, std::move(why));
}

}  // namespace tessera::typeck
