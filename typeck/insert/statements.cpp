// Statements that say what a program moves.
#include <fmt/format.h>

#include "synth/layout/cluster/machine_text.hpp"
#include "synth/planner/text/print_text.hpp"
#include "typeck/insert/inserter.hpp"
#include "typeck/typed/local_work.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/pipeline_text.hpp"
#include "typeck/typed/pipelines.hpp"
#include "typeck/typed/plan_text.hpp"

namespace tessera::typeck {

namespace {

PeaksByPlace peaks_of_pipelines(const Typed& typed, const Region& region, const CheckOptions& options) {
  if (!options.pipeline_peaks || pipelines(typed, region).empty()) return {};
  const auto alone = lower_alone(typed, region, options.stop, options.steps_max);
  if (!alone.has_value()) return {};
  return peaks_by_place(*alone, options.pipeline_peaks(alone->program));
}

}  // namespace

synth::PlanWords Inserter::plan_words() const {
  const auto print_mesh = [this](const synth::Mesh& mesh) {
    const NamedMesh* const named = environment_.name_of(mesh, moment_);
    return named == nullptr ? synth::print(mesh) : fmt::format("{} ({})", named->name, synth::print(mesh));
  };
  return {print_mesh, environment_.default_mesh(moment_), &plans_.machine()};
}

std::string Inserter::plan_statement_text(const Region& scratch) {
  const PeaksByPlace peaks = peaks_of_pipelines(typed_, scratch, options_);
  std::string text = pipeline_text(typed_, scratch, sources_, options_.first_line, peaks, options_.stop);
  text += plan_text(typed_, scratch, sources_, options_.first_line, plan_words());
  std::string work = local_work_text(local_work(typed_, scratch, plans_.machine()), sources_, options_.first_line);
  if (!work.empty()) work.pop_back();  // the line end is the printer's
  if (!work.empty()) text += "\n" + work;
  if (plans_.machine().levels.empty() && !redistributions(typed_, scratch).empty())
    text += fmt::format("\n{}; a machine file gives others", synth::modelled_text(plans_.machine()));
  return text;
}

// The region is only read: nothing of it runs.
void Inserter::insert(open::ValueId, const open::Node& node, const open::PlanText& body) {
  Region scratch;
  const auto results = in_region(scratch, [&] {
    region(body.region);
    return held(body.region.results);
  });
  if (!node.is_complete || !results.has_value()) return;
  for (const Held& result : *results) scratch.results.push_back(result.node());
  const synth::StringId text = typed_.strings.add(plan_statement_text(scratch));
  emit(node.span, {}, Compute{synth::PrintText{text}, {}, 0, {}});
}

}  // namespace tessera::typeck
