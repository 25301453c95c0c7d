#include "synth/planner/text/read_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <span>

#include "synth/kinds.hpp"
#include "synth/layout/cursor.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/round_cost.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/round_peaks.hpp"
#include "synth/planner/text/fields.hpp"
#include "synth/planner/text/json.hpp"
#include "synth/planner/text/read_recipes.hpp"

namespace tessera::synth {

namespace {

constexpr std::array<std::string_view, 14> kPlanKeys = {"mesh",
                                                        "from",
                                                        "to",
                                                        "planner",
                                                        "devices",
                                                        "steps",
                                                        "received_bytes_total",
                                                        "lower_bound_bytes_total",
                                                        "local_bytes_max",
                                                        "bound_bytes",
                                                        "peak_bytes",
                                                        "seconds",
                                                        "lower_bound_seconds",
                                                        "verified"};
constexpr std::array<std::string_view, 8> kStepKeys = {
    "op", "detail", "type", "local_bytes_max", "received_bytes_total", "received_bytes_max", "groups", "group_size"};
constexpr std::size_t kStepsMax = 4096;

using json::bad;
using json::object_with;
using json::read_integer;
using json::read_seconds;
using json::text_of;

base::Result<Collective> read_collective(const std::string& op, const std::string& text, const ArrayType& after,
                                         RelayRef relay) {
  const auto kind = collective_by_name(op);
  if (!kind) return bad(fmt::format("`{}` is not a collective", excerpt(op)));
  auto step = read_detail(*kind, text, after);
  if (step && *kind == CollectiveKind::relay) step->recipe = std::move(relay);
  // Only the one way to write it is right.
  if (!step || detail(*step, after.mesh()) != text)
    return bad(fmt::format("the detail `{}` cannot be read", excerpt(text)));
  return std::move(*step);
}

// The meshes of a plan's ends, one or two.
struct Meshes {
  MeshRef from;
  MeshRef to;
};

// The mesh that a step ends on: `"mesh": "to_mesh"` is the target's.
base::Result<MeshRef> read_step_mesh(const json::Object& step, const Meshes& meshes) {
  if (json::member(step, "mesh") == nullptr) return meshes.from;
  TESSERA_TRY(text, text_of(step, "mesh"));
  if (text != "to_mesh" || *meshes.from == *meshes.to)
    return bad("a step's `mesh` is not \"to_mesh\", or there is no other mesh");
  return meshes.to;
}

base::Result<PlanStep> read_step(const json::Value& value, const Meshes& meshes) {
  TESSERA_TRY(object, object_with(value, kStepKeys, {"mesh", "transfer", "program"}));
  TESSERA_TRY(mesh, read_step_mesh(*object, meshes));
  TESSERA_TRY(op, text_of(*object, "op"));
  TESSERA_TRY(text, text_of(*object, "detail"));
  if (std::holds_alternative<json::Null>(json::member(*object, "type")->content)) {
    return bad("a step's `type` is null: only its planner knows which device holds what");
  }
  TESSERA_TRY(type_text, text_of(*object, "type"));
  PlanStep step;
  TESSERA_TRY(after, parse_array_type(type_text, mesh));
  step.after = after;
  TESSERA_TRY(transfer, read_transfer(*object, after.shape()));
  TESSERA_TRY(collective, read_collective(op, text, after, transfer.relay));
  TESSERA_TRY(program, read_program(*object, *mesh));
  if (program != nullptr && movement(collective) != Movement::sums) return bad("only sums have programs");
  step.collective = collective;
  if (program != nullptr) step.collective.recipe = program;
  if (transfer.listed != nullptr) step.collective = with_list(std::move(step.collective), transfer.listed);
  TESSERA_TRY_STATUS(read_integer(*object, "local_bytes_max", step.local_bytes_max));
  TESSERA_TRY_STATUS(read_integer(*object, "received_bytes_total", step.received_bytes_total));
  TESSERA_TRY_STATUS(read_integer(*object, "received_bytes_max", step.received_bytes_max));
  TESSERA_TRY_STATUS(read_integer(*object, "groups", step.groups));
  TESSERA_TRY_STATUS(read_integer(*object, "group_size", step.group_size));
  return step;
}

base::Status read_steps(const json::Object& object, const Meshes& meshes, Plan& plan) {
  const auto* items = std::get_if<json::Array>(&json::member(object, "steps")->content);
  if (items == nullptr || items->size() > kStepsMax) return bad("`steps` is not a list, or too long a one");
  for (const json::Value& item : *items) {
    TESSERA_TRY(step, read_step(item, meshes));
    plan.steps.push_back(std::move(step));
  }
  return base::Done{};
}

// Are the figures of these steps those of an exchange from that type, in rounds along that dimension?
bool has_rounds_along(const Plan& plan, std::size_t first, const ArrayType& before, std::size_t dimension) {
  const ArrayType& after = plan.steps[first].after;
  if (after.shape() != plan.from.shape() || before.shape() != plan.from.shape()) return false;  // verify will say so
  const std::int64_t count = round_of(plan.steps[first].collective)->count;
  const auto machine = machine_for(Machine{}, run_devices(before, after));
  const RoundPeaks peaks(before, after, dimension);
  if (!machine.ok() || count > peaks.rounds_max()) return false;
  const auto costs = costs_of_rounds(*machine, before, after, dimension, count);  // bytes are the same on any machine
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const PlanStep& step = plan.steps[first + k];
    if (step.received_bytes_total != costs[k].received_bytes_total) return false;
    if (step.received_bytes_max != costs[k].received_bytes_max) return false;
  }
  return true;
}

void set_dimension(Plan& plan, std::size_t first, std::size_t dimension) {
  const std::int64_t count = round_of(plan.steps[first].collective)->count;
  for (std::size_t i = first; i < first + static_cast<std::size_t>(count); ++i) {
    Collective& step = plan.steps[i].collective;
    const Round* const round = round_of(step);
    if (round == nullptr) continue;
    const Round along{round->index, round->count, dimension};
    if (auto* listed = std::get_if<Listed>(&step.recipe))
      listed->of = along;
    else
      step.recipe = along;
  }
}

std::int64_t peak_of(Plan& plan) {
  set_step_peaks(plan);
  std::int64_t peak = 0;
  for (const PlanStep& step : plan.steps) peak = std::max(peak, step.peak_bytes);
  return peak;
}

// Finds the dimension of the first exchange in rounds: the first dimension with which the figures agree. It is the
// right one, because one step of a plan is cut, and planners never cut along a dimension if an earlier one has the same
// figures. If no dimension agrees, verification will say so.
void find_round_dimension(Plan& plan) {
  ArrayType before = plan.from;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Round* round = round_of(plan.steps[i].collective);
    if (round != nullptr && round->index == 0 && round->count <= static_cast<std::int64_t>(plan.steps.size() - i)) {
      for (std::size_t d = 0; d < plan.from.rank(); ++d) {
        set_dimension(plan, i, d);
        if (has_rounds_along(plan, i, before, d) && peak_of(plan) == plan.peak_bytes) return;
      }
      return;
    }
    before = plan.steps[i].after;
  }
}

base::Status read_figures(const json::Object& object, Plan& plan) {
  TESSERA_TRY_STATUS(read_integer(object, "received_bytes_total", plan.received_bytes_total));
  TESSERA_TRY_STATUS(read_integer(object, "lower_bound_bytes_total", plan.lower_bound_bytes_total));
  TESSERA_TRY_STATUS(read_integer(object, "local_bytes_max", plan.local_bytes_max));
  TESSERA_TRY_STATUS(read_integer(object, "bound_bytes", plan.bound_bytes));
  TESSERA_TRY_STATUS(read_integer(object, "peak_bytes", plan.peak_bytes));
  TESSERA_TRY_STATUS(read_seconds(object, "seconds", plan.seconds));
  TESSERA_TRY_STATUS(read_seconds(object, "lower_bound_seconds", plan.lower_bound_seconds));
  const auto* verified = std::get_if<bool>(&json::member(object, "verified")->content);
  if (verified == nullptr) return bad("`verified` is not true or false");
  plan.verified = *verified;
  return base::Done{};
}

base::Result<Planner> read_planner(const json::Object& object) {
  TESSERA_TRY(planner_name, text_of(object, "planner"));
  const auto planner = planner_by_name(planner_name);
  if (!planner) return bad(fmt::format("`{}` is not a planner", excerpt(planner_name)));
  return *planner;
}

base::Result<ArrayType> read_end(const json::Object& object, std::string_view key, const MeshRef& mesh) {
  TESSERA_TRY(text, text_of(object, key));
  return parse_array_type(text, mesh);
}

std::optional<PlaceMatrix> matrix_of(const json::Value& value) {
  const auto* rows = std::get_if<json::Array>(&value.content);
  if (rows == nullptr) return std::nullopt;
  PlaceMatrix matrix;
  for (const json::Value& row : *rows) {
    const auto* numbers = std::get_if<json::Array>(&row.content);
    if (numbers == nullptr) return std::nullopt;
    matrix.rows.emplace_back();
    for (const json::Value& number : *numbers) {
      const auto factor = json::as_integer(number);
      if (!factor) return std::nullopt;
      matrix.rows.back().push_back(*factor);
    }
  }
  return matrix;
}

base::Result<MeshRef> read_mesh(const json::Object& object) {
  TESSERA_TRY(text, text_of(object, "mesh"));
  TESSERA_TRY(mesh, parse_mesh(text));
  const json::Value* place = json::member(object, "place");
  if (place == nullptr) return mesh;
  auto matrix = matrix_of(*place);
  if (!matrix) return bad("`place` is not a list of lists of whole numbers");
  return Mesh::make_on(mesh->axes(), mesh->ranges(), &*matrix);
}

base::Result<Plan> read_plan(const json::Value& value) {
  TESSERA_TRY(object, object_with(value, kPlanKeys, {"place", "to_mesh"}));
  TESSERA_TRY(mesh, read_mesh(*object));
  Meshes meshes{mesh, mesh};
  if (json::member(*object, "to_mesh") != nullptr) {
    TESSERA_TRY(to_text, text_of(*object, "to_mesh"));
    TESSERA_TRY(to_mesh, parse_mesh(to_text));
    if (*to_mesh == *mesh) return bad("`to_mesh` is the mesh");
    meshes.to = to_mesh;
  }
  Plan plan;
  TESSERA_TRY(from, read_end(*object, "from", mesh));
  TESSERA_TRY(to, read_end(*object, "to", meshes.to));
  TESSERA_TRY(planner, read_planner(*object));
  plan.from = from;
  plan.to = to;
  plan.planner = planner;
  std::int64_t devices = 0;
  TESSERA_TRY_STATUS(read_integer(*object, "devices", devices));
  if (devices != devices_of_both(*meshes.from, *meshes.to)) return bad("`devices` is not the mesh's");
  TESSERA_TRY_STATUS(read_steps(*object, meshes, plan));
  TESSERA_TRY_STATUS(read_figures(*object, plan));
  // The text does not say; only a chain of named collectives may be one that promised nothing.
  const auto is_exchange = [](const PlanStep& s) { return std::holds_alternative<Exchange>(s.collective.effect); };
  plan.bound_promised = planner == Planner::tessera && std::any_of(plan.steps.begin(), plan.steps.end(), is_exchange);
  find_round_dimension(plan);
  set_step_peaks(plan);
  return plan;
}

}  // namespace

base::Result<Plan> read_json(std::string_view text) {
  return base::guarded([&]() -> base::Result<Plan> {
    const json::Parsed parsed = json::parse(text);
    if (!parsed.value) return bad(parsed.error);
    return read_plan(*parsed.value);
  });
}

}  // namespace tessera::synth
