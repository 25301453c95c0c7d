#include "typeck/typed/environment.hpp"

#include <algorithm>
#include <utility>

#include "typeck/typed/mentions.hpp"

namespace tessera::typeck {

namespace {

// What stands before the names of a file that `use` brought. No name of a program begins with a digit.
std::string prefix_of(base::SourceId file) { return file.valid() ? std::to_string(file.value) + ":" : std::string(); }

std::string key_of(std::string_view name, base::SourceId file) { return prefix_of(file).append(name); }

bool is_of(std::string_view key, std::string_view prefix) {
  const bool is_of_file = !key.empty() && key.front() >= '0' && key.front() <= '9';
  return prefix.empty() ? !is_of_file : key.starts_with(prefix);
}

template <class Timeline>
std::vector<std::string> names_before(const Timeline& timeline, const Seen& from) {
  const std::string prefix = prefix_of(from.file);
  std::vector<std::string> names;
  timeline.for_each([&](const auto& binding) {
    const auto& [key, moment] = binding.key;
    if (moment >= from.at || !is_of(key, prefix)) return;
    std::string name = key.substr(prefix.size());
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  });
  return names;
}

// The binding of a name that is seen from a place.
template <class Timeline>
auto seen_from(const Timeline& timeline, std::string_view name, const Seen& from) {
  std::string key = key_of(name, from.file);
  const auto* binding = timeline.last_before({key, from.at});
  return binding != nullptr && binding->key.first == key ? binding : nullptr;
}

template <class Timeline>
auto value_from(const Timeline& timeline, std::string_view name, const Seen& from) {
  const auto* binding = seen_from(timeline, name, from);
  return binding != nullptr ? &binding->value : nullptr;
}

}  // namespace

Variable Variable::of_shape(std::string name, synth::ElementType element, const synth::Shape& shape,
                            const synth::MeshRef& mesh) {
  auto type = ArrayType::replicated(element, shape, mesh);
  TESSERA_CHECK(type.ok(), "a variable's type is not valid");
  return {std::move(name), std::move(type).value(), std::nullopt, 0, {}};
}

Environment::Environment() = default;

// Can the body of a function mean this binding of a name? What its whole text mentions is more than it means.
bool Environment::function_sees(const std::string& name, Moment bound) const {
  const base::SourceId* text = mentioned_.find(name.substr(0, name.find('.')));
  return text != nullptr && *text_ends_.find(*text) > bound;
}

// The slot that a binding of this name hides for good; a text in between hid it before.
std::optional<std::uint32_t> Environment::slot_hidden_from_now(const std::string& name) const {
  const auto* hidden = seen_variable(name, now_);
  if (hidden == nullptr || function_sees(name, hidden->key.second)) return std::nullopt;
  return hidden->value.slot;
}

std::optional<std::uint32_t> Environment::bind(const Variable& variable) {
  const auto hidden = slot_hidden_from_now(variable.name);
  keep(variables_, {variable.name, now_++}, variable);
  return hidden;
}

std::optional<std::uint32_t> Environment::bind(const NamedText& text) {
  const auto hidden = slot_hidden_from_now(text.name);
  keep(texts_, {text.name, now_++}, text);
  return hidden;
}

std::optional<std::uint32_t> Environment::bind(const NamedRecord& record) {
  const auto hidden = slot_hidden_from_now(record.name);
  keep(records_, {record.name, now_++}, record);
  return hidden;
}

std::vector<std::uint32_t> Environment::field_slots_hidden_from_now(const std::string& name) const {
  std::vector<std::uint32_t> slots;
  const NamedRecord* const own = record(name, now_);
  if (own == nullptr) return slots;
  for (const std::string& field : own->fields) {
    if (const auto slot = slot_hidden_from_now(name + "." + field)) slots.push_back(*slot);
  }
  return slots;
}

void Environment::bind(const Function& function) { bind_in({}, function); }

void Environment::bind_in(base::SourceId file, const Constant& constant) {
  keep(constants_, {key_of(constant.name, file), now_++}, constant);
}

void Environment::bind_in(base::SourceId file, const Function& function) {
  keep(functions_, {key_of(function.definition().name.text, file), now_++}, function);
  // A function that `use` brought means nothing that the program binds.
  if (function.file.valid()) return;
  const base::SourceId text = function.span.source;
  if (text_ends_.find(text) == nullptr) {
    for (const Mention& mention : mentions(*function.ast)) mentioned_.set(mention.name, text);
  }
  text_ends_.set(text, now_ - 1);
}

void Environment::bind(const NamedMesh& mesh) {
  defaults_.set(now_, mesh.mesh);
  devices_ = std::max(devices_, mesh.mesh->devices_end());
  keep(meshes_, {mesh.name, now_++}, mesh);
}

Moment Environment::last_value(std::string_view name, const Seen& from) const {
  const auto moment = [](const auto* binding) { return binding == nullptr ? Moment{0} : binding->key.second; };
  return std::max({moment(seen_from(variables_, name, from)), moment(seen_from(texts_, name, from)),
                   moment(seen_from(constants_, name, from)), moment(seen_from(records_, name, from))});
}

Moment Environment::last_function(std::string_view name, const Seen& from) const {
  const auto* binding = seen_from(functions_, name, from);
  return binding == nullptr ? Moment{0} : binding->key.second;
}

const base::PersistentMap<std::pair<std::string, Moment>, Variable>::Entry* Environment::seen_variable(
    std::string_view name, const Seen& from) const {
  const auto* variable = seen_from(variables_, name, from);
  if (variable == nullptr || variable->key.second != last_value(name, from)) return nullptr;
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return variable;
  const auto* of = seen_record(name.substr(0, dot), from);
  // The last bindings before that of a record are those of its fields.
  if (of == nullptr || variable->key.second > of->key.second) return nullptr;
  return std::cmp_less_equal(of->key.second - variable->key.second, of->value.fields.size()) ? variable : nullptr;
}

const Variable* Environment::variable(std::string_view name, const Seen& from) const {
  const auto* seen = seen_variable(name, from);
  return seen == nullptr ? nullptr : &seen->value;
}
const NamedText* Environment::text(std::string_view name, const Seen& from) const {
  const auto* text = seen_from(texts_, name, from);
  return text != nullptr && text->key.second == last_value(name, from) ? &text->value : nullptr;
}
const Constant* Environment::constant(std::string_view name, const Seen& from) const {
  const auto* constant = seen_from(constants_, name, from);
  return constant != nullptr && constant->key.second == last_value(name, from) ? &constant->value : nullptr;
}
const base::PersistentMap<std::pair<std::string, Moment>, NamedRecord>::Entry* Environment::seen_record(
    std::string_view name, const Seen& from) const {
  const auto* record = seen_from(records_, name, from);
  return record != nullptr && record->key.second == last_value(name, from) ? record : nullptr;
}
const NamedRecord* Environment::record(std::string_view name, const Seen& from) const {
  const auto* record = seen_record(name, from);
  return record == nullptr ? nullptr : &record->value;
}
const Function* Environment::function(std::string_view name, const Seen& from) const {
  return value_from(functions_, name, from);
}
const NamedMesh* Environment::mesh(std::string_view name, Moment at) const { return value_from(meshes_, name, at); }

synth::MeshRef Environment::default_mesh(Moment at) const {
  const auto* last = defaults_.last_before(at);
  return last == nullptr ? synth::Mesh::single_device() : last->value;
}

std::vector<synth::MeshRef> Environment::meshes() const {
  std::vector<synth::MeshRef> all;
  meshes_.for_each([&](const auto& bound) { all.push_back(bound.value.mesh); });
  return all;
}

void Environment::replace_meshes(const std::function<synth::MeshRef(const synth::MeshRef&)>& by) {
  const auto named = meshes_;
  named.for_each([&](const auto& bound) {
    NamedMesh own = bound.value;
    own.mesh = by(own.mesh);
    meshes_.set(bound.key, std::move(own));
  });
  const auto defaults = defaults_;
  defaults.for_each([&](const auto& mesh) { defaults_.set(mesh.key, by(mesh.value)); });
}

std::vector<std::string> Environment::variable_names(const Seen& from) const {
  std::vector<std::string> names = names_before(variables_, from);
  std::erase_if(names, [&](const std::string& name) { return variable(name, from) == nullptr; });
  return names;
}
std::vector<std::string> Environment::constant_names(const Seen& from) const {
  std::vector<std::string> names = names_before(constants_, from);
  std::erase_if(names, [&](const std::string& name) { return constant(name, from) == nullptr; });
  return names;
}
std::vector<std::string> Environment::record_names(const Seen& from) const {
  std::vector<std::string> names = names_before(records_, from);
  std::erase_if(names, [&](const std::string& name) { return record(name, from) == nullptr; });
  return names;
}
std::vector<std::string> Environment::function_names(const Seen& from) const { return names_before(functions_, from); }
std::vector<std::string> Environment::mesh_names(Moment at) const { return names_before(meshes_, at); }

const NamedMesh* Environment::name_of(const synth::Mesh& mesh, Moment at) const {
  for (const std::string& name : mesh_names(at)) {
    const NamedMesh* named = this->mesh(name, at);
    if (*named->mesh == mesh) return named;
  }
  return nullptr;
}

std::string print_type(const ArrayType& type, const Environment& environment, Moment at) {
  std::string text = synth::print(type);
  if (type.mesh() == *environment.default_mesh(at)) return text;
  const NamedMesh* named = environment.name_of(type.mesh(), at);
  return named == nullptr ? text : text + " on " + named->name;
}

// A scalar of one device says nothing of its mesh: most are constants, which are made again wherever they are needed.
std::string describe_type(const ArrayType& type, const Environment& environment, Moment at) {
  std::string text = print_type(type, environment, at);
  if (type.mesh() == *environment.default_mesh(at) || environment.name_of(type.mesh(), at) != nullptr) return text;
  if (type.mesh().devices_end() == 1) return type.rank() == 0 ? text : text + " on one device";
  return text + " on [" + synth::print(type.mesh()) + "]";
}

}  // namespace tessera::typeck
