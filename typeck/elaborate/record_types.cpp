// The types of records, and values by them.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "typeck/elaborate/records.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

template <class Named>
bool are_different(Elaborator& elaborator, const std::vector<Named>& fields) {
  std::unordered_map<std::string_view, Span> seen;
  for (const Named& field : fields) {
    const auto [first, is_new] = seen.emplace(field.name.text, field.name.span);
    if (is_new) continue;
    elaborator.report(base::make(Kind::name_repeated, field.name.text)
                          .at(field.name.span)
                          .also(first->second, "it stands here before"));
    return false;
  }
  return true;
}

}  // namespace

bool names_differ(Elaborator& elaborator, const std::vector<frontend::Field>& fields) {
  return are_different(elaborator, fields);
}
bool names_differ(Elaborator& elaborator, const std::vector<frontend::TypeField>& fields) {
  return are_different(elaborator, fields);
}

std::vector<TypedField> fields_of(const Ast& ast, TypeId type) {
  std::vector<TypedField> all;
  for (const frontend::TypeField& field : ast[type].fields) {
    for (TypedField& inner : fields_of(ast, field.type)) {
      inner.name = inner.name.empty() ? field.name.text : field.name.text + "." + inner.name;
      inner.span = field.name.span;
      all.push_back(std::move(inner));
    }
  }
  if (all.empty()) all.push_back({"", type, ast[type].span});
  return all;
}

Fields names_of(const std::vector<TypedField>& fields) {
  Fields names;
  for (const TypedField& field : fields) {
    if (!field.name.empty()) names.push_back(field.name);
  }
  return names;
}

bool is_record(const Ast& ast, TypeId type) { return !ast[type].fields.empty(); }

bool names_fields_once(Elaborator& elaborator, const Ast& ast, TypeId type) {
  return names_differ(elaborator, ast[type].fields) &&
         std::ranges::all_of(ast[type].fields, [&](const frontend::TypeField& field) {
           return names_fields_once(elaborator, ast, field.type);
         });
}

std::vector<frontend::Parameter> array_parameters(const Ast& ast, const frontend::Fn& fn) {
  std::vector<frontend::Parameter> all;
  for (const frontend::Parameter& parameter : fn.parameters) {
    for (const TypedField& field : fields_of(ast, parameter.type)) {
      all.push_back(parameter);
      if (field.name.empty()) continue;
      all.back().name = {parameter.name.text + "." + field.name, field.span};
      all.back().type = field.type;
    }
  }
  return all;
}

MaybeValue annotated_as(Elaborator& elaborator, const Checked& value, const Ast& tree, TypeId type,
                        const std::string& who, Span asked_at, const frontend::As* as, ValueId operand_begins,
                        bool is_open) {
  if (!names_fields_once(elaborator, tree, type)) return std::nullopt;
  const std::vector<TypedField> fields = fields_of(tree, type);
  const MaybeValue ordered = in_order(elaborator, value, names_of(fields), who, tree[type].span);
  if (!ordered.has_value()) return std::nullopt;
  const std::vector<Checked> arrays = arrays_of(*ordered);
  Checked result = *ordered;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    auto written = elaborator.types().written_type(tree, fields[k].type);
    if (!written.has_value()) return std::nullopt;
    written->any_layout = written->any_layout || is_open;
    if (as != nullptr && written->any_layout) {
      elaborator.report(base::make(Kind::any_layout_here).at(written->span));
      return std::nullopt;
    }
    const std::string whose = fields[k].name.empty() ? who : fmt::format("the field `{}` of {}", fields[k].name, who);
    const MaybeValue moved = elaborator.annotated(arrays[k], *written, whose, asked_at, as, operand_begins);
    if (!moved.has_value()) return std::nullopt;
    if (result.is_array()) return moved;
    result.nodes[k] = moved->node();
  }
  return result;
}

Checked parameter_value(const Ast& ast, const frontend::Parameter& parameter, const open::Instance& instance,
                        std::size_t& at) {
  const std::vector<TypedField> fields = fields_of(ast, parameter.type);
  Checked value{{}, parameter.name.span, {}, {}, {}};
  while (value.nodes.size() < fields.size()) value.nodes.push_back(instance.parameters[at++].value);
  if (is_record(ast, parameter.type)) value.items = {names_of(fields)};
  return value;
}

}  // namespace tessera::typeck
