#include "repl/render/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::repl {

// Most messages name their planner first.
void Refusals::add(std::string_view planner, std::string_view message) {
  const std::string begin = fmt::format("the planner `{}` ", planner);
  const std::string reason =
      message.starts_with(begin) ? std::string(message.substr(begin.size())) : fmt::format("cannot: {}", message);
  const auto same = [&](const auto& known) { return known.second == reason; };
  const auto found = std::find_if(planners_by_reason_.begin(), planners_by_reason_.end(), same);
  if (found == planners_by_reason_.end())
    planners_by_reason_.emplace_back(planner, reason);
  else
    found->first.append(", ").append(planner);
}

std::string Refusals::text() const {
  std::string lines;
  for (const auto& [planners, reason] : planners_by_reason_) lines += fmt::format("{} {}\n", planners, reason);
  return lines;
}

}  // namespace tessera::repl
