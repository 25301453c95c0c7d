#include "typeck/environment.hpp"

#include <set>

namespace tessera::typeck {

namespace {

// The names a tree mentions anywhere: more than it captures, never less.
std::set<std::string> mentioned_names(const frontend::Ast& ast) {
  std::set<std::string> names;
  for (const frontend::Expr& expr : ast.exprs.items()) {
    if (const auto* reference = std::get_if<frontend::NameRef>(&expr.node)) names.insert(reference->name);
    if (const auto* call = std::get_if<frontend::Call>(&expr.node)) names.insert(call->callee.text);
  }
  return names;
}

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

Environment::Environment() = default;

// Can the body of a function mean this binding of a name? What its whole text mentions is more than it means.
bool Environment::function_sees(const std::string& name, Moment bound) const {
  const base::SourceId* text = mentioned_.find(name);
  return text != nullptr && *last_function_.find(*text) > bound;
}

std::optional<std::uint32_t> Environment::bind(const Variable& variable) {
  const auto* hidden = seen_at(variables_, variable.name, now_);
  variables_.set({variable.name, now_++}, variable);
  if (hidden == nullptr || function_sees(variable.name, hidden->key.second)) return std::nullopt;
  return hidden->value.slot;
}

void Environment::bind(const Function& function) {
  const base::SourceId text = function.span.source;
  if (last_function_.find(text) == nullptr) {
    for (const std::string& name : mentioned_names(*function.ast)) mentioned_.set(name, text);
  }
  last_function_.set(text, now_);
  functions_.set({function.definition().name.text, now_++}, function);
}

void Environment::bind(const NamedMesh& mesh) {
  defaults_.set(now_, mesh.mesh);
  devices_ = std::max(devices_, mesh.mesh->devices());
  meshes_.set({mesh.name, now_++}, mesh);
}

const Variable* Environment::variable(std::string_view name, Moment at) const { return value_at(variables_, name, at); }
const Function* Environment::function(std::string_view name, Moment at) const { return value_at(functions_, name, at); }
const NamedMesh* Environment::mesh(std::string_view name, Moment at) const { return value_at(meshes_, name, at); }

synth::MeshRef Environment::default_mesh(Moment at) const {
  const auto* last = defaults_.last_before(at);
  return last == nullptr ? synth::Mesh::single_device() : last->value;
}

std::vector<std::string> Environment::variable_names(Moment at) const { return names_before(variables_, at); }
std::vector<std::string> Environment::function_names(Moment at) const { return names_before(functions_, at); }
std::vector<std::string> Environment::mesh_names(Moment at) const { return names_before(meshes_, at); }

std::string print_type(const ArrayType& type, const Environment& environment, Moment at) {
  std::string text = synth::print(type);
  if (type.mesh() == *environment.default_mesh(at)) return text;
  for (const std::string& name : environment.mesh_names(at)) {
    const NamedMesh* named = environment.mesh(name, at);
    if (*named->mesh == type.mesh()) return text + " on " + name;
  }
  return text;
}

}  // namespace tessera::typeck
