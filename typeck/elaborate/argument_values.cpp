// Arguments of operations, read: values, dimensions, numbers, axes, texts.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

ExprId OperationCall::expr(std::size_t parameter) const { return std::get<ExprId>(bound_[parameter]->value); }

MaybeValue OperationCall::array(std::size_t parameter, std::optional<ElementType> element) {
  return elaborator.check_array(expr(parameter), Preference{element});
}

MaybeValue OperationCall::array_in_ranges() {
  auto part = check_ranged(elaborator, expr(0), {});
  if (!part.has_value()) return std::nullopt;
  MaybeValue value = part->value;
  if (!part->ranges.empty()) ranges_ = std::move(part);
  return value;
}

MaybeValue OperationCall::pending_array(std::size_t parameter, std::size_t axes_parameter) {
  open::Wish wish;
  for (const frontend::Name& axis : axis_names(axes_parameter).value_or(std::vector<frontend::Name>{})) {
    wish.written_pending.push_back(axis.text);
  }
  const std::size_t begun = elaborator.begun();
  MaybeValue value = elaborator.check_array(expr(parameter));
  elaborator.wish(value, expr(parameter), begun, std::move(wish));
  return value;
}

std::optional<std::vector<Checked>> OperationCall::arrays(std::size_t parameter) {
  const auto* list = std::get_if<frontend::ListLiteral>(&elaborator.ast()[expr(parameter)].node);
  if (list == nullptr || list->items.empty()) {
    wrong(span_of(parameter),
          fmt::format("`{}` is a list of one or more arrays, as in [a, b]", info.parameters[parameter].name));
    return std::nullopt;
  }
  std::vector<Checked> all;
  for (const ExprId item : list->items) {
    const auto element = all.empty() ? std::nullopt : std::optional(elaborator.type(all.front()).element());
    auto value = elaborator.check_array(item, Preference{element});
    if (!value.has_value()) return std::nullopt;
    all.push_back(std::move(*value));
  }
  return all;
}

std::optional<std::vector<RangedPart>> OperationCall::rest_in_ranges(std::size_t parameter) {
  std::vector<RangedPart> all;
  for (const frontend::Argument* argument : rest_) {
    const auto* item = std::get_if<ExprId>(&argument->value);
    if (item == nullptr) {
      elaborator.report(base::make(Kind::type_here, fmt::format("`{}`", info.name)).at(argument->span));
      return std::nullopt;
    }
    auto part = check_ranged(elaborator, *item, {});
    if (!part.has_value()) return std::nullopt;
    all.push_back(std::move(*part));
  }
  if (all.empty()) wrong(span_of(parameter), "at least one array is wanted");
  return all;
}

std::optional<TypeId> OperationCall::type(std::size_t parameter) { return std::get<TypeId>(bound_[parameter]->value); }

std::optional<std::int64_t> OperationCall::integer(std::size_t parameter) {
  return elaborator.types().constant_integer(expr(parameter), fmt::format("`{}`", info.parameters[parameter].name));
}

std::optional<std::vector<std::int64_t>> OperationCall::integers(std::size_t parameter) {
  const auto* list = std::get_if<frontend::ListLiteral>(&elaborator.ast()[expr(parameter)].node);
  const std::vector<ExprId> items = list == nullptr ? std::vector<ExprId>{expr(parameter)} : list->items;
  std::vector<std::int64_t> all;
  for (const ExprId item : items) {
    const auto value = elaborator.types().constant_integer(item, fmt::format("`{}`", info.parameters[parameter].name));
    if (!value.has_value()) return std::nullopt;
    all.push_back(*value);
  }
  return all;
}

std::optional<std::vector<std::size_t>> OperationCall::dims(std::size_t parameter, std::size_t rank) {
  std::vector<std::size_t> all;
  if (!has(parameter)) {
    for (std::size_t d = 0; d < rank; ++d) all.push_back(d);
    dims_read_ = all;
    return all;
  }
  const auto values = integers(parameter);
  if (!values.has_value()) return std::nullopt;
  const auto extent = static_cast<std::int64_t>(rank);
  for (const std::int64_t value : *values) {
    if (value < -extent || value >= extent) {
      elaborator.report(base::make(Kind::dim_range, info.name, value, rank).at(span_of(parameter)));
      return std::nullopt;
    }
    all.push_back(static_cast<std::size_t>(value < 0 ? value + extent : value));
  }
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  dims_read_ = all;
  if (twice == all.end()) return all;
  elaborator.report(base::make(Kind::dim_repeated, info.name, *twice).at(span_of(parameter)));
  return std::nullopt;
}

std::optional<std::size_t> OperationCall::dim(std::size_t parameter, std::size_t rank) {
  const auto all = dims(parameter, rank);
  if (!all.has_value()) return std::nullopt;
  if (all->size() == 1) return all->front();
  wrong(span_of(parameter), "one dimension is wanted, not a list");
  return std::nullopt;
}

// Nothing where the argument is not a list of names.
std::optional<std::vector<frontend::Name>> OperationCall::axis_names(std::size_t parameter) const {
  const auto& node = elaborator.ast()[expr(parameter)].node;
  std::vector<ExprId> items = {expr(parameter)};
  if (const auto* tuple = std::get_if<frontend::Tuple>(&node)) items = tuple->items;
  std::vector<frontend::Name> names;
  for (const ExprId item : items) {
    const auto* name = std::get_if<frontend::NameRef>(&elaborator.ast()[item].node);
    if (name == nullptr) return std::nullopt;
    names.push_back({name->name, elaborator.ast()[item].span});
  }
  return names;
}

std::optional<AxisList> OperationCall::axes(std::size_t parameter, const synth::Mesh& mesh) {
  const auto names = axis_names(parameter);
  if (names.has_value()) return elaborator.types().axis_list(*names, mesh);
  wrong(span_of(parameter), "axes are written as x or (x, y)");
  return std::nullopt;
}

std::optional<std::string> OperationCall::text(std::size_t parameter) {
  if (auto string = elaborator.names().text_of(expr(parameter))) return string;
  wrong(span_of(parameter), fmt::format("`{}` is a string, such as \"...\"", info.parameters[parameter].name));
  return std::nullopt;
}

std::optional<bool> OperationCall::flag(std::size_t parameter) {
  if (!has(parameter)) return false;
  if (const auto* value = std::get_if<frontend::BoolLiteral>(&elaborator.ast()[expr(parameter)].node))
    return value->value;
  wrong(span_of(parameter), fmt::format("`{}` is `true` or `false`", info.parameters[parameter].name));
  return std::nullopt;
}

std::optional<std::size_t> OperationCall::given(std::string_view name) const {
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    if (info.parameters[k].name == name && has(k)) return k;
  }
  return std::nullopt;
}

bool OperationCall::wants_element(const Checked& a, bool fits, const std::string& help) {
  if (fits) return true;
  const ElementType own = elaborator.type(a).element();
  const bool cannot_be_cast = synth::is_complex(own) && help.starts_with("cast it first");
  elaborator.report(base::make(Kind::element_unsupported, fmt::format("`{}`", info.name), synth::name(own))
                        .at(a.span)
                        .suggest(cannot_be_cast ? "take a part of it: `re(a)`, `im(a)` or `abs(a)`" : help));
  return false;
}

}  // namespace tessera::typeck
