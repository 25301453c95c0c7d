#include "typeck/elaborate/ranged_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/table.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

using frontend::BinaryOp;

// Does the call give for each element what it makes of the elements at the same place?
bool is_of_elements(const OperationInfo& operation, const frontend::Call& call) {
  using Run = MaybeValue (*)(OperationCall&);
  constexpr std::array<Run, 10> kOfElements = {run_map,       run_where, run_clip,    run_rounding, run_is_nan,
                                               run_is_finite, run_curve, run_arctan2, run_hypot,    run_of_complex};
  const bool is_pair = operation.run == run_min_max && call.arguments.size() == 2 &&
                       std::ranges::none_of(call.arguments, [](const auto& one) { return one.name.has_value(); });
  return is_pair || operation.run == run_complex || std::ranges::find(kOfElements, operation.run) != kOfElements.end();
}

// Where a function has a value and a slope, if it has not everywhere.
std::optional<std::int64_t> safe_for(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> kSafe = {{{"log", 1},
                                                                                {"log2", 1},
                                                                                {"log10", 1},
                                                                                {"log1p", 1},
                                                                                {"sqrt", 1},
                                                                                {"rsqrt", 1},
                                                                                {"arcsin", 0},
                                                                                {"arccos", 0},
                                                                                {"arctanh", 0},
                                                                                {"arccosh", 2}}};
  for (const auto& [name, safe] : kSafe) {
    if (name == function) return safe;
  }
  return std::nullopt;
}

bool is_part_with_ranges(const frontend::Index& index) {
  return std::ranges::any_of(
      index.subscripts, [](const frontend::Subscript& one) { return one.kind != frontend::Subscript::Kind::single; });
}

}  // namespace

RangedFormula::RangedFormula(const Ast& ast, ExprId root) : ast_(ast) { walk(root); }

void RangedFormula::walk(ExprId id) {
  const auto& node = ast_[id].node;
  if (const auto* unary = std::get_if<frontend::Unary>(&node)) return walk(unary->operand);
  if (const auto* cast = std::get_if<frontend::Cast>(&node)) return walk(cast->operand);
  if (const auto* binary = std::get_if<frontend::Binary>(&node); binary != nullptr && binary->op != BinaryOp::matmul) {
    if (binary->op == BinaryOp::power) return walk_power(*binary);
    walk(binary->left);
    const bool divides = binary->op == BinaryOp::divide || binary->op == BinaryOp::remainder;
    return divides ? walk_guarded(binary->right, 1, fmt::format("`{}`", frontend::spelling(binary->op)))
                   : walk(binary->right);
  }
  if (const auto* call = std::get_if<frontend::Call>(&node); call != nullptr && walk_call(*call)) return;
  operands_.push_back({id});
  const auto* index = std::get_if<frontend::Index>(&node);
  has_parts_ = has_parts_ || (index != nullptr && is_part_with_ranges(*index));
}

void RangedFormula::walk_guarded(ExprId id, std::int64_t safe, std::string who) {
  const std::size_t begin = operands_.size();
  walk(id);
  guards_.push_back({id, safe, std::move(who), begin, operands_.size()});
}

// A power to the 1, 2, 3, ... has a value and a slope everywhere.
void RangedFormula::walk_power(const frontend::Binary& power) {
  const auto exponent = literal_value(ast_, power.right);
  const auto* whole = exponent.has_value() ? std::get_if<std::int64_t>(&*exponent) : nullptr;
  const auto* number = exponent.has_value() ? std::get_if<double>(&*exponent) : nullptr;
  const bool is_smooth =
      (whole != nullptr && *whole >= 1) || (number != nullptr && *number >= 1 && std::floor(*number) == *number);
  if (is_smooth) return walk(power.left);
  walk_guarded(power.left, 1, "`**`");
  walk_guarded(power.right, 1, "`**`");
}

bool RangedFormula::walk_call(const frontend::Call& call) {
  const OperationInfo* const operation = find_operation(call.callee.text);
  if (operation == nullptr || !is_of_elements(*operation, call)) return false;
  const auto safe = safe_for(call.callee.text);
  for (const frontend::Argument& argument : call.arguments) {
    const auto* expr = std::get_if<ExprId>(&argument.value);
    if (expr == nullptr) continue;
    if (safe.has_value())
      walk_guarded(*expr, *safe, fmt::format("`{}`", call.callee.text));
    else
      walk(*expr);
  }
  return true;
}

std::vector<RunTimeRange>* RangedFormula::ranges_of(const Ast& ast, ExprId id) {
  if (&ast != &ast_) return nullptr;
  const auto found = std::ranges::find(operands_, id, &Operand::id);
  if (found == operands_.end()) return nullptr;
  found->ranges.clear();
  return &found->ranges;
}

MaybeValue RangedFormula::seen(Elaborator& elaborator, const Ast& ast, ExprId id, Checked value) {
  if (&ast != &ast_ || !value.is_array()) return value;
  const auto operand = std::ranges::find(operands_, id, &Operand::id);
  if (operand != operands_.end()) operand->value = value;
  const auto guard = std::ranges::find(guards_, id, &Guard::id);
  if (guard == guards_.end()) return value;
  RangedPart part{value, ranges_in(elaborator, guard->begin, guard->end, elaborator.type(value).rank())};
  if (part.ranges.empty() || elaborator.element(value) == ElementType::boolean) return value;
  const Span span = value.span;
  const ElementType element = synth::computed_as(elaborator.element(value));
  const MeshRef mesh = elaborator.type(value).mesh_ref();
  const KnownScalar one = synth::is_rounded(element) ? KnownScalar(static_cast<double>(guard->safe)) : guard->safe;
  const MaybeValue inside = in_ranges(elaborator, span, guard->who, part);
  if (!inside.has_value()) return std::nullopt;
  MaybeValue safe = elaborator.index_wise().map(
      span, synth::MapOp::select,
      {*inside, elaborator.index_wise().widened(value), elaborator.scalar(span, one, element, mesh)}, element,
      guard->who, false);
  if (safe.has_value()) safe->span = span;
  return safe;
}

std::vector<RunTimeRange> RangedFormula::ranges_in(const Elaborator& elaborator, std::size_t begin, std::size_t end,
                                                   std::size_t rank) const {
  std::vector<RunTimeRange> all;
  for (std::size_t k = begin; k < end; ++k) {
    const Operand& operand = operands_[k];
    for (RunTimeRange range : operand.ranges) {
      range.dimension += rank - elaborator.type(*operand.value).rank();
      if (std::ranges::find(all, range.dimension, &RunTimeRange::dimension) == all.end())
        all.push_back(std::move(range));
    }
  }
  return all;
}

std::optional<RangedPart> RangedFormula::whole(Elaborator& elaborator, Checked value) const {
  const Shape shape = elaborator.type(value).shape();
  RangedPart part{std::move(value), ranges_in(elaborator, 0, operands_.size(), shape.size())};
  for (const RunTimeRange& range : part.ranges) {
    for (const Operand& operand : operands_) {
      if (!operand.value.has_value()) continue;  // a number
      const Shape& own = elaborator.type(*operand.value).shape();
      const std::size_t added = shape.size() - own.size();
      if (range.dimension < added) continue;
      const std::size_t d = range.dimension - added;
      const auto* const here = range_along(operand.ranges, d);
      const bool fits = here == nullptr ? own[d] == 1 : same_range(range, *here) && own[d] == shape[range.dimension];
      if (fits) continue;
      elaborator.report(base::make(Kind::slice_length)
                            .at(range.span)
                            .also(here != nullptr ? here->span : operand.value->span, "what it meets")
                            .suggest("write the same range in all arrays, as in `sum(a[:j] * b[:j])`"));
      return std::nullopt;
    }
  }
  return part;
}

}  // namespace tessera::typeck
