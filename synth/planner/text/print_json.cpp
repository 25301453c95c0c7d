#include "synth/planner/text/print_json.hpp"

#include <fmt/format.h>

#include "base/quoted.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/place_matrix.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

// ` "place": [[4,4],[1,4]],` of a mesh that a matrix places.
std::string place_json(const Mesh& mesh) {
  return mesh.matrix() != nullptr ? fmt::format(R"( "place": {},)", print(*mesh.matrix())) : "";
}

// ` "to_mesh": "x:4 on 8:12",` of a plan between two meshes.
std::string to_mesh_json(const ArrayType& from, const ArrayType& to) {
  return from.mesh() == to.mesh() ? "" : fmt::format(R"( "to_mesh": {},)", base::json_quoted(print(to.mesh())));
}

// `"mesh": .., "from": .., "to": .., "planner": .., "devices": N`
std::string head(const ArrayType& from, const ArrayType& to, Planner planner) {
  return fmt::format(R"("mesh": {},{}{} "from": {}, "to": {}, "planner": {}, "devices": {})",
                     base::json_quoted(print_axes(from.mesh())), place_json(from.mesh()), to_mesh_json(from, to),
                     base::json_quoted(print(from, Spacing::tight)), base::json_quoted(print(to, Spacing::tight)),
                     base::json_quoted(name(planner)), devices_of_both(from.mesh(), to.mesh()));
}

// No type of the plan's meshes says where devices in an order of their own hold what, on a mesh of their own.
std::string type_json(const ArrayType& type, const Plan& plan) {
  const bool is_known = type.mesh() == plan.from.mesh() || type.mesh() == plan.to.mesh();
  return is_known ? base::json_quoted(print(type, Spacing::tight)) : "null";
}

// ` "mesh": "to_mesh",` of a step that ends on the target's mesh, where that is another than the source's.
std::string step_mesh_json(const ArrayType& type, const Plan& plan) {
  const bool crosses = plan.from.mesh() != plan.to.mesh();
  return crosses && type.mesh() == plan.to.mesh() ? R"( "mesh": "to_mesh",)" : "";
}

std::string box_json(const Box& box) {
  std::string text;
  for (const Interval& interval : box)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", interval.begin, interval.end);
  return "[" + text + "]";
}

// `[[[0, 4]], 1, 0, 0]`: the box, who sends it, to whom, at which hop; of an adding send also what it carries.
std::string send_json(const BoxSend& send) {
  const std::string adds = send.adds ? fmt::format(R"(, "add", {})", base::json_quoted(name(send.carried))) : "";
  return fmt::format("[{}, {}, {}, {}{}]", box_json(send.box), send.source, send.target, send.hop, adds);
}

std::string sends_json(const PlanStep& step) {
  const ListedSends* const listed = listed_of(step.collective);
  if (listed == nullptr) return "";
  std::string text;
  for (const BoxSend& send : listed->sends) text.append(text.empty() ? "" : ", ").append(send_json(send));
  return fmt::format(R"(, "sends": [{}])", text);
}

// How the step's bytes move; nothing where none do.
std::string transfer_json(const PlanStep& step) {
  const RelayRecipe* relay = relay_of(step.collective);
  const ReduceProgram* program = program_of(step.collective);
  const ListedSends* const listed = listed_of(step.collective);
  if (step.received_bytes_total == 0) return "";
  std::string recipe = "direct";
  std::int64_t hops = 1;
  std::int64_t stretches = 1;
  if (program != nullptr) {
    recipe = "program";
    hops = listed != nullptr ? listed->hops : hop_slots(*program);
    stretches = program->stretches;
  } else if (relay != nullptr) {
    recipe = "relay " + print(*relay);
    hops = relay->hops;
    stretches = relay->stretches;
  } else if (listed != nullptr) {
    recipe = listed->at_once ? "direct" : "listed";
    hops = listed->hops;
    stretches = listed->stretches;
  } else if (movement(step.collective) == Movement::sums) {
    hops = DirectReduction(kind_of(step.collective), step.group_size).hops();
  }
  return fmt::format(R"(, "transfer": {{"recipe": {}, "hops": {}, "stretches": {}{}}})", base::json_quoted(recipe),
                     hops, stretches, sends_json(step));
}

// The steps of the program by which a sum is made; nothing where there is none.
std::string program_json(const PlanStep& step) {
  const ReduceProgram* program = program_of(step.collective);
  if (program == nullptr) return "";
  std::string steps;
  for (const ReduceStep& part : program->steps) {
    steps += fmt::format(R"({}{{"op": {}, "axes": {}, "first": {}, "form": {}}})", steps.empty() ? "" : ", ",
                         base::json_quoted(name(part.kind)), base::json_quoted(print(step.after.mesh(), part.axes)),
                         base::json_quoted(part.first.empty() ? "" : print(step.after.mesh(), part.first)),
                         base::json_quoted(form_text(part)));
  }
  return fmt::format(R"(, "program": {{"stretches": {}, "hops": {}, "steps": [{}]}})", program->stretches,
                     hop_slots(*program), steps);
}

std::string step_json(const PlanStep& step, const Plan& plan) {
  return fmt::format(R"({{"op": {}, "detail": {}, "type": {},{} "local_bytes_max": {}, )"
                     R"("received_bytes_total": {}, "received_bytes_max": {}, "groups": {}, "group_size": {}{}{}}})",
                     base::json_quoted(name(step.collective)),
                     base::json_quoted(detail(step.collective, step.after.mesh())), type_json(step.after, plan),
                     step_mesh_json(step.after, plan), step.local_bytes_max, step.received_bytes_total,
                     step.received_bytes_max, step.groups, step.group_size, transfer_json(step), program_json(step));
}

}  // namespace

std::string print_json(const Plan& plan) {
  std::string steps;
  for (const PlanStep& step : plan.steps) steps.append(steps.empty() ? "" : ", ").append(step_json(step, plan));
  return fmt::format(R"({{{}, "steps": [{}], "received_bytes_total": {}, "lower_bound_bytes_total": {}, )"
                     R"("local_bytes_max": {}, "bound_bytes": {}, "peak_bytes": {}, )"
                     R"("seconds": {}, "lower_bound_seconds": {}, "verified": {}}})",
                     head(plan.from, plan.to, plan.planner), steps, plan.received_bytes_total,
                     plan.lower_bound_bytes_total, plan.local_bytes_max, plan.bound_bytes, plan.peak_bytes,
                     plan.seconds, plan.lower_bound_seconds, plan.verified);
}

std::string print_json_error(const ArrayType& from, const ArrayType& to, Planner planner, const base::Diagnostic& why) {
  constexpr std::string_view kLeast = "least budget: ";
  std::string least;
  if (why.kind == Kind::over_budget && why.help.starts_with(kLeast)) {
    const std::string rest = why.help.substr(kLeast.size());
    least = fmt::format(R"(, "least_bytes": {})", rest.substr(0, rest.find(' ')));
  }
  return fmt::format(R"({{{}, "error": {}, "message": {}{}}})", head(from, to, planner),
                     base::json_quoted(why.kind.slug), base::json_quoted(why.message), least);
}

}  // namespace tessera::synth
