// `as`, annotations, blocks, `if`, `local`, `again`, tuples.
#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/records.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

// Brings a value to a written type: the element type and the extents must be its own, the layout is redistributed to.
MaybeValue Elaborator::annotated(const Checked& value, const WrittenType& written, const std::string& who,
                                 Span asked_at, const frontend::As* as, ValueId operand_begins) {
  const open::Type from = type(value);
  const bool element_fits = !written.element.has_value() || *written.element == from.element();
  if (!element_fits || written.shape != from.shape()) {
    const std::string extents = written.shape.empty() ? "" : print_shape(written.shape);
    const std::string declared = written.element.has_value()
                                     ? fmt::format("{}{}", synth::name(*written.element), extents)
                                     : print_shape(written.shape);
    const std::string own = text(value);
    Diagnostic diagnostic = base::make(as != nullptr ? synth::Kind::as_changes_shape : Kind::annotation_mismatch,
                                       as != nullptr ? own : who, as != nullptr ? declared : own, declared);
    std::string help = "change the extents with reshape, a slice or broadcast";
    if (!element_fits) help = fmt::format("cast it: {}({})", synth::name(*written.element), text(value.span));
    report(std::move(diagnostic).at(written.span).also(value.span, own).suggest(std::move(help)));
    return std::nullopt;
  }
  if (written.any_layout) return value;
  if (from.mesh() != *written.mesh) {
    if (const MaybeValue again = again_on(value, written.mesh)) return again;
  }
  const auto within = as != nullptr ? as->within_bytes : std::nullopt;
  open::As made_as{use(value),         written.layout, who,    asked_at,      written.span,
                   written.names_axes, as != nullptr,  within, operand_begins};
  Checked result = value;
  result.nodes = {emit(value.span, {written.type(from.element())}, std::move(made_as))};
  return result;
}

MaybeValue Elaborator::check_as(ExprId id, const frontend::As& as) {
  if (is_record(ast(), as.type)) {
    const ValueId begins{static_cast<std::uint32_t>(begun())};
    const MaybeValue operand = check_value_as(*this, as.operand, ast(), as.type);
    if (!operand.has_value()) return std::nullopt;
    return annotated_as(*this, *operand, ast(), as.type, "`as`", ast()[id].span, &as, begins);
  }
  const auto written = types_.written_type(ast(), as.type);
  if (!written.has_value()) {
    check_array(as.operand);
    return std::nullopt;
  }
  if (written->any_layout) {
    report(base::make(Kind::any_layout_here).at(written->span));
    return std::nullopt;
  }
  const ValueId operand_begins{static_cast<std::uint32_t>(begun())};
  const MaybeValue operand = check_array_as(as.operand, ast(), as.type);
  if (!operand.has_value()) return std::nullopt;
  return annotated(*operand, *written, "`as`", ast()[id].span, &as, operand_begins);
}

std::vector<Checked> Elaborator::parts(const Checked& value) {
  if (value.count() == 1) return {value};
  std::vector<Checked> all;
  std::size_t at = 0;
  for (const Fields& fields : items_of(value)) {
    const auto first = value.nodes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t arrays = std::max<std::size_t>(fields.size(), 1);
    Checked one{{first, first + static_cast<std::ptrdiff_t>(arrays)}, value.span, {}, {}, {}};
    if (!fields.empty()) one.items = {fields};
    if (value.known_fields.size() == value.nodes.size()) {
      const auto known = value.known_fields.begin() + static_cast<std::ptrdiff_t>(at);
      if (fields.empty())
        one.known = *known;
      else
        one.known_fields.assign(known, known + static_cast<std::ptrdiff_t>(arrays));
    }
    at += arrays;
    all.push_back(names_.with_affine(std::move(one)));
  }
  return all;
}

std::vector<open::Use> Elaborator::results_of(const Checked& value) {
  std::vector<open::Use> all;
  for (const ValueId node : value.nodes) all.push_back({node, value.span, {}});
  return all;
}

MaybeValue Elaborator::check_tuple(ExprId, const frontend::Tuple& tuple) {
  std::vector<Checked> all;
  for (const ExprId item : tuple.items) {
    const MaybeValue value = check_value(*this, item);
    if (value.has_value()) all.push_back(*value);
  }
  if (all.size() != tuple.items.size()) return std::nullopt;
  return tuple_of(all);
}

// The nodes of a loop, branch or call with several results.
Checked Elaborator::elements_of(ValueId node, Span span, std::vector<Fields> items) {
  const std::vector<open::Type> types = program_.nodes[node].types;
  if (types.size() == 1) return names_.with_affine(Checked{{node}, span, {}, {}, {}, std::move(items)});
  Checked all{{}, span, {}, {}, {}, std::move(items)};
  for (std::size_t k = 0; k < types.size(); ++k) {
    all.nodes.push_back(emit(span, {types[k]}, open::Element{node, static_cast<std::uint32_t>(k)}));
  }
  return all;
}

MaybeValue Elaborator::check_block(BlockId id, const Preference& want, bool tuple_allowed) {
  const frontend::Block& block = ast()[id];
  const std::size_t outer = frame_->locals.size();
  ++frame_->block_depth;
  bool good = true;
  for (const StatementId statement : block.statements) good = statements_.check_block_statement(statement) && good;
  MaybeValue result = tuple_allowed ? check_expr(block.result, want) : check_array(block.result, want);
  --frame_->block_depth;
  frame_->locals.resize(outer);
  if (!good) return std::nullopt;
  return result;
}

MaybeValue Elaborator::check_local(ExprId id, const frontend::Local& local, const Preference& want) {
  if (frame_->function != nullptr && frame_->function->definition().chosen.has_value()) {
    report(base::make(Kind::auto_collective, std::string("`local`"))
               .at(ast()[id].span)
               .suggest("leave `local` out: the choice moves nothing that need not move"));
    check_block(local.block, want, true);
    return std::nullopt;
  }
  ++local_depth_;
  MaybeValue result = check_block(local.block, want, true);
  --local_depth_;
  return result;
}

// The block is a region of its own, so that a gradient can compute it twice.
MaybeValue Elaborator::check_again(ExprId id, const frontend::Again& again, const Preference& want) {
  open::Again made_again;
  const MaybeValue result = in_region(made_again.body, [&] { return check_block(again.block, want, true); });
  const Span span = ast()[id].span;
  std::vector<open::Type> types;
  if (result.has_value()) {
    made_again.body.results = results_of(*result);
    for (const ValueId node : result->nodes) types.push_back(type(node));
  }
  const ValueId node = emit(span, std::move(types), std::move(made_again));
  program_.nodes[node].is_complete = result.has_value();
  if (!result.has_value()) return std::nullopt;
  Checked value = elements_of(node, span, result->items);
  if (result->is_array()) value.known = result->known;
  return value;
}

// A replicated scalar of the given element type: a condition, a count, a position, a seed.
MaybeValue Elaborator::scalar_of(const Checked& value, ElementType element, const std::string& who) {
  const open::Type own = type(value);
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
    report(base::make(Kind::not_a_scalar, wanted, text(value)).at(value.span).suggest(std::move(help)));
    return std::nullopt;
  }
  return finished(value, who, value.span);
}

namespace {

// The value of the else branch with the fields of its records in the order of the then branch's.
MaybeValue as_in_branch(Elaborator& elaborator, const Checked& value, const Checked& then_value) {
  if (value.items == then_value.items) return value;
  std::vector<Checked> all;
  const std::vector<Fields> wanted = items_of(then_value);
  for (const Checked& item : elaborator.parts(value)) {
    MaybeValue ordered =
        in_order(elaborator, item, wanted[all.size()], "the value of the first branch", then_value.span);
    if (!ordered.has_value()) return std::nullopt;
    all.push_back(std::move(*ordered));
  }
  Checked made = all.size() == 1 ? all.front() : tuple_of(all);
  made.span = value.span;
  return made;
}

}  // namespace

MaybeValue Elaborator::check_if(ExprId id, const frontend::If& node, const Preference& want) {
  MaybeValue condition = check_array(node.condition);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `if`");
  const Preference for_branch{want.element};
  open::If both;
  const MaybeValue then_value =
      in_region(both.then_region, [&] { return check_block(node.then_block, for_branch, true); });
  Preference for_else = for_branch;
  if (then_value.has_value() && then_value->is_array() && !for_else.element.has_value())
    for_else.element = type(*then_value).element();
  const MaybeValue else_value =
      in_region(both.else_region, [&] { return check_block(node.else_block, for_else, true); });
  return joined(id, std::move(both), condition, then_value, else_value);
}

// The else branch comes to the then branch's layout where only layouts differ.
MaybeValue Elaborator::joined(ExprId id, open::If both, const MaybeValue& condition, const MaybeValue& then_value,
                              const MaybeValue& else_value) {
  const Span span = ast()[id].span;
  const auto mismatch = [&](const std::string& a, const std::string& b) {
    report(base::make(Kind::branch_mismatch, a, b).at(span).also(then_value->span, a).also(else_value->span, b));
  };
  const bool are_whole = condition.has_value() && then_value.has_value() && else_value.has_value();
  bool good = are_whole && then_value->count() == else_value->count();
  if (are_whole && !good) {
    mismatch(fmt::format("{} values", then_value->count()), fmt::format("{} values", else_value->count()));
  }
  MaybeValue other_value = else_value;
  if (good) other_value = as_in_branch(*this, *else_value, *then_value);
  good = good && other_value.has_value();
  std::vector<open::Type> types;
  for (std::size_t k = 0; good && k < then_value->nodes.size(); ++k) {
    const open::Type wanted = type(then_value->nodes[k]);
    const open::Type other = type(other_value->nodes[k]);
    if (wanted.element() != other.element() || wanted.shape() != other.shape()) {
      mismatch(text(then_value->nodes[k]), text(other_value->nodes[k]));
      good = false;
      break;
    }
    Checked part = *other_value;
    part.nodes = {other_value->nodes[k]};
    part.items = {};
    if (!other_value->is_array()) part.expr = {};
    std::vector<Checked> with_mesh = {Checked{{then_value->nodes[k]}, then_value->span, {}, {}, {}}, part};
    good = in_region(both.else_region, [&] { return unify_meshes(with_mesh, span); });
    if (!good) break;
    types.push_back(wanted);
    both.then_region.results.push_back(use(Checked{{then_value->nodes[k]}, then_value->span, {}, {}, {}}));
    both.else_region.results.push_back(use(with_mesh[1]));
  }
  if (condition.has_value()) both.condition = condition->node();
  if (then_value.has_value()) both.then_span = then_value->span;
  if (else_value.has_value()) both.else_span = else_value->span;
  if (!good) types.clear();
  const ValueId node = emit(span, std::move(types), std::move(both));
  program_.nodes[node].is_complete = good;
  return good ? MaybeValue(elements_of(node, span, then_value->items)) : std::nullopt;
}

// What to write where a fraction takes the element type of integers: those of another operand, or of nothing that could
// be changed. A value that a loop carries keeps the element type with which it begins.
std::string Elaborator::help_for_fraction(ExprId beside) const {
  if (!beside.valid()) return "write an integer";
  const std::string other = text(ast()[beside].span);
  const auto* const name = std::get_if<frontend::NameRef>(&ast()[beside].node);
  bool poisoned = false;
  const Checked* const value = name == nullptr ? nullptr : names_.local(name->name, poisoned);
  for (const open::Loop* const loop : open_loops_) {
    for (std::size_t k = 0; value != nullptr && k < loop->parameters.size(); ++k) {
      if (loop->parameters[k] != value->node()) continue;
      // The name that the loop gives the value, of which this may be another one.
      const auto own = std::find_if(frame_->locals.begin(), frame_->locals.end(), [&](const auto& local) {
        return local.value.has_value() && local.value->node() == value->node();
      });
      const std::string& carried = own->name;
      const std::string initial = text(program_.nodes[loop->initial[k].value].span);
      const bool is_integer = !initial.empty() && initial.find_first_not_of("0123456789") == std::string::npos;
      return is_integer ? fmt::format("begin the loop with a float: `{} = {}.0`", carried, initial)
                        : fmt::format("write an integer, or begin the loop with `{}` as a float", carried);
    }
  }
  constexpr std::size_t kQuotable = 40;
  const bool is_quotable = other.size() <= kQuotable && other.find('\n') == std::string::npos;
  return fmt::format("write an integer, or cast the other side: `f32({})`", is_quotable ? other : "...");
}

}  // namespace tessera::typeck
