// Plans made by hand: right data first, then the scores against par.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "repl/course/checks/checks.hpp"
#include "repl/course/checks/score.hpp"
#include "repl/course/crossing.hpp"
#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

// Every step of the answer, with its plan and place in it.
struct TakenStep {
  const Redistribution* change;
  std::size_t index;
  Plan::Step step;
};

std::vector<TakenStep> steps_of(const Costs& costs) {
  std::vector<TakenStep> all;
  for (const Redistribution& change : costs.changes) {
    const std::vector<Plan::Step> steps = change.plan.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) all.push_back({&change, i, steps[i]});
  }
  return all;
}

std::string whole_step(const Plan::Step& step) {
  return step.detail.empty() ? step.op : fmt::format("{} {}", step.op, step.detail);
}

// One device before and after a step: the one that holds most afterwards.
std::string step_on_a_device(const TakenStep& taken) {
  const auto before = taken.change->plan.moment(taken.index);
  const auto after = taken.change->plan.moment(taken.index + 1);
  if (!before || !after) return "";
  const auto larger = [](const Plan::Holding& a, const Plan::Holding& b) { return a.bytes < b.bytes; };
  const auto most = std::max_element(after->devices.begin(), after->devices.end(), larger);
  const Plan::Holding* held = held_by(*before, most->device);
  const Plan::Holding first = held == nullptr ? Plan::Holding{most->box, 0} : *held;
  return fmt::format("In `{}` {} goes from {} ({} bytes) to {} ({} bytes) and receives {} bytes.\n",
                     whole_step(taken.step), device_text(*after, *most),
                     held == nullptr ? "nothing" : box_text(first.box), first.bytes, box_text(most->box), most->bytes,
                     most->received_bytes);
}

std::string all_steps(const std::vector<TakenStep>& steps) {
  std::string text;
  for (const TakenStep& taken : steps) text += step_on_a_device(taken);
  return text;
}

bool is_in(const std::string& list, const std::string& word) {
  const std::vector<std::string> words = parts_of(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The settings that restrict which steps may be taken.
Verdict allowed_steps(const Check& check, const std::vector<TakenStep>& steps) {
  const std::string only = check.value("only");
  for (const TakenStep& taken : steps) {
    // A collective of the language asks for one step, of its own name.
    if (check.find("by-hand") != nullptr && taken.change->who != "`" + taken.step.op + "`") {
      return wrong(
          fmt::format("Here each step is to be written by hand, as a collective; {} leaves it to the planner.\n{}",
                      taken.change->who, step_on_a_device(taken)));
    }
    if (!only.empty() && !is_in(only, taken.step.op)) {
      return wrong(fmt::format("`{}` is not among the steps of this lesson, which are: {}.\n{}", taken.step.op, only,
                               step_on_a_device(taken)));
    }
  }
  for (const std::string& needed : parts_of(check.value("uses"), ',')) {
    const auto is_it = [&](const TakenStep& taken) { return taken.step.op == needed; };
    if (std::any_of(steps.begin(), steps.end(), is_it)) continue;
    return wrong(fmt::format("The data are right, but this lesson is about `{}`, and yours takes none.\n{}", needed,
                             all_steps(steps)));
  }
  return {};
}

// `x:4 on (2:3,3:4)`: with the devices of the run that the array's mesh lies on.
std::string mesh_on_devices(const Array& array) {
  std::vector<std::string> devices;
  for (std::int64_t d = 0; d < array.devices(); ++d)
    devices.push_back(fmt::format("{}:{}", array.device_of_run(d), array.device_of_run(d) + 1));
  const std::string list = fmt::format("{}", fmt::join(devices, ","));
  return mesh_text(array.mesh()) + " on " + (devices.size() == 1 ? list : "(" + list + ")");
}

// The planner's own plan between two arrays of the answer, perhaps on two meshes.
Result<Plan> par_plan(const Array& from, const Array& to, const Check& check) {
  PlanRequest request;
  request.mesh = mesh_text(from.mesh());
  if (mesh_on_devices(from) != mesh_on_devices(to)) {
    request.mesh = mesh_on_devices(from);
    request.to_mesh = mesh_on_devices(to);
  }
  request.from = type_on_its_mesh(from);
  request.to = type_on_its_mesh(to);
  request.collectives_only = check.value("planner") == "collectives";
  return make_plan(request);
}

std::string worst_step(const std::vector<TakenStep>& steps) {
  const auto worse = [](const TakenStep& a, const TakenStep& b) {
    return std::pair(a.step.received_bytes_total, a.step.peak_bytes) <
           std::pair(b.step.received_bytes_total, b.step.peak_bytes);
  };
  const auto worst = std::max_element(steps.begin(), steps.end(), worse);
  return worst == steps.end() ? "" : step_on_a_device(*worst);
}

// Names the score that must be at par, if it is one of a list; nothing if any of them will do.
Verdict scored(const Costs& costs, const Plan& plan, const std::optional<std::string>& must,
               const std::vector<TakenStep>& steps) {
  const Score own = score_of(costs);
  const Score par = score_of(plan);
  const std::string scores = score_text(own, par);
  const auto over_par = [&](std::string reply) {
    Verdict verdict = wrong(std::move(reply));
    verdict.scores = score_lines(own, par);
    return verdict;
  };
  const std::string over = must ? first_over_par(own, par, *must) : "";
  if (!over.empty()) {
    return over_par(fmt::format("The data are right, but `{}` is over par, the planner's own plan:\n{}{}", over, scores,
                                worst_step(steps)));
  }
  if (!must && scores_at_par(own, par) == 0) {
    return over_par(fmt::format("The data are right, but every score is over par, the planner's own plan:\n{}{}",
                                scores, worst_step(steps)));
  }
  return {Outcome::right, scores, score_lines(own, par)};
}

// A change of layout is asked for. Elements that are typed anew, and parts that `update` and the like fetch, are none.
Verdict comes_from(const Trial& trial, const Costs& costs, const std::string& from, const std::string& to) {
  const std::vector<std::string> words = words_of(trial.attempt.program({to}));
  const auto target = trial.shown.get(to);
  const std::string picture = target ? target->picture() : "";
  if (std::find(words.begin(), words.end(), from) == words.end()) {
    return wrong(
        fmt::format("`{}` is not made of `{}`: it is to come from it by changes of layout.\n{}", to, from, picture));
  }
  if (costs.parts.empty()) return {};
  const PartsMoved& first = costs.parts.front();
  return wrong(
      fmt::format("`{}` takes parts that {} fetches from other devices, {} bytes in all: it is to come from "
                  "`{}` by changes of layout.\n{}",
                  to, first.who, first.received_bytes, from, picture));
}

Verdict bad_scores(const Check& check) {
  const std::string unknown = unknown_score(check.value("par"));
  if (unknown.empty()) return {};
  return unfit(fmt::format("check {}, par", name(check.kind)), fmt::format("there is no score `{}`", unknown),
               check.find("par")->line);
}

// No more bytes may come into a node than in the change that the lesson names.
Verdict crossed(const Trial& trial, const Check& check, const Costs& costs) {
  const Setting* setting = check.find("crossing");
  if (setting == nullptr) return {};
  const auto asked = read_crossing(setting->value);
  if (!asked.value) return unfit("check plan, crossing", asked.why, setting->line);
  const auto par = changes_of(trial.judged, asked.value->change);
  if (!par.value) return unfit("check plan, crossing", par.why, setting->line);
  std::vector<Plan> own;
  for (const Redistribution& change : costs.changes) own.push_back(change.plan);
  const std::int64_t most = crossing_bytes(*par.value, asked.value->node_devices);
  const std::int64_t bytes = crossing_bytes(own, asked.value->node_devices);
  if (bytes <= most) return {};
  return wrong(fmt::format("The data are right, but {} bytes come into a node of {} devices, and {} would do.\n{}",
                           bytes, asked.value->node_devices, most, all_steps(steps_of(costs))));
}

Verdict judged_plan(const Trial& trial, const Check& check, const std::optional<std::string>& must) {
  const std::string from = check.value("from");
  const std::string to = check.value("to");
  if (Verdict bad = bad_scores(check); bad.outcome != Outcome::right) return bad;
  if (Verdict data = has_elements(trial, to, from); data.outcome != Outcome::right) return data;
  const Costs costs = costs_of(trial, {to});
  if (Verdict made = comes_from(trial, costs, from, to); made.outcome != Outcome::right) return made;
  const std::vector<TakenStep> steps = steps_of(costs);
  if (Verdict steps_allowed = allowed_steps(check, steps); steps_allowed.outcome != Outcome::right) {
    return steps_allowed;
  }
  if (Verdict few = crossed(trial, check, costs); few.outcome != Outcome::right) return few;
  const auto source = trial.judged.get(from);
  const auto par = par_plan(*source, *trial.judged.get(to), check);
  if (!par) return unfit(fmt::format("check {}", name(check.kind)), message_of(par.diagnostics()));
  return scored(costs, *par, must, steps);
}

// Does a change of layout begin at one type, and one end at the other?
bool is_made_of(const Costs& costs, const std::string& from, const std::string& to) {
  const auto& all = costs.changes;
  return std::any_of(all.begin(), all.end(), [&](const Redistribution& one) { return one.plan.from() == from; }) &&
         std::any_of(all.begin(), all.end(), [&](const Redistribution& one) { return one.plan.to() == to; });
}

}  // namespace

Verdict check_plan(const Trial& trial, const Check& check) {
  if (Verdict typed = has_type(trial, check.value("to"), check.value("type")); typed.outcome != Outcome::right) {
    return typed;
  }
  return judged_plan(trial, check, check.value("par", "bytes"));
}

Verdict check_golf(const Trial& trial, const Check& check) {
  const std::string from = check.value("from");
  const std::string to = check.value("to");
  const auto source = trial.judged.get(from);
  const auto target = trial.judged.get(to);
  if (!source || !target) return unfit("check golf", "it needs arrays");
  if (mesh_text(source->mesh()) != mesh_text(target->mesh())) {
    return wrong(
        fmt::format("`{}` and `{}` live on two meshes; golf is played on one.\n{}", from, to, target->picture()));
  }
  if (source->type() == target->type()) {
    return wrong(fmt::format("`{}` and `{}` have one layout, {}: there is nothing to do.\n{}", from, to, source->type(),
                             source->picture()));
  }
  if (!is_made_of(costs_of(trial, {to}), type_on_its_mesh(*source), type_on_its_mesh(*target))) {
    return wrong(fmt::format("`{}` is not `{}` in another layout: no change of layout leads from {} to {}.\n{}", to,
                             from, source->type(), target->type(), target->picture()));
  }
  const Setting* must = check.find("par");
  return judged_plan(trial, check, must == nullptr ? std::nullopt : std::optional(must->value));
}

}  // namespace tessera::repl
