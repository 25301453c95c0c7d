// Choices within the memory of devices. The choice counts bytes by the lives of values; the plan of a run's memory,
// which takes steps together and lays arrays into the place of others, is the judge, where whoever checks hands it
// over.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units_text.hpp"
#include "synth/choose/choose.hpp"
#include "synth/program/choice/memory.hpp"
#include "typeck/insert/choose.hpp"
#include "typeck/insert/chosen.hpp"
#include "typeck/layouts/chosen.hpp"
#include "typeck/layouts/chosen_lives.hpp"
#include "typeck/layouts/whole.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::typeck {

namespace {

constexpr std::size_t kHoldingsTold = 3;
constexpr int kSharesTried = 4;
constexpr double kLess = 0.99;

// The expression that makes a value of a problem; of one that stands for several the first.
Span span_of_value(const WholeFunction& whole, const ChosenProblem& chosen, synth::ChoiceValueId value) {
  for (auto body = chosen.bodies.rbegin(); body != chosen.bodies.rend(); ++body) {
    for (const auto& [key, own] : (*body)->values) {
      if (own.value == value && whole.typed.nodes[key.first].span.known()) return whole.typed.nodes[key.first].span;
    }
  }
  return {};
}

// The largest of what devices need over what they have.
double largest_need(const std::vector<std::int64_t>& needed, const std::vector<std::int64_t>& limits) {
  double most = 0;
  for (std::size_t device = 0; device < std::min(needed.size(), limits.size()); ++device) {
    if (limits[device] > 0)
      most = std::max(most, static_cast<double>(needed[device]) / static_cast<double>(limits[device]));
  }
  return most;
}

}  // namespace

synth::ChooseOptions Choosing::search_options() const {
  synth::ChooseOptions search;
  search.sweeps = in_.options_.choose.sweeps;
  return search;
}

base::Result<synth::LayoutChoice> Choosing::choose_within(const open::Instance& function, const WholeFunction& whole,
                                                          ChosenProblem& chosen) {
  auto fastest = synth::choose(chosen.problem, in_.plans_.cache(), search_options(), in_.options_.stop);
  const bool is_limited = !synth::memory_limits(in_.plans_.machine(), *chosen.problem.mesh).empty();
  if (!fastest.ok() || !is_limited) return fastest;
  chosen.problem.lives = lives_of(whole, chosen);
  if (in_.options_.device_peaks && need_of(whole, chosen, *fastest) <= 1) return fastest;
  double need = 0;
  auto within = choose_by_memory(whole, chosen, std::move(fastest).value(), need);
  if (within.ok() && need > 1) report_shortage(function, whole, chosen, *within);
  return within;
}

// What a run needs beyond what was counted is taken from what there is, and the choice made again.
base::Result<synth::LayoutChoice> Choosing::choose_by_memory(const WholeFunction& whole, const ChosenProblem& chosen,
                                                             synth::LayoutChoice fastest, double& need) {
  const double bound_seconds = fastest.bound_seconds;
  synth::LayoutChoice best = std::move(fastest);
  synth::ChooseOptions search = search_options();
  for (int tried = 0; tried < kSharesTried; ++tried) {
    TESSERA_TRY(choice, synth::choose(chosen.problem, in_.plans_.cache(), search, in_.options_.stop));
    const double own = need_of(whole, chosen, choice);
    const bool is_least = tried == 0 || own < need;
    const bool is_lacking = choice.shortage.has_value();
    if (is_least) best = std::move(choice);
    if (is_least) need = own;
    if (own <= 1 || is_lacking) break;
    search.memory_share *= kLess / own;
  }
  // The choice bounds programs that fit as it counts. Others may fit as a run counts, so only what bounds them all
  // holds.
  if (in_.options_.device_peaks && best.bound_seconds > bound_seconds) {
    best.bound_seconds = bound_seconds;
    best.proof = synth::ChoiceProof::limit;
  }
  return best;
}

std::optional<std::vector<std::int64_t>> Choosing::planned_peaks(const WholeFunction& whole,
                                                                 const ChosenProblem& chosen,
                                                                 const synth::LayoutChoice& choice) {
  if (!in_.options_.device_peaks) return std::nullopt;
  CheckOptions options = in_.options_;
  options.text_after.reset();
  options.reshard = ReshardPolicy::silent;
  Messages unheard;
  Inserter inner(in_.program_, in_.sources_, in_.environment_, in_.plans_.cache(), options, unheard);
  WholeFunction own = whole;
  for (auto& [node, outside] : own.outside) {
    const Node& there = in_.typed_.nodes[outside];
    outside = inner.typed_.nodes.add(Node{there.span, there.types, Input{}});
  }
  const InstanceId made = ChosenInserter(inner, own, chosen, choice, "", {}).run();
  const auto alone = lower_alone(inner.typed_, inner.typed_.instances[made].body, in_.options_.stop);
  if (!alone.has_value()) return std::nullopt;
  return in_.options_.device_peaks(alone->program);
}

double Choosing::need_of(const WholeFunction& whole, const ChosenProblem& chosen, const synth::LayoutChoice& choice) {
  const synth::Mesh& mesh = *chosen.problem.mesh;
  const std::vector<std::int64_t> limits = synth::memory_limits(in_.plans_.machine(), mesh);
  const auto planned = planned_peaks(whole, chosen, choice);
  if (!planned) return largest_need(synth::MemoryUse(chosen.problem, choice).peaks(), limits);
  std::vector<std::int64_t> needed;
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    const std::size_t number = mesh.device_of_run(device).value;
    needed.push_back(number < planned->size() ? (*planned)[number] : 0);
  }
  return largest_need(needed, limits);
}

// The layouts are kept all the same: a run that needs too much is refused.
void Choosing::report_shortage(const open::Instance& function, const WholeFunction& whole, const ChosenProblem& chosen,
                               const synth::LayoutChoice& choice) {
  const synth::MemoryUse use(chosen.problem, choice);
  const std::vector<std::int64_t> limits = synth::memory_limits(in_.plans_.machine(), *chosen.problem.mesh);
  const std::vector<std::int64_t> peaks = use.peaks();
  std::size_t worst = 0;
  for (std::size_t device = 0; device < limits.size(); ++device) {
    const auto lack = [&](std::size_t own) {
      return limits[own] > 0 ? peaks[own] - limits[own] : std::int64_t{-1} << 62;
    };
    if (lack(device) > lack(worst)) worst = device;
  }
  std::string why = fmt::format("device {} has {}; the least that was found is {}",
                                chosen.problem.mesh->device_of_run(static_cast<std::int64_t>(worst)).value,
                                base::exact_bytes_text(limits[worst]), base::exact_bytes_text(peaks[worst]));
  if (choice.shortage && choice.shortage->device == worst && choice.shortage->least_bytes > limits[worst])
    why += fmt::format(", and none need less than {}", base::exact_bytes_text(choice.shortage->least_bytes));
  auto report = base::make(Kind::auto_memory, function.name, why).at(function.name_span);
  const auto device = static_cast<std::int64_t>(worst);
  const std::vector<std::int64_t> held = use.of_device(device);
  const auto moment = static_cast<std::size_t>(std::ranges::max_element(held) - held.begin());
  const auto holdings = use.holdings(moment, device);
  for (std::size_t k = 0; k < std::min(holdings.size(), kHoldingsTold); ++k) {
    const Span span = span_of_value(whole, chosen, holdings[k].value);
    if (!span.known()) continue;
    report = std::move(report).also(span, fmt::format("this takes {}", base::exact_bytes_text(holdings[k].bytes)));
  }
  in_.report(std::move(report).suggest(
      "take more devices, or fewer rows at a time; `again { .. }` around what a gradient need not keep; on devices of "
      "unequal memory a mesh whose axis is cut by it, `[d: 8 work(memory)]`"));
}

// A choice for the same nodes, maybe on a mesh with other weights.
ChosenFunction::Rival Choosing::rival(std::string name, const WholeFunction& whole, ChosenProblem& chosen,
                                      synth::ChoiceProblem problem, base::Result<synth::LayoutChoice> choice) {
  ChosenFunction::Rival made{std::move(name), std::nullopt, {}};
  if (!choice.ok()) return made;
  made.seconds = choice->seconds;
  std::swap(chosen.problem, problem);
  made.peak_bytes = planned_peaks(whole, chosen, *choice).value_or(std::vector<std::int64_t>());
  std::swap(chosen.problem, problem);
  return made;
}

}  // namespace tessera::typeck
