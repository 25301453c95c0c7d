// The cotangents of a scope: where they are kept, and how contributions to one are added up.
#include <algorithm>
#include <utility>

#include "typeck/gradient/scope.hpp"

namespace tessera::typeck::gradient {

Scope::Key Scope::key(ValueId original, std::uint32_t result) const {
  auto value = used_value(original);
  if (!value.has_value()) value = argument_of(original);
  return value.has_value() ? key(*value, 0) : Key(original, result);
}

std::optional<Use> Scope::cotangent(ValueId original, std::uint32_t result) const {
  const auto found = cotangents_.find({original, result});
  return found == cotangents_.end() ? std::nullopt : std::optional(found->second);
}

void Scope::add(ValueId original, const Use& cotangent, const Build& build, std::uint32_t result) {
  if (!activity_.flags(original, result).active) return;
  if (const auto used = used_value(original)) return add_back({maker(original), 0, false}, *used, cotangent, build);
  const auto [at, fresh] = cotangents_.emplace(key(original, result), cotangent);
  if (!fresh) at->second = build.compute(graph_.type(cotangent), open::Both{}, {at->second, cotangent});
}

void Scope::add_back(const open::Back& back, ValueId original, const Use& contribution, const Build& build) {
  if (!activity_.flags(original).active) return;
  const open::Type own = graph_.type(here(original));
  const open::Type type(graph_.type(contribution).element(), own.shape(), own.mesh_ref());
  std::vector<Use> operands = {contribution};
  if (used_value(original).has_value()) return add(original, build.compute(type, back, std::move(operands)), build);
  const auto [at, fresh] = cotangents_.try_emplace(key(original));
  if (!fresh) operands.push_back(at->second);
  at->second = build.compute(type, back, std::move(operands));
}

bool Scope::wants_one(const std::vector<Use>& operands) const {
  return std::ranges::count_if(operands, [&](const Use& operand) {
           return wants(operand) || cotangents_.contains(key(operand.value));
         }) <= 1;
}

bool Scope::has_cotangent(const std::vector<Use>& operands) const {
  return std::ranges::any_of(operands, [&](const Use& use) { return cotangents_.contains(key(use.value)); });
}

// What an operation was the first to ask for is undone when its operands have its contributions, the last first. Others
// may have used it that contributed before.
void Scope::bring_home(ValueId by, const std::vector<Use>& operands, const Build& build) {
  for (std::size_t k = operands.size(); k-- > 0;) {
    const auto at = cotangents_.find(key(operands[k].value));
    if (at != cotangents_.end()) at->second = build.compute(graph_.type(at->second), open::Home{by}, {at->second});
  }
}

}  // namespace tessera::typeck::gradient
