// Where communication comes from: every redistribution the checker makes goes through here, with its reason.
#include <fmt/format.h>

#include "synth/collective/collective.hpp"
#include "typeck/checker/checker.hpp"

namespace tessera::typeck {

namespace {

bool is_scalar(const ArrayType& type) { return type.rank() == 0; }

}  // namespace

std::optional<std::shared_ptr<const synth::Plan>> Checker::plan(const ArrayType& from, const ArrayType& to, Span span,
                                                                const synth::PlanOptions& options) {
  auto made_plan = plans_.get(from, to, options, options_.stop);
  if (made_plan.ok()) return std::move(made_plan).value();
  for (Diagnostic& diagnostic : std::move(made_plan).errors()) report(std::move(diagnostic).at(span));
  return std::nullopt;
}

std::optional<std::shared_ptr<const synth::Plan>> Checker::plans_by_hand(const ArrayType& from,
                                                                         const std::vector<synth::Collective>& steps,
                                                                         Span span) {
  auto made_plan = synth::plan_of_steps(from, steps, plans_.machine());
  if (made_plan.ok()) return std::make_shared<const synth::Plan>(std::move(made_plan).value());
  for (Diagnostic& diagnostic : std::move(made_plan).errors()) report(std::move(diagnostic).at(span));
  return std::nullopt;
}

// `local` and the reshard policy speak of steps that receive bytes. Reports and returns false where the step is
// refused.
bool Checker::allow_received(std::int64_t bytes, const Why& why, Span span) {
  if (bytes == 0) return true;
  if (local_depth_ > 0) {
    report(base::make(Kind::local_communicates, why.who, bytes)
               .at(span, "this must be redistributed")
               .suggest("lay the operands out alike before `local`, or take this out of it"));
    return false;
  }
  if (!why.inserted() || options_.reshard == ReshardPolicy::silent) return true;
  const bool refused = options_.reshard == ReshardPolicy::error;
  const base::KindInfo& kind = refused ? Kind::reshard_refused : Kind::reshard_inserted;
  const std::string cause =
      why.asker == Why::Asker::pending_resolution ? "a pending sum is finished" : "layouts differ";
  Diagnostic diagnostic = base::make(kind, why.who, bytes, cause).at(span, "this is redistributed");
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

Maybe Checker::redistribute(const Checked& value, const ArrayType& target, Why why, const synth::PlanOptions& options) {
  const ArrayType& from = type(value);
  // The same tiles may be written in two ways (a split of extent 1); whoever asks for one of them gets it.
  if (from == target && !options.within_bytes.has_value()) return value;
  if (synth::same_type(from, target) && !options.within_bytes.has_value()) return retyped(value, target);
  auto found = plan(from, target, value.span, options);
  if (!found.has_value() || !allow_received((*found)->received_bytes_total, why, value.span)) return std::nullopt;
  if ((*found)->steps.empty()) return from == target ? value : retyped(value, target);
  const bool recorded =
      value.expr.valid() && why.asker != Why::Asker::annotation && why.asker != Why::Asker::collective;
  if (recorded) {
    const auto text = [&](const ArrayType& own) { return print_type(own, environment_, environment_.now()); };
    const std::string before = takes_any_wanted_layout(ast(), value.expr) ? text(from) + " as " : "";
    frame_->inserted_as[value.expr] = before + text(target);
  }
  Checked result = value;
  result.nodes = {emit(value.span, {target}, Redistribute{value.node(), std::move(*found), std::move(why)})};
  return result;
}

// Finishes a pending reduction: into the wanted layout where the caller offers one that fits, else by all_reduce.
Maybe Checker::resolve_pending(const Checked& value, const std::string& who, Span asked_at, const Want* want) {
  const ArrayType& from = type(value);
  if (from.layout().pending().empty()) return value;
  Layout target = *Layout::make(from.mesh(), from.layout().splits());
  Why why{Why::Asker::pending_resolution, who, asked_at, {}, {}};
  if (want != nullptr && want->fits(from.rank(), from.mesh()) && want->layout->pending().empty()) {
    target = *want->layout;
    why.because = want->because;
  }
  const auto target_type = with_layout(value.span, from, std::move(target));
  if (!target_type.has_value()) return std::nullopt;
  return redistribute(value, *target_type, std::move(why));
}

bool Checker::unify_meshes(std::vector<Checked>& values, Span span) {
  const Checked* first = nullptr;
  for (const Checked& value : values) {
    if (!value.known.has_value()) {
      first = &value;
      break;
    }
  }
  const MeshRef mesh = first != nullptr ? type(*first).mesh_ref() : default_mesh();
  for (Checked& value : values) {
    const ArrayType& array = type(value);
    if (array.mesh() == *mesh) continue;
    if (value.known.has_value() && is_scalar(array)) {
      const auto affine = value.affine;
      const ExprId expr = value.expr;
      value = scalar(value.span, *value.known, array.element(), mesh);
      value.affine = affine;
      value.expr = expr;
      continue;
    }
    report(base::make(Kind::two_meshes, "one operation")
               .at(span)
               .also(value.span, fmt::format("this lives on {}",
                                             array.mesh().axes().empty() ? "one device" : synth::print(array.mesh())))
               .also(first->span,
                     fmt::format("this lives on {}", mesh->axes().empty() ? "one device" : synth::print(*mesh)))
               .suggest("bring both to one mesh with `as TYPE on MESH`"));
    return false;
  }
  return true;
}

}  // namespace tessera::typeck
