#include "repl/render/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::repl {

std::string modelled_line(const Machine& machine, std::string_view help) {
  return machine.levels.empty() ? fmt::format("{}; {}\n", modelled_text(machine), help) : modelled_text(machine) + "\n";
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

std::string steps_text(const Plan& plan) { return fmt::format("{}", plan.changes_nothing() ? 0 : plan.steps().size()); }

std::string counted(std::int64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace tessera::repl
