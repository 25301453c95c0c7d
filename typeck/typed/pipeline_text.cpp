#include "typeck/typed/pipeline_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/units_text.hpp"
#include "synth/program/schedule/timeline.hpp"
#include "synth/program/schedule/warm_ups.hpp"
#include "typeck/typed/place_text.hpp"

namespace tessera::typeck {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Columns as wide as their widest entries.
std::string table(const Rows& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format(" {:<{}}", row[c], widths[c] + 1);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// The most that is alive on a device of the mesh.
std::int64_t peak_on(const synth::Mesh& mesh, const std::vector<std::int64_t>& peaks) {
  std::int64_t most = 0;
  for (std::int64_t device = 0; device < mesh.devices(); ++device)
    most = std::max(most, peaks.at(mesh.device_of_run(device).value));
  return most;
}

std::string stages_table(const synth::PipelinePlan& plan, const std::vector<std::int64_t>* peaks) {
  Rows rows = {{"stage", "mesh", "forward", "backward", "rest", "border", "in flight"}};
  if (peaks != nullptr) rows.front().emplace_back("peak");
  const std::vector<synth::StageFigures> figures = synth::stage_figures(plan.shape);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string mesh = synth::print(*plan.meshes[i]);
    rows.push_back({fmt::format("{}", i), mesh.empty() ? "one device" : mesh,
                    base::seconds_text(figures[i].forward_seconds), base::seconds_text(figures[i].backward_seconds),
                    base::seconds_text(figures[i].rest_seconds), base::seconds_text(figures[i].border_seconds),
                    fmt::format("{}", plan.warm_ups[i])});
    if (peaks != nullptr) rows.back().push_back(base::bytes_text(peak_on(*plan.meshes[i], *peaks)));
  }
  return table(rows);
}

std::string schedules_table(const synth::PipelinePlan& plan, base::StopToken stop) {
  Rows rows = {{"schedule", "in flight", "period", "makespan", "bubble"}};
  for (const synth::ScheduleFigures& one : synth::compare_schedules(plan.shape, plan.microbatches, stop)) {
    const bool fills = std::all_of(one.warm_ups.begin(), one.warm_ups.end(),
                                   [&](std::int64_t warm_up) { return warm_up >= plan.microbatches; });
    rows.push_back({fmt::format("{}{}", synth::name(one.schedule), one.schedule == plan.schedule ? " *" : ""),
                    fmt::format("{}", fmt::join(one.warm_ups, " ")), fills ? "-" : base::seconds_text(one.period),
                    base::seconds_text(one.makespan), fmt::format("{:.1f}%", one.bubble * 100)});
  }
  return table(rows);
}

// A row for each stage, a column for each stretch of time: the microbatch that has most of it, a digit in the stage's
// first visit, a letter in the others.
std::string picture(const synth::PipelinePlan& plan, base::StopToken stop) {
  constexpr std::size_t kColumns = 96;
  const synth::Timeline times = synth::timeline(plan.shape, plan.warm_ups, synth::is_late(plan.schedule),
                                                plan.microbatches, synth::Overlap::full, stop);
  if (times.makespan <= 0) return "";
  std::vector<std::string> rows(plan.shape.stages, std::string(kColumns, '.'));
  std::vector<std::vector<double>> most(plan.shape.stages, std::vector<double>(kColumns, 0.0));
  const double column = times.makespan / static_cast<double>(kColumns);
  for (const synth::TimedVisit& visit : times.visits) {
    const std::size_t stage = plan.shape.visits[visit.visit].stage;
    const bool is_first = plan.shape.visits_of(stage).front() == visit.visit;
    const char glyph = static_cast<char>((is_first ? '0' : 'a') + visit.microbatch % 10);
    for (auto c = static_cast<std::size_t>(visit.begin / column); c < kColumns; ++c) {
      const double begin = column * static_cast<double>(c);
      const double covered = std::min(visit.end, begin + column) - std::max(visit.begin, begin);
      if (begin >= visit.end) break;
      if (covered <= std::max(most[stage][c], column * 0.25)) continue;
      most[stage][c] = covered;
      rows[stage][c] = glyph;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) text += fmt::format("  {} |{}|\n", i, rows[i]);
  return text;
}

}  // namespace

std::string pipeline_text(const Typed& typed, const Region& region, const base::SourceMap& sources,
                          const std::function<std::uint32_t(base::SourceId)>& first_line, const PeaksByPlace& peaks,
                          base::StopToken stop) {
  std::string text;
  for (const FoundPipeline& found : pipelines(typed, region)) {
    const synth::PipelinePlan& plan = *found.plan;
    const auto known = peaks.find(found.span);
    text += fmt::format("pipeline of {} microbatches on {} stages by {}{}\n", plan.microbatches, plan.shape.stages,
                        synth::name(plan.schedule), place(sources, first_line, found.span));
    text += stages_table(plan, known == peaks.end() ? nullptr : &known->second);
    text += schedules_table(plan, stop) + picture(plan, stop);
  }
  return text;
}

}  // namespace tessera::typeck
