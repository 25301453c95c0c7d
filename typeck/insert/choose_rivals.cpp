// What others would choose for a function: data parallelism, evenly and by speed, shares and layouts in turns, and the
// rules of programs without `auto`. All are priced alike, and none is kept from needing too much memory.
#include <algorithm>
#include <utility>

#include "synth/choose/strategy.hpp"
#include "synth/choose/turns.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/program/shares.hpp"
#include "typeck/insert/choose.hpp"
#include "typeck/layouts/whole.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/moves.hpp"
#include "typeck/typed/unneeded.hpp"

namespace tessera::typeck {

namespace {

using synth::ChoiceProblem;

// The problem on a mesh whose chosen axes have a cut by the speed of their devices: the first cut that they have, or
// one of its own. Nothing where the weights are too large together.
std::optional<ChoiceProblem> with_speed_cuts(ChoiceProblem problem, const synth::Machine& machine) {
  const synth::Mesh& mesh = *problem.mesh;
  const synth::Machine every = synth::with_every_device(machine, mesh.devices_end());
  std::vector<synth::MeshAxis> axes = mesh.axes();
  for (const std::size_t axis : problem.axes) {
    const auto weights = synth::weights_by(synth::DeviceFigure::speed, every, mesh, axis);
    if (!weights) return std::nullopt;
    if (axes[axis].cuts.empty())
      axes[axis].cuts.push_back({"speed", *weights});
    else
      axes[axis].cuts.front().weights = *weights;
  }
  auto made = synth::Mesh::make_on(std::move(axes), mesh.ranges(), mesh.matrix());
  if (!made.ok()) return std::nullopt;
  problem.mesh = std::move(made).value();
  return problem;
}

bool has_even_cuts(const ChoiceProblem& problem) {
  return std::ranges::all_of(
      problem.axes, [&](std::size_t axis) { return problem.mesh->axes()[axis].cuts.front().weights.is_even(); });
}

// Parameters that a result lies as are whole; of the others that are chosen those with the longest first dimension are
// split along it over all axes that are chosen, evenly (cut 0) or by their first cut.
ChoiceProblem data_parallel(const ChosenFunction& own, ChoiceProblem problem, std::uint8_t cut) {
  std::vector<char> is_state(own.is_chosen.size(), 0);
  for (const auto& as : own.results_as) {
    if (as.has_value()) is_state[*as] = 1;
  }
  const auto shape = [&](std::size_t node) -> const Shape& { return problem[*problem.nodes[node].result].shape; };
  const auto rows = [&](std::size_t k) {
    const Shape& extents = shape(own.names[k].problem_node.value());
    return own.is_chosen[k] == 0 || is_state[k] != 0 || extents.size() == 0 ? std::int64_t{0} : extents[0];
  };
  std::int64_t longest = 1;
  for (std::size_t k = 0; k < is_state.size(); ++k) longest = std::max(longest, rows(k));
  for (std::size_t k = 0; k < is_state.size(); ++k) {
    if (own.is_chosen[k] == 0) continue;
    const std::size_t node = own.names[k].problem_node.value();
    std::vector<AxisList> splits(shape(node).size());
    for (const std::size_t axis : problem.axes) {
      if (rows(k) != longest) continue;
      splits[0].push_back(synth::whole_axis(*problem.mesh, axis));
      splits[0].back().cut = cut;
    }
    auto layout = Layout::make(*problem.mesh, std::move(splits));
    if (layout.ok()) problem.nodes[node].pin = std::move(layout).value();
  }
  return problem;
}

// The seconds to a layout that is finished, where a value is not: the shortest way.
std::optional<double> seconds_to_finish(const ArrayType& type, const std::vector<std::size_t>& axes,
                                        synth::PlanCache& cache, base::StopToken stop) {
  if (type.layout().pending().empty()) return 0.0;
  const synth::SpaceOf space{type.mesh(), axes, {}};
  std::optional<double> least;
  for (const Layout& layout : synth::layouts_of(space, {type.element(), type.shape()}, {})) {
    const auto to = type.with_layout(layout);
    if (!to.ok()) continue;
    const auto plan = cache.get(type, *to, {}, stop);
    if (plan.ok() && (!least || (*plan)->seconds < *least)) least = (*plan)->seconds;
  }
  return least;
}

}  // namespace

ChosenFunction::Rival Choosing::by_rules(open::InstanceId callee, const std::vector<ArrayType>& types) {
  ChosenFunction::Rival rival{"greedy", std::nullopt, {}};
  CheckOptions options = in_.options_;
  options.text_after.reset();
  options.reshard = ReshardPolicy::silent;
  Messages unheard;
  Inserter inner(in_.program_, in_.sources_, in_.environment_, in_.plans_.cache(), options, unheard);
  inner.is_by_rules_ = true;
  set_apart(inner);
  const auto instance = inner.close(callee, types, in_.program_.instances[callee].defined_at);
  in_.spent_ = inner.spent_;
  if (!instance.has_value() || unheard.failed()) return rival;
  drop_unneeded(inner.typed_);
  const Instance& made = inner.typed_.instances[*instance];
  const BodySeconds total = body_seconds(inner.typed_, made.body, in_.plans_.machine());
  double seconds = total.local + total.moves;
  // A result that lies as a parameter is brought there, and any other one is finished.
  const auto& function = *in_.program_.instances[callee].chosen;
  for (std::size_t k = 0; k < made.body.results.size(); ++k) {
    const ArrayType& result = inner.type(made.body.results[k]);
    if (!function.results_as[k].has_value()) {
      const auto more = seconds_to_finish(result, function.axes, in_.plans_.cache(), in_.options_.stop);
      if (!more.has_value()) return rival;
      seconds += *more;
      continue;
    }
    const auto back = in_.plans_.cache().get(result, types[*function.results_as[k]], {}, in_.options_.stop);
    if (!back.ok()) return rival;
    seconds += (*back)->seconds;
  }
  rival.seconds = seconds;
  const auto alone = lower_alone(inner.typed_, made.body, in_.options_.stop);
  if (alone.has_value() && in_.options_.device_peaks) rival.peak_bytes = in_.options_.device_peaks(alone->program);
  return rival;
}

std::vector<ChosenFunction::Rival> Choosing::rivals_of(open::InstanceId callee, const std::vector<ArrayType>& types,
                                                       const ChosenFunction& own, const WholeFunction& whole,
                                                       ChosenProblem& chosen) {
  synth::PlanCache& cache = in_.plans_.cache();
  const base::StopToken stop = in_.options_.stop;
  ChoiceProblem free = *own.problem;
  free.lives.clear();
  const auto choose = [&](const std::string& name, const ChoiceProblem& problem) {
    return rival(name, whole, chosen, problem, synth::choose(problem, cache, {}, stop));
  };
  std::vector<ChosenFunction::Rival> all = {choose("data", data_parallel(own, free, 0))};
  const auto cut = with_speed_cuts(free, in_.plans_.machine());
  ChosenFunction::Rival data_speed{"data-speed", std::nullopt, {}};
  ChosenFunction::Rival hap{"hap", std::nullopt, {}};
  const bool has_one_axis = free.axes.size() == 1;
  if (cut && has_even_cuts(*cut)) {
    data_speed = {data_speed.name, all[0].seconds, all[0].peak_bytes};
    if (has_one_axis) hap = choose(hap.name, free);
  } else if (cut) {
    data_speed = choose(data_speed.name, data_parallel(own, *cut, 1));
    auto turns = has_one_axis ? synth::choose_in_turns(*cut, {cut->axes[0], 1}, cache, {}, stop)
                              : base::Result<synth::WeightedChoice>(synth::WeightedChoice{});
    if (has_one_axis && turns.ok())
      hap = rival(hap.name, whole, chosen, std::move(turns->problem), std::move(turns->choice));
  }
  stop.look();
  all.push_back(std::move(data_speed));
  all.push_back(std::move(hap));
  all.push_back(by_rules(callee, types));
  return all;
}

}  // namespace tessera::typeck
