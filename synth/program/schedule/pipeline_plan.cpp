#include "synth/program/schedule/pipeline_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "synth/program/registers.hpp"
#include "synth/program/schedule/timeline.hpp"
#include "synth/program/schedule/visits.hpp"
#include "synth/program/schedule/warm_ups.hpp"

namespace tessera::synth {

namespace {

// The stage of every visit: meshes in the order of their first visits.
std::vector<std::size_t> stages_of(const Cut& cut) {
  std::vector<const Mesh*> meshes;
  std::vector<std::size_t> stages;
  for (const CutVisit& visit : cut.visits) {
    const auto same = [&](const Mesh* mesh) { return *mesh == *visit.mesh; };
    const auto known = std::find_if(meshes.begin(), meshes.end(), same);
    stages.push_back(static_cast<std::size_t>(known - meshes.begin()));
    if (known == meshes.end()) meshes.push_back(visit.mesh.get());
  }
  return stages;
}

bool share_devices(const Mesh& a, const Mesh& b) {
  for (std::int64_t device = 0; device < a.devices(); ++device) {
    if (b.number_of(a.device_of_run(device))) return true;
  }
  return false;
}

std::vector<MeshRef> meshes_of(const Cut& cut) {
  const std::vector<std::size_t> stages = stages_of(cut);
  std::vector<MeshRef> meshes;
  for (std::size_t v = 0; v < cut.visits.size(); ++v) {
    if (stages[v] == meshes.size()) meshes.push_back(cut.visits[v].mesh);
  }
  return meshes;
}

// The visit of every step.
std::vector<std::size_t> visit_of_step(const Cut& cut, std::size_t steps) {
  std::vector<std::size_t> visit(steps, 0);
  for (std::size_t v = 0; v < cut.visits.size(); ++v) {
    for (const auto* list : {&cut.visits[v].main, &cut.visits[v].borders, &cut.visits[v].rest}) {
      for (const std::size_t i : *list) visit[i] = v;
    }
  }
  return visit;
}

// The first visit that reads a register, for every register that the body reads.
std::map<RegisterId, std::size_t> first_readers(const Body& body, const Cut& cut, const std::vector<RegisterId>& next) {
  const std::vector<std::size_t> visit = visit_of_step(cut, body.size());
  std::map<RegisterId, std::size_t> first;
  const auto note = [&](RegisterId id, std::size_t v) {
    const auto [entry, is_new] = first.emplace(id, v);
    if (!is_new) entry->second = std::min(entry->second, v);
  };
  for (std::size_t i = 0; i < body.size(); ++i) for_each_read(body[i], [&](RegisterId id) { note(id, visit[i]); });
  for (std::size_t k = 0; k < next.size(); ++k) note(next[k], cut.carried_by[k]);
  return first;
}

}  // namespace

PipelineShape shape_of(const Body& body, const Cut& cut, const std::vector<RegisterId>& next,
                       const std::vector<double>& seconds) {
  PipelineShape shape;
  const std::vector<std::size_t> stages = stages_of(cut);
  const std::vector<MeshRef> meshes = meshes_of(cut);
  shape.stages = meshes.size();
  shape.sharing.resize(meshes.size());
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    for (std::size_t j = 0; j < meshes.size(); ++j) {
      if (i != j && share_devices(*meshes[i], *meshes[j])) shape.sharing[i].push_back(j);
    }
  }
  const auto readers = first_readers(body, cut, next);
  std::map<std::pair<std::size_t, std::size_t>, double> borders;
  for (std::size_t v = 0; v < cut.visits.size(); ++v) {
    VisitShape visit{stages[v], 0, 0};
    for (const std::size_t i : cut.visits[v].main) visit.main_seconds += seconds[i];
    for (const std::size_t i : cut.visits[v].rest) visit.rest_seconds += seconds[i];
    shape.visits.push_back(visit);
    for (const std::size_t i : cut.visits[v].borders) {
      const auto reader = readers.find(std::get<Apply>(body[i].node).results[0]);
      if (reader != readers.end()) borders[{v, reader->second}] += seconds[i];
    }
  }
  for (const auto& [ends, time] : borders) shape.borders.push_back({ends.first, ends.second, time});
  return shape;
}

PipelinePlan plan_pipeline(const Cut& cut, PipelineShape shape, Schedule schedule, std::int64_t microbatches,
                           base::StopToken stop) {
  PipelinePlan plan;
  plan.schedule = schedule;
  plan.microbatches = microbatches;
  plan.meshes = meshes_of(cut);
  plan.shape = std::move(shape);
  plan.warm_ups = warm_ups(plan.shape, schedule, microbatches, stop);
  const Timeline times = timeline(plan.shape, plan.warm_ups, is_late(schedule), microbatches, Overlap::full, stop);
  for (const TimedVisit& visit : times.visits) plan.order.push_back(static_cast<std::uint32_t>(visit.visit));
  plan.makespan = times.makespan;
  plan.bubble = bubble(plan.shape, times);
  return plan;
}

std::vector<ScheduleFigures> compare_schedules(const PipelineShape& shape, std::int64_t microbatches,
                                               base::StopToken stop) {
  std::vector<ScheduleFigures> all;
  for (const Schedule schedule : all_schedules()) {
    const WarmUps own = warm_ups(shape, schedule, microbatches, stop);
    const Timeline times = timeline(shape, own, is_late(schedule), microbatches, Overlap::full, stop);
    all.push_back({schedule, own, period(shape, own, is_late(schedule), stop), times.makespan, bubble(shape, times)});
  }
  return all;
}

std::vector<StageFigures> stage_figures(const PipelineShape& shape) {
  std::vector<StageFigures> all(shape.stages);
  for (std::size_t stage = 0; stage < shape.stages; ++stage) {
    const std::vector<std::size_t> visits = shape.visits_of(stage);
    for (const std::size_t v : visits) {
      (v == visits.front() ? all[stage].forward_seconds : all[stage].backward_seconds) += shape.visits[v].main_seconds;
      all[stage].rest_seconds += shape.visits[v].rest_seconds;
    }
  }
  for (const BorderShape& border : shape.borders) {
    double& longest = all[shape.visits[border.from].stage].border_seconds;
    longest = std::max(longest, border.seconds);
  }
  return all;
}

}  // namespace tessera::synth
