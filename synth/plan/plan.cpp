#include "synth/plan/plan.hpp"

namespace tessera::synth {

std::string_view name(Planner planner) {
  switch (planner) {
#define CASE(identifier, text) \
  case Planner::identifier: return text;
    TESSERA_PLANNERS(CASE)
#undef CASE
  }
  return "";
}

std::optional<Planner> planner_by_name(std::string_view name) {
#define ROW(identifier, text) \
  if (name == (text)) return Planner::identifier;
  TESSERA_PLANNERS(ROW)
#undef ROW
  return std::nullopt;
}

}  // namespace tessera::synth
