#include "synth/moves/plan/plan.hpp"

#include <algorithm>

#include "synth/moves/transfer/box_send.hpp"

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

Collective carried_out(const PlanStep& step, const ArrayType& before) {
  const ListedSends* const listed = listed_of(step.collective);
  if (listed == nullptr) return step.collective;
  const bool is_of_parts = !before.layout().pending().empty() || !step.after.layout().pending().empty();
  const bool adds = std::ranges::any_of(listed->sends, &BoxSend::adds);
  return is_of_parts || adds ? without_list(step.collective) : step.collective;
}

}  // namespace tessera::synth
