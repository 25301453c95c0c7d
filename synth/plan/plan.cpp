#include "synth/plan/plan.hpp"

#include <algorithm>

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

bool is_between_meshes(Planner planner) {
  switch (planner) {
    case Planner::sendrecv:
    case Planner::localgather:
    case Planner::globalgather:
    case Planner::alpa: return true;
    case Planner::tessera:
    case Planner::paper:
    case Planner::xla:
    case Planner::shardy:
    case Planner::dtensor:
    case Planner::gather:
    case Planner::ring:
    case Planner::smp:
    case Planner::p2: return false;
  }
  return false;
}

std::optional<Planner> planner_by_name(std::string_view name) {
#define ROW(identifier, text) \
  if (name == (text)) return Planner::identifier;
  TESSERA_PLANNERS(ROW)
#undef ROW
  return std::nullopt;
}

bool lists_copies(const PlanStep& step, const ArrayType& before) {
  if (step.listed == nullptr || !before.layout().pending().empty() || !step.after.layout().pending().empty())
    return false;
  const auto adds = [](const BoxSend& send) { return send.adds; };
  return std::none_of(step.listed->sends.begin(), step.listed->sends.end(), adds);
}

}  // namespace tessera::synth
