// `as`, annotations, blocks, `if`, `loop`, `local`, `again`, tuples.
#include <fmt/format.h>

#include <algorithm>

#include "base/units_text.hpp"
#include "synth/kinds.hpp"
#include "typeck/checker/checker.hpp"
#include "typeck/checker/fold.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

// Brings a value to a written type: the element type and the extents must be its own, the layout is redistributed to.
MaybeValue Checker::annotated(const Checked& value, const WrittenType& written, const std::string& who, Span asked_at,
                              const synth::PlanOptions& options) {
  const ArrayType from = type(value);
  const bool element_fits = !written.element.has_value() || *written.element == from.element();
  if (!element_fits || written.shape != from.shape()) {
    const std::string extents = written.shape.empty() ? "" : print_shape(written.shape);
    const std::string declared = written.element.has_value()
                                     ? fmt::format("{}{}", synth::name(*written.element), extents)
                                     : print_shape(written.shape);
    const bool is_as = who == "`as`";
    Diagnostic diagnostic = base::make(is_as ? synth::Kind::as_changes_shape : Kind::annotation_mismatch,
                                       is_as ? text(from) : who, is_as ? declared : text(from), declared);
    std::string help = "change the extents with reshape, a slice or broadcast";
    if (!element_fits) help = fmt::format("cast it: {}({})", synth::name(*written.element), text(value.span));
    report(std::move(diagnostic).at(written.span).also(value.span, text(from)).suggest(std::move(help)));
    return std::nullopt;
  }
  if (written.any_layout) return value;
  const auto target = full_type(written, from.element());
  if (!target.has_value()) return std::nullopt;
  if (from.mesh() != target->mesh()) {
    if (const MaybeValue again = again_on(value, target->mesh_ref())) return again;
  }
  MaybeValue result =
      redistribute(value, *target, Reason{Reason::Asker::annotation, who, asked_at, written.span, {}}, options);
  if (!result.has_value()) return std::nullopt;
  note_accidental_gather(*result, written, options);
  return result;
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
void Checker::note_accidental_gather(const Checked& result, const WrittenType& written, const synth::PlanOptions&) {
  if (written.names_axes || written.shape.empty()) return;
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
          .at(written.span)
          .suggest(fmt::format("name the axes it should be split over, as in `{}`", split_example(moved->plan->to))));
}

// May a value be used after the operand that gave it? Whatever has a name may: it was there before so many nodes were
// made, comes from outside, or is a view of such a value.
bool Checker::may_live_on(NodeId node, std::size_t made_before) const {
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

MaybeValue Checker::check_as(ExprId id, const frontend::As& as) {
  const auto written = written_type(ast(), as.type);
  if (!written.has_value()) {
    check_array(as.operand);
    return std::nullopt;
  }
  if (written->any_layout) {
    report(base::make(Kind::any_layout_here).at(written->span));
    return std::nullopt;
  }
  const std::size_t made_before = typed_.nodes.size();
  MaybeValue operand = check_array(as.operand, want_of(ast(), as.type));
  if (!operand.has_value()) return std::nullopt;
  synth::PlanOptions options;
  options.within_bytes = as.within_bytes;
  options.source_dies = false;  // the runtime frees no part of an array
  options.source_lives_on = may_live_on(operand->node(), made_before);
  return annotated(*operand, *written, "`as`", ast()[id].span, options);
}

std::vector<Checked> Checker::parts(const Checked& value) {
  if (value.nodes.size() == 1) return {value};
  std::vector<Checked> all;
  for (const NodeId node : value.nodes) all.push_back(with_affine(Checked{{node}, value.span, {}, {}, {}}));
  return all;
}

MaybeValue Checker::check_tuple(ExprId, const frontend::Tuple& tuple) {
  Checked all;
  bool good = true;
  for (const ExprId item : tuple.items) {
    const MaybeValue value = check_array(item);
    good = good && value.has_value();
    if (value.has_value()) all.nodes.push_back(value->node());
  }
  if (!good) return std::nullopt;
  return all;
}

// The nodes of a loop, branch or call with several results.
Checked Checker::elements_of(NodeId node, Span span) {
  const std::vector<ArrayType> types = typed_.nodes[node].types;
  if (types.size() == 1) return with_affine(Checked{{node}, span, {}, {}, {}});
  Checked all{{}, span, {}, {}, {}};
  for (std::size_t k = 0; k < types.size(); ++k) {
    all.nodes.push_back(emit(span, {types[k]}, Element{node, static_cast<std::uint32_t>(k)}));
  }
  return all;
}

MaybeValue Checker::check_block(BlockId id, const Preference& want, bool tuple_allowed) {
  const frontend::Block& block = ast()[id];
  const std::size_t outer = frame_->locals.size();
  ++frame_->block_depth;
  bool good = true;
  for (const StatementId statement : block.statements) good = check_block_statement(statement) && good;
  MaybeValue result = tuple_allowed ? check_expr(block.result, want) : check_array(block.result, want);
  --frame_->block_depth;
  frame_->locals.resize(outer);
  if (!good) return std::nullopt;
  return result;
}

MaybeValue Checker::check_local(ExprId, const frontend::Local& local, const Preference& want) {
  ++local_depth_;
  MaybeValue result = check_block(local.block, want, true);
  --local_depth_;
  return result;
}

// The block is a region of its own, so that a gradient can compute it twice.
MaybeValue Checker::check_again(ExprId id, const frontend::Again& again, const Preference& want) {
  Again made_again;
  const MaybeValue result = in_region(made_again.body, [&] { return check_block(again.block, want, true); });
  if (!result.has_value()) return std::nullopt;
  made_again.body.results = result->nodes;
  std::vector<ArrayType> types;
  for (const NodeId node : result->nodes) types.push_back(type(node));
  const Span span = ast()[id].span;
  Checked value = elements_of(emit(span, std::move(types), std::move(made_again)), span);
  if (result->nodes.size() == 1) value.known = result->known;
  return value;
}

// A replicated scalar of the given element type: a condition, a count, a position, a seed.
MaybeValue Checker::scalar_of(const Checked& value, ElementType element, const std::string& who) {
  const ArrayType& own = type(value);
  if (own.rank() != 0 || own.element() != element) {
    const std::string wanted = fmt::format("{} ({})", who, synth::name(element));
    const bool is_position = element == ElementType::i64 && own.rank() > 0;
    std::string help;
    const std::string written = text(value.span);  // of a number in a file's name, the name
    const bool is_number = own.element() != ElementType::boolean && element != ElementType::boolean;
    if (own.rank() == 0 && is_number && !written.starts_with('"'))
      help = fmt::format("cast it: {}({})", synth::name(element), written);
    if (is_position && own.element() == ElementType::boolean)
      help = "elements are not picked by a mask; `where(c, a, 0)` keeps the shape and sets the others to 0";
    if (is_position && own.element() == ElementType::i64 && who == "a position")
      help = "`take(a, indices)` picks the rows at several positions";
    if (element == ElementType::boolean && own.element() != ElementType::boolean)
      help = "compare it, as in `c != 0`";
    else if (element == ElementType::boolean)
      help = who == "the condition of `if`" ? "`where(c, a, b)` takes each element by its own condition"
                                            : "`all(c)` is true where every element is, `any(c)` where one is";
    report(base::make(Kind::not_a_scalar, wanted, text(own)).at(value.span).suggest(std::move(help)));
    return std::nullopt;
  }
  return resolve_pending(value, who, value.span);
}

MaybeValue Checker::check_if(ExprId id, const frontend::If& node, const Preference& want) {
  const Span span = ast()[id].span;
  MaybeValue condition = check_array(node.condition);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `if`");
  // The layout is wanted of the whole `if`, not of a branch.
  const Preference for_branch{want.element, {}, {}, {}};
  If both;
  MaybeValue then_value = in_region(both.then_region, [&] { return check_block(node.then_block, for_branch, true); });
  Preference for_else = for_branch;
  if (then_value.has_value() && then_value->nodes.size() == 1 && !for_else.element.has_value())
    for_else.element = type(*then_value).element();
  MaybeValue else_value = in_region(both.else_region, [&] { return check_block(node.else_block, for_else, true); });
  if (!condition.has_value() || !then_value.has_value() || !else_value.has_value()) return std::nullopt;
  both.condition = condition->node();
  return join_branches(span, std::move(both), *then_value, *else_value);
}

// The else branch comes to the then branch's layout where only layouts differ.
MaybeValue Checker::join_branches(Span span, If both, const Checked& then_value, const Checked& else_value) {
  const auto mismatch = [&](const std::string& a, const std::string& b) {
    report(base::make(Kind::branch_mismatch, a, b).at(span).also(then_value.span, a).also(else_value.span, b));
    return std::nullopt;
  };
  if (then_value.nodes.size() != else_value.nodes.size()) {
    return mismatch(fmt::format("{} values", then_value.nodes.size()),
                    fmt::format("{} values", else_value.nodes.size()));
  }
  std::vector<ArrayType> types;
  for (std::size_t k = 0; k < then_value.nodes.size(); ++k) {
    const ArrayType wanted = type(then_value.nodes[k]);
    const ArrayType other = type(else_value.nodes[k]);
    if (wanted.element() != other.element() || wanted.shape() != other.shape())
      return mismatch(text(wanted), text(other));
    Checked part = else_value;
    part.nodes = {else_value.nodes[k]};
    if (else_value.nodes.size() > 1) part.expr = {};
    std::vector<Checked> with_mesh = {Checked{{then_value.nodes[k]}, then_value.span, {}, {}, {}}, part};
    if (!unify_meshes(with_mesh, span)) return std::nullopt;
    MaybeValue moved = in_region(both.else_region, [&] {
      return redistribute(with_mesh[1], wanted, Reason{Reason::Asker::operation, "`if`", span, then_value.span, {}});
    });
    if (!moved.has_value()) return std::nullopt;
    types.push_back(wanted);
    both.then_region.results.push_back(then_value.nodes[k]);
    both.else_region.results.push_back(moved->node());
  }
  return elements_of(emit(span, std::move(types), std::move(both)), span);
}

MaybeValue Checker::check_loop(ExprId id, const frontend::Loop& loop, const Preference& want) {
  const Span span = ast()[id].span;
  const std::size_t outer = frame_->locals.size();
  Loop made_loop;
  bool good = true;
  for (const frontend::Carried& carried : loop.carried) {
    const MaybeValue initial =
        check_array(carried.init, Preference{loop.carried.size() == 1 ? want.element : std::nullopt, {}, {}, {}});
    good = good && initial.has_value();
    if (!initial.has_value()) continue;
    made_loop.initial.push_back(initial->node());
  }
  MaybeValue count = check_array(loop.bound);
  if (count.has_value()) count = scalar_of(*count, ElementType::i64, "the bound of a loop");
  if (!good || !count.has_value()) return std::nullopt;
  made_loop.count = count->node();
  made_loop.known_count = known_integer(*count);
  const auto parameter = [&](const ArrayType& own, Span at) { return typed_.nodes.add(Node{at, {own}, Parameter{}}); };
  for (std::size_t k = 0; k < loop.carried.size(); ++k) {
    const Span at = loop.carried[k].name.span;
    made_loop.parameters.push_back(parameter(type(made_loop.initial[k]), at));
    frame_->locals.push_back(
        {loop.carried[k].name.text, with_affine(Checked{{made_loop.parameters.back()}, at, {}, {}, {}})});
  }
  // The index lives where the first carried value does, so that it can select from it.
  made_loop.index =
      parameter(ArrayType::scalar(ElementType::i64, type(made_loop.initial[0]).mesh_ref()), loop.index.span);
  frame_->locals.push_back({loop.index.text, with_affine(Checked{{made_loop.index}, loop.index.span, {}, {}, {}})});
  const Preference body_want{
      loop.carried.size() == 1 ? std::optional(type(made_loop.initial[0]).element()) : std::nullopt, {}, {}, {}};
  const MaybeValue body = in_loop(
      made_loop, [&] { return in_region(made_loop.body, [&] { return check_block(loop.body, body_want, true); }); });
  frame_->locals.resize(outer);
  if (!body.has_value() || !loop_keeps_types(loop, made_loop, *body)) return std::nullopt;
  made_loop.body.results = body->nodes;
  if (loop.is_pipeline && !plan_pipeline(span, loop, made_loop)) return std::nullopt;
  std::vector<ArrayType> types;
  for (const NodeId initial : made_loop.initial) types.push_back(type(initial));
  return elements_of(emit(span, std::move(types), std::move(made_loop)), span);
}

// What to write where a fraction takes the element type of integers: those of another operand, or of nothing that could
// be changed. A value that a loop carries keeps the element type with which it begins.
std::string Checker::help_for_fraction(ExprId beside) const {
  if (!beside.valid()) return "write an integer";
  const std::string other = text(ast()[beside].span);
  const auto* const name = std::get_if<frontend::NameRef>(&ast()[beside].node);
  bool poisoned = false;
  const Checked* const value = name == nullptr ? nullptr : local(name->name, poisoned);
  for (const Loop* const loop : open_loops_) {
    for (std::size_t k = 0; value != nullptr && k < loop->parameters.size(); ++k) {
      if (loop->parameters[k] != value->node()) continue;
      // The name that the loop gives the value, of which this may be another one.
      const auto own = std::find_if(frame_->locals.begin(), frame_->locals.end(), [&](const auto& local) {
        return local.value.has_value() && local.value->node() == value->node();
      });
      const std::string& carried = own->name;
      const std::string initial = text(typed_.nodes[loop->initial[k]].span);
      const bool is_integer = !initial.empty() && initial.find_first_not_of("0123456789") == std::string::npos;
      return is_integer ? fmt::format("begin the loop with a float: `{} = {}.0`", carried, initial)
                        : fmt::format("write an integer, or begin the loop with `{}` as a float", carried);
    }
  }
  constexpr std::size_t kQuotable = 40;
  const bool is_quotable = other.size() <= kQuotable && other.find('\n') == std::string::npos;
  return fmt::format("write an integer, or cast the other side: `f32({})`", is_quotable ? other : "...");
}

bool Checker::loop_keeps_types(const frontend::Loop& loop, Loop& made_loop, const Checked& body) {
  if (body.nodes.size() != loop.carried.size()) {
    report(base::make(Kind::loop_count, loop.carried.size(), body.nodes.size()).at(body.span));
    return false;
  }
  for (std::size_t k = 0; k < body.nodes.size(); ++k) {
    const ArrayType& before = type(made_loop.initial[k]);
    const ArrayType& after = type(body.nodes[k]);
    if (synth::same_type(before, after)) continue;
    const bool layout_only = before.element() == after.element() && before.shape() == after.shape();
    std::string help;
    if (layout_only) help = fmt::format("end the body with `as {}`, or start with that layout", text(before));
    if (before.element() != after.element() && before.shape() == after.shape())
      help = fmt::format("end the body with a cast, `{}(...)`", synth::name(before.element()));
    report(base::make(Kind::loop_carried, loop.carried[k].name.text, text(before), text(after))
               .at(body.span, text(after))
               .also(loop.carried[k].name.span, text(before))
               .suggest(help));
    return false;
  }
  return true;
}

}  // namespace tessera::typeck
