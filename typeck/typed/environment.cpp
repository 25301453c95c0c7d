#include "typeck/typed/environment.hpp"

#include <algorithm>

#include "typeck/typed/mentions.hpp"

namespace tessera::typeck {

namespace {

template <class Timeline>
std::vector<std::string> names_before(const Timeline& timeline, Moment at) {
  std::vector<std::string> names;
  timeline.for_each([&](const auto& binding) {
    const auto& [name, moment] = binding.key;
    if (moment < at && (names.empty() || names.back() != name)) names.push_back(name);
  });
  return names;
}

// The binding of a name that is seen at a moment.
template <class Timeline>
auto seen_at(const Timeline& timeline, std::string_view name, Moment at) {
  const auto* binding = timeline.last_before({std::string(name), at});
  return binding != nullptr && binding->key.first == name ? binding : nullptr;
}

template <class Timeline>
auto value_at(const Timeline& timeline, std::string_view name, Moment at) {
  const auto* binding = seen_at(timeline, name, at);
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
  const base::SourceId* text = mentioned_.find(name);
  return text != nullptr && *last_function_.find(*text) > bound;
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

void Environment::bind(const Function& function) {
  const base::SourceId text = function.span.source;
  if (last_function_.find(text) == nullptr) {
    for (const Mention& mention : mentions(*function.ast)) mentioned_.set(mention.name, text);
  }
  last_function_.set(text, now_);
  keep(functions_, {function.definition().name.text, now_++}, function);
}

void Environment::bind(const NamedMesh& mesh) {
  defaults_.set(now_, mesh.mesh);
  devices_ = std::max(devices_, mesh.mesh->devices_end());
  keep(meshes_, {mesh.name, now_++}, mesh);
}

const base::PersistentMap<std::pair<std::string, Moment>, Variable>::Entry* Environment::seen_variable(
    std::string_view name, Moment at) const {
  const auto* variable = seen_at(variables_, name, at);
  if (variable == nullptr) return nullptr;
  const auto* text = seen_at(texts_, name, at);
  return text != nullptr && text->key.second > variable->key.second ? nullptr : variable;
}

const Variable* Environment::variable(std::string_view name, Moment at) const {
  const auto* seen = seen_variable(name, at);
  return seen == nullptr ? nullptr : &seen->value;
}
const NamedText* Environment::text(std::string_view name, Moment at) const {
  return variable(name, at) == nullptr ? value_at(texts_, name, at) : nullptr;
}
const Function* Environment::function(std::string_view name, Moment at) const { return value_at(functions_, name, at); }
const NamedMesh* Environment::mesh(std::string_view name, Moment at) const { return value_at(meshes_, name, at); }

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

std::vector<std::string> Environment::variable_names(Moment at) const {
  std::vector<std::string> names = names_before(variables_, at);
  std::erase_if(names, [&](const std::string& name) { return variable(name, at) == nullptr; });
  return names;
}
std::vector<std::string> Environment::function_names(Moment at) const { return names_before(functions_, at); }
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
