// All communication begins here: every redistribution that the checker makes, with its reason.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/units_text.hpp"
#include "synth/moves/collective/collective.hpp"
#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

// `local` and the reshard policy speak of steps that receive bytes. Reports and returns false where the step is
// refused.
bool Redistributions::allow_received(std::int64_t bytes, const Reason& why, Span span) {
  if (bytes == 0 || is_again()) return true;
  if (is_local_) {
    report(base::make(Kind::local_communicates, why.who, base::bytes_text(bytes))
               .at(span, "this must be redistributed")
               .suggest("lay the operands out so that nothing moves before `local`, or take this out of it"));
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

// An array that nobody asked to gather is gathered in the open. Gathers of few bytes are a launch, and are left out.
void Redistributions::note_gather(const synth::Plan& plan, const Reason& why, Span span) {
  constexpr std::int64_t kFewBytes = std::int64_t{64} << 10U;
  if (is_again() || !why.inserted() || options_.reshard != ReshardPolicy::silent) return;
  if (plan.received_bytes_total <= kFewBytes || plan.from.mesh() != plan.to.mesh()) return;
  if (plan.from.layout().is_replicated() || !plan.from.layout().pending().empty()) return;
  if (!plan.to.layout().is_replicated()) return;
  const std::string whole = synth::print(plan.to);
  report(base::make(Kind::operation_gathers, why.who, base::bytes_text(plan.received_bytes_total))
             .at(span, "this is gathered")
             .suggest(fmt::format("if it has to be whole, write that: `as {}`", whole.substr(whole.find('[')))));
}

namespace {

// These would take the layout that is printed behind them for the wanted one; their own layout is therefore printed
// first.
constexpr auto kTakeAnyWantedLayout =
    std::to_array<std::string_view>({"argsort", "bincount", "concat", "reshape", "sort", "take"});

bool takes_any_wanted_layout(const frontend::Ast& ast, ExprId expr) {
  const auto* const call = std::get_if<frontend::Call>(&ast[expr].node);
  return call != nullptr && std::ranges::find(kTakeAnyWantedLayout, call->callee.text) != kTakeAnyWantedLayout.end();
}

}  // namespace

MaybeHeld Redistributions::redistribute(const Held& value, const ArrayType& target, Reason why,
                                        const synth::PlanOptions& options) {
  const ArrayType& from = type(value);
  // The same tiles may be written in two ways (a split of extent 1); whoever asks for one of them gets it.
  if (from == target && !options.within_bytes.has_value()) return value;
  if (synth::same_type(from, target) && !options.within_bytes.has_value()) return retyped(value, target);
  const auto before = options.within_bytes.has_value() ? std::nullopt : moved_before(value.node(), target);
  const Span asked = options.within_bytes.has_value() ? why.asked_at : value.span;
  auto found = before.has_value() ? std::optional(std::shared_ptr<const synth::Plan>{})
                                  : plans_.plan(from, target, asked, options);
  if (!found.has_value()) return std::nullopt;
  if (*found != nullptr) {
    if (!allow_received((*found)->received_bytes_total, why, value.span)) return std::nullopt;
    note_gather(**found, why, value.span);
    if ((*found)->steps.empty()) return from == target ? value : retyped(value, target);
  }
  const bool recorded =
      value.expr.valid() && why.asker != Reason::Asker::annotation && why.asker != Reason::Asker::collective;
  if (recorded) note_inserted(value, target);
  Held result = value;
  result.nodes = {before.has_value()
                      ? *before
                      : emit(value.span, {target}, Redistribute{value.node(), std::move(*found), std::move(why)})};
  if (!before.has_value() && !options.within_bytes.has_value()) note_moved(value.node(), result.node());
  return result;
}

// Remembers a redistribution for reuse if keeping its result costs little memory: the value crossed to another mesh, or
// its tile did not grow. A whole array made of its parts is not kept. A gradient's second pass keeps nothing of its
// first that it was not told to.
void Redistributions::note_moved(NodeId source, NodeId made) {
  const ArrayType& from = type(source);
  const ArrayType& to = type(made);
  if (from.mesh() == to.mesh() && synth::tile_bytes_max(to) > synth::tile_bytes_max(from)) return;
  moves_[source].push_back(move_to(made));
}

Redistributions::Move Redistributions::move_to(NodeId made) const {
  const std::uint64_t region = open_regions_.empty() ? 0 : open_regions_.back();
  return {type(made), made, region, again_, is_again() ? pass_there_ : pass_};
}

bool Redistributions::is_at_hand(const Move& move) const {
  return std::find(open_regions_.begin(), open_regions_.end(), move.region) != open_regions_.end();
}

std::optional<NodeId> Redistributions::moved_before(NodeId source, const ArrayType& target) const {
  const auto known = moves_.find(source);
  if (known == moves_.end()) return std::nullopt;
  for (const Move& move : known->second) {
    const synth::Pass pass = is_again() ? pass_there_ : pass_;
    const bool is_same_pass = move.pass == pass || type(source).mesh() != target.mesh();
    if (is_at_hand(move) && is_same_pass && move.again == again_ && move.type == target) return move.made;
  }
  return std::nullopt;
}

// For the printed program: what was inserted stands behind its expression there.
void Redistributions::note_inserted(const Held& value, const ArrayType& target) {
  const auto text = [&](const ArrayType& own) { return reports_.printed(own); };
  const std::string before = takes_any_wanted_layout(*body_->ast, value.expr) ? text(type(value)) + " as " : "";
  body_->inserted_as[value.expr] = before + text(target);
}

MaybeHeld Redistributions::resolve_pending(const Held& value, const std::string& who, Span asked_at) {
  Changes way;
  const auto finished = greedy_.finish(seen(value), who, asked_at, nullptr, way);
  return finished.has_value() ? brought(value, std::move(way)) : std::nullopt;
}

MaybeHeld Redistributions::brought(Held value, Changes way) {
  for (Change& change : way) {
    MaybeHeld moved = redistribute(value, change.to, std::move(change.why));
    if (!moved.has_value()) return std::nullopt;
    value = std::move(*moved);
  }
  return value;
}

// Sums are finished first, those of all operands.
std::optional<std::vector<Held>> Redistributions::brought(std::vector<Held> operands, std::vector<Changes> uses,
                                                          bool computes) {
  for (const bool finishes : {true, false}) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const auto rest = std::ranges::find_if(
          uses[k], [](const Change& change) { return change.why.asker != Reason::Asker::pending_resolution; });
      MaybeHeld moved =
          brought(std::move(operands[k]), finishes ? Changes(uses[k].begin(), rest) : Changes(rest, uses[k].end()));
      if (!moved.has_value()) return std::nullopt;
      operands[k] = !finishes && computes ? widened(*moved) : std::move(*moved);
    }
  }
  return operands;
}

namespace {

// `[6@x, 4]`: the first dimension split over the first axis.
std::string split_example(const ArrayType& type) {
  std::string text;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    text += fmt::format("{}{}", d == 0 ? "" : ", ", type.shape()[d]);
    if (d == 0) text += "@" + type.mesh().axes().front().name;
  }
  return "[" + text + "]";
}

}  // namespace

// An annotation without any axis that makes devices receive more than they had was probably an accident.
void Inserter::note_accidental_gather(const Held& result, const open::As& as) {
  if (is_again() || as.names_axes || type(result).rank() == 0) return;
  const auto* moved = std::get_if<Redistribute>(&typed_.nodes[result.node()].body);
  if (moved == nullptr || moved->plan->from.layout().is_replicated() || !moved->plan->from.layout().pending().empty())
    return;
  if (moved->plan->from.mesh() != moved->plan->to.mesh()) return;  // the mesh was named, and that is the purpose
  std::int64_t received = 0;
  for (const synth::PlanStep& step : moved->plan->steps) received += step.received_bytes_max;
  std::int64_t held = 0;
  for (std::int64_t device = 0; device < moved->plan->from.devices(); ++device)
    held = std::max(held, synth::tile_bytes(moved->plan->from, device));
  if (received <= held) return;
  report(
      base::make(Kind::annotation_gathers, base::bytes_text(moved->plan->received_bytes_total))
          .at(as.written)
          .suggest(fmt::format("name the axes it should be split over, as in `{}`", split_example(moved->plan->to))));
}

// May a value be used after the operand that gave it? Whatever has a name may: it was there before so many nodes were
// made, comes from outside, or is a view of such a value.
bool Inserter::may_live_on(NodeId node, std::size_t made_before) const {
  while (node.value >= made_before) {
    const auto& body = typed_.nodes[node].body;
    if (std::holds_alternative<Input>(body) || std::holds_alternative<Parameter>(body)) return true;
    const auto* moved = std::get_if<Redistribute>(&body);
    const auto* computed = std::get_if<Compute>(&body);
    if (moved != nullptr && !moved->plan->communicates()) {
      node = moved->operand;
    } else if (computed != nullptr && std::holds_alternative<synth::Reshape>(computed->operation)) {
      node = computed->operands[0];
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace tessera::typeck
