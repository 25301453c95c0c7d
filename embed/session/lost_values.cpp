#include "embed/session/lost_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "embed/arrays/lost_value.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::embed {

namespace {

// Does any of this rank's tiles lie on a place of the engine that is lost? Of an engine with one place all do; of
// another rank's nobody knows here.
bool lies_on_lost(const runtime::Value& value, const runtime::Engine& engine) {
  if (engine.places() == 1) return true;
  for (std::int64_t device = 0; device < value.type().devices(); ++device) {
    if (!value.has_device(device) || value.tile(device).empty()) continue;
    if (engine.is_lost(engine.place_of(value.tile(device).data()))) return true;
  }
  return false;
}

// The name that a slot's value has now.
const typeck::Variable* variable_of(const State& state, std::uint32_t slot) {
  const typeck::Environment& environment = state.environment;
  for (const std::string& name : environment.variable_names(environment.now())) {
    const typeck::Variable* const variable = environment.variable(name, environment.now());
    if (variable != nullptr && variable->slot == slot) return variable;
  }
  return nullptr;
}

}  // namespace

std::optional<base::Diagnostic> lost_input(const State& state, const typeck::Lowered& lowered,
                                           const runtime::Engine* engine) {
  for (const std::uint32_t slot : lowered.input_slots) {
    const runtime::Value* const value = state.values.find(slot);
    if (value == nullptr || value->engine() == nullptr || value->engine().get() == engine) continue;
    const auto here = value->on_host();
    if (here.ok()) continue;
    const typeck::Variable* const variable = variable_of(state, slot);
    return reading_failed(here.errors(), variable == nullptr ? "" : variable->name,
                          variable == nullptr ? base::Span{} : variable->span)
        .front();
  }
  return std::nullopt;
}

base::Diagnostics with_lost_names(base::Diagnostics why, const State& state, const runtime::Engine* engine) {
  if (!is_loss(why)) return why;
  const typeck::Environment& environment = state.environment;
  std::vector<std::string> names;
  for (const std::string& name : environment.variable_names(environment.now())) {
    const typeck::Variable* const variable = environment.variable(name, environment.now());
    const runtime::Value* const value = variable == nullptr ? nullptr : state.values.find(variable->slot);
    if (value == nullptr || engine == nullptr || value->engine().get() != engine) continue;
    if (lies_on_lost(*value, *engine)) names.push_back(fmt::format("`{}`", name));
  }
  if (names.empty()) return why;
  std::sort(names.begin(), names.end());
  why.front().help += fmt::format("; there lay {}", fmt::join(names, ", "));
  return why;
}

}  // namespace tessera::embed
