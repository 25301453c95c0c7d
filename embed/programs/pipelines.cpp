#include "embed/programs/pipelines.hpp"

#include <set>
#include <utility>

#include "embed/host/convert.hpp"
#include "runtime/memory/device_peaks.hpp"
#include "synth/program/schedule/timeline.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/pipelines.hpp"

namespace tessera::embed {

namespace {

std::vector<Pipeline::DevicePeak> peaks_on(const synth::Mesh& mesh, const std::vector<std::int64_t>& bytes) {
  std::vector<Pipeline::DevicePeak> all;
  for (std::int64_t d = 0; d < mesh.devices(); ++d) {
    const std::size_t device = mesh.device_of_run(d).value;
    all.push_back({static_cast<std::int64_t>(device), device < bytes.size() ? bytes[device] : 0});
  }
  return all;
}

std::vector<Pipeline::Stage> stages_of_pipeline(const synth::PipelinePlan& plan,
                                                const std::vector<std::int64_t>& bytes) {
  std::vector<Pipeline::Stage> stages;
  const std::vector<synth::StageFigures> figures = synth::stage_figures(plan.shape);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    stages.push_back({synth::print(*plan.meshes[i]), figures[i].forward_seconds, figures[i].backward_seconds,
                      figures[i].rest_seconds, figures[i].border_seconds, plan.warm_ups[i],
                      peaks_on(*plan.meshes[i], bytes)});
  }
  return stages;
}

std::vector<Pipeline::Schedule> schedules_of_pipeline(const synth::PipelinePlan& plan) {
  std::vector<Pipeline::Schedule> schedules;
  for (const synth::ScheduleFigures& one : synth::compare_schedules(plan.shape, plan.microbatches)) {
    schedules.push_back({std::string(synth::name(one.schedule)), one.warm_ups, one.period, one.makespan, one.bubble});
  }
  return schedules;
}

void add_timeline(Pipeline& pipeline, const synth::PipelinePlan& plan) {
  const synth::Timeline times =
      synth::timeline(plan.shape, plan.warm_ups, synth::is_late(plan.schedule), plan.microbatches);
  for (const synth::TimedVisit& one : times.visits) {
    pipeline.visits.push_back({static_cast<std::int64_t>(plan.shape.visits[one.visit].stage),
                               static_cast<std::int64_t>(one.visit), one.microbatch, one.begin, one.end});
  }
  for (const synth::TimedBorder& one : times.borders) {
    const synth::BorderShape& border = plan.shape.borders[one.border];
    pipeline.borders.push_back({static_cast<std::int64_t>(border.from), static_cast<std::int64_t>(border.to),
                                one.microbatch, one.begin, one.end});
  }
}

}  // namespace

Result<std::vector<Pipeline>> pipelines_of(const Program::Impl& program) {
  std::vector<typeck::FoundPipeline> found;
  std::set<const synth::PipelinePlan*> seen;
  for (const typeck::TypedStatement& statement : program.typed->statements) {
    for (const typeck::FoundPipeline& one : typeck::pipelines(*program.typed, statement.region)) {
      if (seen.insert(one.plan).second) found.push_back(one);
    }
  }
  if (found.empty()) return std::vector<Pipeline>();
  const auto lowered = typeck::lower(*program.typed, typeck::Keep::bound_names);
  if (!lowered) return to_public(*program.texts, lowered.errors());
  const typeck::PeaksByPlace peaks = typeck::peaks_by_place(*lowered, runtime::pipeline_peaks(lowered->program));
  std::vector<Pipeline> all;
  for (const typeck::FoundPipeline& one : found) {
    const auto known = peaks.find(one.span);
    const std::vector<std::int64_t> bytes = known == peaks.end() ? std::vector<std::int64_t>() : known->second;
    Pipeline pipeline{one.span.known() ? place(*program.texts, one.span) : Place{},
                      std::string(synth::name(one.plan->schedule)),
                      one.plan->microbatches,
                      stages_of_pipeline(*one.plan, bytes),
                      schedules_of_pipeline(*one.plan),
                      {},
                      {}};
    add_timeline(pipeline, *one.plan);
    all.push_back(std::move(pipeline));
  }
  return all;
}

}  // namespace tessera::embed
