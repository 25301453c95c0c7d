// Plans: a change of layout as a verified sequence of steps with exact figures.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "synth/moves/collective/collective.hpp"

namespace tessera::synth {

// FOREACH(identifier, "name"): the order of `tessera compare`.
#define TESSERA_PLANNERS(FOREACH)       \
  FOREACH(tessera, "tessera")           \
  FOREACH(paper, "paper")               \
  FOREACH(xla, "xla")                   \
  FOREACH(shardy, "shardy")             \
  FOREACH(dtensor, "dtensor")           \
  FOREACH(gather, "gather")             \
  FOREACH(ring, "ring")                 \
  FOREACH(smp, "smp")                   \
  FOREACH(p2, "p2")                     \
  FOREACH(sendrecv, "sendrecv")         \
  FOREACH(localgather, "localgather")   \
  FOREACH(globalgather, "globalgather") \
  FOREACH(alpa, "alpa")

enum class Planner : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_PLANNERS(MEMBER)
#undef MEMBER
};
std::string_view name(Planner planner);
// Does the planner plan only changes from one mesh to another?
bool is_between_meshes(Planner planner);
std::optional<Planner> planner_by_name(std::string_view name);

struct PlanStep {
  Collective collective;
  ArrayType after;
  std::int64_t local_bytes_max = 0;  // of the step's output
  std::int64_t received_bytes_total = 0;
  std::int64_t received_bytes_max = 0;
  std::int64_t groups = 0;
  std::int64_t group_size = 0;
  std::int64_t peak_bytes = 0;  // of this step
  double seconds = 0;           // not in the JSON: 0 in a plan that was read
};

// The step, on an array of type `before`, as it is carried out: by its list, if that has copies only. Sums are added up
// in the order of their own recipe, whatever is listed.
Collective carried_out(const PlanStep& step, const ArrayType& before);

// The meaning of every figure: language.md section 10.
struct Plan {
  ArrayType from;
  ArrayType to;
  Planner planner = Planner::tessera;
  bool bound_promised = true;   // by its planner: no array is larger than both ends
  std::vector<PlanStep> steps;  // empty: from and to hold the same data
  std::int64_t received_bytes_total = 0;
  std::int64_t lower_bound_bytes_total = 0;
  std::int64_t local_bytes_max = 0;
  std::int64_t bound_bytes = 0;
  std::int64_t peak_bytes = 0;
  double seconds = 0;
  double lower_bound_seconds = 0;
  bool verified = false;

  bool communicates() const { return received_bytes_total > 0; }
};

}  // namespace tessera::synth
