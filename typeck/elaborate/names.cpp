// What names mean, and what a `let` binds.
#include "typeck/elaborate/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "frontend/foreign.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

const Checked* Names::local(std::string_view name, bool& poisoned) const {
  for (auto at = elaborator_.frame().locals.rbegin(); at != elaborator_.frame().locals.rend(); ++at) {
    if (at->name != name) continue;
    poisoned = !at->value.has_value();
    return poisoned ? nullptr : &*at->value;
  }
  return nullptr;
}

bool Names::is_bound(const std::string& name) const {
  bool poisoned = false;
  const bool is_here = local(name, poisoned) != nullptr || poisoned || poisoned_.contains(name);
  const Environment& environment = elaborator_.environment();
  const Seen seen = elaborator_.seen();
  return is_here || named_text(name).has_value() || environment.variable(name, seen) != nullptr ||
         environment.constant(name, seen) != nullptr || environment.record(name, seen) != nullptr;
}

ValueId Names::input_node(const Variable& variable, Moment moment) {
  const auto found = slot_nodes_.find(variable.slot);
  if (found != slot_nodes_.end()) return found->second;
  const open::Type type(variable.type->element(), variable.type->shape(), variable.type->mesh_ref());
  const ValueId id = elaborator_.program().nodes.add(
      open::Node{variable.span, {type}, open::Input{variable.slot, variable.name, moment}});
  slot_nodes_.emplace(variable.slot, id);
  return id;
}

MaybeValue Names::named_value(const std::string& name, Span span, ExprId id) {
  if (named_text(name).has_value()) {
    elaborator_.report(
        base::make(Kind::string_here).at(span).suggest(fmt::format("`{}` is the name of a string", name)));
    return std::nullopt;
  }
  bool poisoned = false;
  if (const Checked* value = local(name, poisoned)) return *value;
  const Seen seen = elaborator_.seen();
  if (poisoned || poisoned_.contains(name)) return std::nullopt;
  if (const Variable* variable = elaborator_.environment().variable(name, seen)) {
    Checked value{{input_node(*variable, seen.at)}, span, id, variable->known, {}};
    if (const auto affine = slot_affines_.find(variable->slot); affine != slot_affines_.end())
      value.affine = affine->second;
    return with_affine(std::move(value));
  }
  if (const NamedRecord* record = elaborator_.environment().record(name, seen))
    return record_value(*record, span, seen);
  if (const Constant* constant = elaborator_.environment().constant(name, seen)) {
    MaybeValue value = elaborator_.statements().used_files().value_of(*constant);
    if (!value.has_value()) return std::nullopt;
    value->span = span;
    value->expr = id;
    return with_affine(std::move(*value));
  }
  report_unknown_name(name, span);
  return std::nullopt;
}

// The variables of its fields as one value.
Checked Names::record_value(const NamedRecord& record, Span span, const Seen& seen) {
  Checked value{{}, span, {}, {}, {}, {record.fields}};
  for (const std::string& field : record.fields) {
    const Variable* const variable = elaborator_.environment().variable(record.name + "." + field, seen);
    TESSERA_CHECK(variable != nullptr, "a record's field is no variable");
    value.nodes.push_back(input_node(*variable, seen.at));
    value.known_fields.push_back(variable->known);
  }
  return value;
}

// An i64 scalar that carries no sum yet stands for itself.
Checked Names::with_affine(Checked value) const {
  if (!value.is_array()) return value;
  const open::Type& array = elaborator_.type(value);
  if (array.rank() != 0 || array.element() != ElementType::i64 || value.affine.has_value()) return value;
  if (const auto known = elaborator_.known_integer(value)) {
    value.affine = Affine{{}, *known};
  } else {
    value.affine = Affine{{{value.node(), 1}}, 0};
  }
  return value;
}

void Names::bind_name(const frontend::Name& name, const MaybeValue& value) {
  if (!elaborator_.frame().binds_globally()) {
    Frame& frame = elaborator_.frame();
    frame.locals.push_back({name.text, value.has_value() ? MaybeValue(with_affine(*value)) : std::nullopt});
    const bool is_chosen = frame.function != nullptr && frame.function->definition().chosen.has_value();
    if (!is_chosen || !value.has_value() || value->count() != 1) return;
    for (std::size_t k = 0; k < value->nodes.size(); ++k) {
      const std::string own = value->is_record() ? name.text + "." + value->items.front()[k] : name.text;
      frame.named.push_back({own, name.span, value->nodes[k]});
    }
    return;
  }
  if (!value.has_value()) {
    poisoned_.insert(name.text);
    return;
  }
  poisoned_.erase(name.text);
  for (const std::uint32_t slot : elaborator_.environment().field_slots_hidden_from_now(name.text))
    hidden_slots_.insert(slot);
  if (!value->is_record()) return bind_variable(name.text, name.span, *value);
  const Fields& fields = value->items.front();
  const std::vector<Checked> arrays = arrays_of(*value);
  for (std::size_t k = 0; k < arrays.size(); ++k) bind_variable(name.text + "." + fields[k], name.span, arrays[k]);
  const auto hidden = elaborator_.environment().bind(NamedRecord{name.text, fields, name.span});
  if (hidden.has_value()) hidden_slots_.insert(*hidden);
}

void Names::bind_variable(const std::string& name, Span span, const Checked& value) {
  const std::uint32_t slot = elaborator_.environment().new_slot();
  const open::Type& own = elaborator_.type(value);
  Variable variable = Variable::of_shape(name, own.element(), own.shape(), own.mesh_ref());
  variable.known = value.known;
  variable.slot = slot;
  variable.span = span;
  const auto hidden = elaborator_.environment().bind(variable);
  if (hidden.has_value()) hidden_slots_.insert(*hidden);
  slot_nodes_[slot] = value.node();
  if (value.affine.has_value()) slot_affines_[slot] = *value.affine;
  elaborator_.program().statements.back().bound.push_back({name, span, value.node(), slot, variable.type});
}

void Names::report_unknown_name(const std::string& name, Span span) {
  if (elaborator_.statements().used_files().lacks_some()) return;
  const Seen seen = elaborator_.seen();
  const Moment moment = seen.at;
  std::vector<std::string> names = elaborator_.environment().variable_names(seen);
  std::erase_if(names, [](const std::string& field) { return field.find('.') != std::string::npos; });
  for (std::string& record : elaborator_.environment().record_names(seen)) names.push_back(std::move(record));
  for (std::string& constant : elaborator_.environment().constant_names(seen)) names.push_back(std::move(constant));
  for (const Local& bound : elaborator_.frame().locals) names.push_back(bound.name);
  names.insert(names.end(), {"true", "false"});
  names.insert(names.end(), poisoned_.begin(), poisoned_.end());
  std::string help;
  if (elaborator_.environment().constant(name, {elaborator_.environment().now(), seen.file}) != nullptr) {
    help = "it is declared further below: a constant stands before its use";
  } else if (elaborator_.statements().used_files().leaves_out(name)) {
    help = "`use` brings functions and constants, and this is computed when its file runs: make it an argument";
  } else if (const auto foreign = frontend::help_for_constant(name)) {
    help = *foreign;
  } else if (elaborator_.environment().default_mesh(moment)->find(name).has_value()) {
    help = fmt::format("`{0}` is an axis of the mesh: it stands in a type, as in `a as [8@{0}, 4]`", name);
  } else if (elaborator_.environment().mesh(name, moment) != nullptr) {
    help = fmt::format("`{0}` is a mesh: it stands in a type, as in `f32[8] on {0}`", name);
  } else if (const OperationInfo* operation = find_operation(name)) {
    help = fmt::format("it is an operation: write `{}`", example_call(*operation));
  } else if (const auto near = base::nearest(name, names)) {
    help = fmt::format("did you mean `{}`?", *near);
  } else if (elaborator_.environment().function(name, seen) != nullptr) {
    help = fmt::format("`{}` is a function: call it with its arguments", name);
  } else if (name == "_") {
    help = "it is the last value that a session has shown; there is none yet";
  }
  elaborator_.report(base::make(Kind::unknown_name, name).at(span).suggest(std::move(help)));
}

}  // namespace tessera::typeck
