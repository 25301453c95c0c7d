#include "embed/host/stop_token.hpp"
#include "embed/plans/plan_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nearest.hpp"
#include "base/stop_scope.hpp"
#include "embed/host/convert.hpp"
#include "embed/host/json_fields.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/read_types.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/planner/list_sends.hpp"
#include "synth/planner/ranking/ranking.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tessera/plan_verdict.hpp"

namespace tessera {

namespace {

struct Ends {
  synth::ArrayType from;
  synth::ArrayType to;
};

// A text that does not parse outranks one that does not check.
Diagnostics most_blamed(Diagnostics a, Diagnostics b) {
  a.insert(a.end(), std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()));
  std::stable_partition(a.begin(), a.end(), [](const Diagnostic& d) { return d.blame == Blame::command; });
  return a;
}

// Places the mesh where the change takes the least time.
Result<Ends> placed_best(const Ends& ends, const PlanRequest& request) {
  const auto ranking = synth::rank_placements(embed::to_machine(request.machine), ends.from.mesh_ref(),
                                              {{ends.from, ends.to, 1}}, 1, embed::token_of(request.stop));
  if (!ranking) return embed::to_public({}, ranking.errors());
  const synth::MeshRef& mesh = ranking->best.front().mesh;
  return Ends{synth::on_mesh(ends.from, mesh), synth::on_mesh(ends.to, mesh)};
}

// Null on one mesh.
Result<synth::MeshRef> read_to_mesh(const PlanRequest& request) {
  if (request.to_mesh.empty()) return synth::MeshRef{};
  auto mesh = embed::read_mesh(request.to_mesh, request.machine);
  if (!mesh) return mesh.diagnostics();
  if (mesh->is_auto) {
    return embed::failure(base::make(embed::Kind::bad_call, "`place auto` is for plans on one mesh")
                              .suggest("write the matrix: `place [[4,4],[1,4]]`"));
  }
  return mesh->mesh;
}

Result<Ends> read_ends(const PlanRequest& request) {
  auto mesh = embed::read_mesh(request.mesh, request.machine);
  // Without a mesh only whether the types can be read at all is of interest.
  const synth::MeshRef at = mesh ? mesh->mesh : synth::Mesh::single_device();
  auto to_mesh = read_to_mesh(request);
  auto from = embed::read_type("from", request.from, at);
  auto to = embed::read_type("to", request.to, to_mesh && *to_mesh ? *to_mesh : at);
  if (mesh && to_mesh && from && to) {
    if (mesh->is_auto && *to_mesh) {
      return embed::failure(base::make(embed::Kind::bad_call, "`place auto` is for plans on one mesh")
                                .suggest("write the matrix: `place [[4,4],[1,4]]`"));
    }
    Ends ends{std::move(*from), std::move(*to)};
    return mesh->is_auto ? placed_best(ends, request) : ends;
  }
  Diagnostics why = mesh.diagnostics();
  const auto add = [&](const Diagnostics& more) {
    for (const Diagnostic& diagnostic : more) {
      if (mesh || diagnostic.blame == Blame::command) why = most_blamed(std::move(why), {diagnostic});
    }
  };
  add(to_mesh.diagnostics());
  add(from.diagnostics());
  add(to.diagnostics());
  return why;
}

Result<synth::Planner> read_planner(const std::string& name) {
  if (const auto planner = synth::planner_by_name(name)) return *planner;
  const auto meant = base::nearest(name, planner_names());
  return embed::failure(base::make(embed::Kind::unknown_planner, name)
                            .suggest(meant ? fmt::format("did you mean `{}`?", *meant)
                                           : fmt::format("the planners are {}", fmt::join(planner_names(), ", "))));
}

Result<Plan> plan_between(const PlanRequest& request, const Ends& ends, synth::Planner planner) {
  if (request.within_bytes && *request.within_bytes < 0) {
    return embed::failure(base::make(embed::Kind::bad_call, "a budget of bytes cannot be negative"));
  }
  const synth::PlanOptions options{planner, request.collectives_only, request.within_bytes};
  const base::StopToken stop = embed::token_of(request.stop);
  auto plan = base::guarded_until_stopped(
      [&] { return synth::plan(ends.from, ends.to, embed::to_machine(request.machine), options, stop); });
  if (!plan) return embed::to_public({}, plan.errors());
  return Plan(std::make_shared<const Plan::Impl>(
      Plan::Impl{std::make_shared<const synth::Plan>(std::move(*plan)), embed::to_machine(request.machine)}));
}

Plan::Step to_public(const synth::PlanStep& step, const synth::Mesh& mesh) {
  const synth::ReduceProgram* program = synth::program_of(step.collective);
  return {std::string(synth::shown_name(step)),
          synth::detail(step.collective, mesh),
          program == nullptr ? "" : synth::print(mesh, *program),
          synth::print(step.after),
          step.local_bytes_max,
          step.received_bytes_total,
          step.received_bytes_max,
          step.groups,
          step.group_size,
          step.peak_bytes,
          synth::shown_mpi_name(step) != "none"};
}

}  // namespace

std::vector<Plan::Step> Plan::steps() const {
  std::vector<Step> result;
  for (const synth::PlanStep& step : impl_->plan->steps) result.push_back(to_public(step, step.after.mesh()));
  return result;
}

bool Plan::changes_nothing() const { return synth::changes_nothing(*impl_->plan); }

std::string Plan::mesh_text() const { return synth::print(impl_->plan->from.mesh()); }
std::string Plan::to_mesh_text() const {
  const synth::Mesh& to = impl_->plan->to.mesh();
  return to == impl_->plan->from.mesh() ? "" : synth::print(to);
}
std::string Plan::from() const { return synth::print(impl_->plan->from); }
std::string Plan::to() const { return synth::print(impl_->plan->to); }
std::int64_t Plan::received_bytes_total() const { return impl_->plan->received_bytes_total; }
std::int64_t Plan::lower_bound_bytes_total() const { return impl_->plan->lower_bound_bytes_total; }
std::int64_t Plan::local_bytes_max() const { return impl_->plan->local_bytes_max; }
std::int64_t Plan::bound_bytes() const { return impl_->plan->bound_bytes; }
std::int64_t Plan::peak_bytes() const { return impl_->plan->peak_bytes; }
double Plan::seconds() const { return impl_->plan->seconds; }
double Plan::lower_bound_seconds() const { return impl_->plan->lower_bound_seconds; }
std::string Plan::json() const { return synth::print_json(*impl_->plan); }
std::string Plan::text() const {
  synth::PlanWords words;
  words.machine = &impl_->machine;
  return synth::print_text(*impl_->plan, words);
}

Result<Plan> make_plan(const PlanRequest& request) {
  return embed::safely([&]() -> Result<Plan> {
    auto planner = read_planner(request.planner);
    if (!planner) return planner.diagnostics();
    auto ends = read_ends(request);
    if (!ends) return ends.diagnostics();
    return plan_between(request, *ends, *planner);
  });
}

std::string plan_failure_json(const PlanRequest& request, const Diagnostics& why) {
  const Diagnostic first = why.empty() ? Diagnostic{} : why.front();
  const auto ends = read_ends(request);
  const auto planner = synth::planner_by_name(request.planner);
  if (ends && planner) return synth::print_json_error(ends->from, ends->to, *planner, embed::to_base(first));
  return embed::unread_request_json(request, first);
}

Result<std::string> json_with_sends(const Plan& plan) {
  return embed::safely([&]() -> Result<std::string> {
    const auto listed = synth::with_sends(*plan.impl()->plan, plan.impl()->machine);
    if (!listed) return embed::to_public({}, listed.errors());
    return synth::print_json(*listed);
  });
}

PlanVerdict verify_plan(std::string_view json, const Machine& machine, const std::optional<StopToken>& stop) {
  PlanVerdict verdict;
  const auto read = synth::read_json(json);
  if (!read) {
    verdict.fault = embed::to_public({}, read.errors()).front().message;
    return verdict;
  }
  const auto fault = base::guarded_until_stopped([&] {
    const base::StopScope scope(embed::token_of(stop));
    return synth::fault_of(*read, embed::to_machine(machine));
  });
  verdict.fault = fault ? fault->value_or("") : embed::to_public({}, fault.errors()).front().message;
  auto plan = std::make_shared<synth::Plan>(*read);
  plan->verified = verdict.fault.empty();
  verdict.plan = Plan(std::make_shared<const Plan::Impl>(Plan::Impl{std::move(plan), embed::to_machine(machine)}));
  return verdict;
}

bool plans_between_meshes(std::string_view planner) {
  const auto known = synth::planner_by_name(planner);
  return known && synth::is_between_meshes(*known);
}

const std::vector<std::string>& planner_names() {
  static const std::vector<std::string> names = {
#define NAME(identifier, text) text,
      TESSERA_PLANNERS(NAME)
#undef NAME
  };
  return names;
}

}  // namespace tessera
