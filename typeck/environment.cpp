#include "typeck/environment.hpp"

#include <algorithm>
#include <set>

namespace tessera::typeck {

namespace {

// The names a tree mentions anywhere: more than it captures, never less.
std::set<std::string, std::less<>> mentioned_names(const frontend::Ast& ast) {
  std::set<std::string, std::less<>> names;
  for (const frontend::Expr& expr : ast.exprs.items()) {
    if (const auto* reference = std::get_if<frontend::NameRef>(&expr.node)) names.insert(reference->name);
    if (const auto* call = std::get_if<frontend::Call>(&expr.node)) names.insert(call->callee.text);
  }
  return names;
}

template <class Timeline>
std::vector<std::string> names_before(const Timeline& timeline, Moment at) {
  std::vector<std::string> names;
  for (const auto& [name, bindings] : timeline) {
    if (bindings.front().first < at) names.push_back(name);
  }
  return names;
}

}  // namespace

Environment::Environment() = default;

template <class T>
const T* Environment::at_moment(const Timeline<T>& timeline, std::string_view name, Moment at) {
  const auto found = timeline.find(name);
  if (found == timeline.end()) return nullptr;
  const auto& bindings = found->second;
  const auto after =
      std::partition_point(bindings.begin(), bindings.end(), [at](const auto& b) { return b.first < at; });
  return after == bindings.begin() ? nullptr : &std::prev(after)->second;
}

void Environment::bind(Variable variable) {
  auto& bindings = variables_[variable.name];
  bindings.emplace_back(now_++, std::move(variable));
}

void Environment::bind(Function function) {
  auto& bindings = functions_[function.definition().name.text];
  bindings.emplace_back(now_++, std::move(function));
}

void Environment::bind(NamedMesh mesh) {
  defaults_.emplace_back(now_, mesh.mesh);
  auto& bindings = meshes_[mesh.name];
  bindings.emplace_back(now_++, std::move(mesh));
}

const Variable* Environment::variable(std::string_view name, Moment at) const {
  return at_moment(variables_, name, at);
}
const Function* Environment::function(std::string_view name, Moment at) const {
  return at_moment(functions_, name, at);
}
const NamedMesh* Environment::mesh(std::string_view name, Moment at) const { return at_moment(meshes_, name, at); }

synth::MeshRef Environment::default_mesh(Moment at) const {
  const auto after =
      std::partition_point(defaults_.begin(), defaults_.end(), [at](const auto& d) { return d.first < at; });
  return after == defaults_.begin() ? synth::Mesh::single_device() : std::prev(after)->second;
}

std::vector<std::string> Environment::variable_names(Moment at) const { return names_before(variables_, at); }
std::vector<std::string> Environment::function_names(Moment at) const { return names_before(functions_, at); }
std::vector<std::string> Environment::mesh_names(Moment at) const { return names_before(meshes_, at); }

std::vector<std::uint32_t> Environment::live_slots() const {
  std::set<std::uint32_t> slots;
  for (const auto& [name, bindings] : variables_) slots.insert(bindings.back().second.slot);
  // A function may see an older binding of a name that was bound again since, and a current one may call an older one:
  // what any function's text mentions is kept, from what its first function sees.
  std::map<const frontend::Ast*, Moment> first_moment;
  for (const auto& [name, bindings] : functions_) {
    for (const auto& [bound_at, function] : bindings) {
      const auto at = first_moment.try_emplace(function.ast.get(), function.moment).first;
      at->second = std::min(at->second, function.moment);
    }
  }
  for (const auto& [ast, moment] : first_moment) {
    for (const std::string& name : mentioned_names(*ast)) keep_slots(name, moment, slots);
  }
  return {slots.begin(), slots.end()};
}

// Adds the slots of a name's bindings from the one seen at a moment on.
void Environment::keep_slots(std::string_view name, Moment from, std::set<std::uint32_t>& slots) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return;
  const Variable* seen = variable(name, from);
  for (const auto& [bound_at, variable] : found->second) {
    if (bound_at >= from || &variable == seen) slots.insert(variable.slot);
  }
}

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
