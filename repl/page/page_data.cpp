#include "repl/page/page_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "repl/course/values.hpp"
#include "repl/estimate/estimate_text.hpp"
#include "repl/page/page_moments.hpp"
#include "repl/page/page_parts.hpp"
#include "repl/render/json.hpp"
#include "repl/render/units.hpp"
#include "repl/session/traffic.hpp"

namespace tessera::repl {

namespace {

using nlohmann::json;

constexpr std::size_t kEstimatedStepsMax = 2000;

// The boxes that travel; of a large mesh none.
json moves_of(const Plan& plan, std::size_t index, std::size_t devices) {
  if (devices > static_cast<std::size_t>(kDrawnDevicesMax)) return json::array();
  const auto all = plan.moves(index);
  return all ? drawn_moves(*all) : json::array();
}

// Says who asked for the change and what it was compared with.
std::string why_of(const Redistribution& change) {
  std::string why = fmt::format("Asked for by {} at line {}, column {}{}.", change.who, change.place.line,
                                change.place.column, change.inserted ? "; not written in the program" : "");
  if (change.inserted && change.because) {
    why += fmt::format(" Its layout differs from that at line {}, column {}.", change.because->line,
                       change.because->column);
  }
  if (!change.plan.to_mesh_text().empty()) {
    why += fmt::format(" From mesh {} to mesh {}.", change.plan.mesh_text(), change.plan.to_mesh_text());
  }
  if (change.compared.size() > 1) {
    std::vector<std::string> choices;
    for (const auto& other : change.compared) {
      choices.push_back(fmt::format("{} ({}{})", other.description, bytes_text(other.received_bytes),
                                    other.chosen ? ", chosen" : ""));
    }
    why += fmt::format(" The choices: {}.", fmt::join(choices, "; "));
  }
  return why;
}

Result<json> plan_of(const Plan& plan, std::uint32_t line, const std::string& why) {
  const std::vector<Plan::Step> steps = plan.steps();
  json moments = json::array();
  std::size_t devices = 0;
  for (std::size_t i = 0; i <= steps.size(); ++i) {
    const auto moment = plan.moment(i);
    if (!moment) return moment.diagnostics();
    devices = std::max(devices, moment->devices.size());
    moments.push_back(moment_of(plan.shape(), *moment));
  }
  json drawn = json::array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto traffic = traffic_of(plan, i);
    if (!traffic) return traffic.diagnostics();
    drawn.push_back({{"op", steps[i].op},
                     {"detail", steps[i].detail},
                     {"received_bytes_total", steps[i].received_bytes_total},
                     {"received_bytes_max", steps[i].received_bytes_max},
                     {"peak_bytes", steps[i].peak_bytes},
                     {"hops", traffic->hops},
                     {"stretches", traffic->stretches},
                     {"hop_lines", hop_lines(*traffic)},
                     {"busy", traffic->all.links.size() > 1 ? busy_text(traffic->all) : ""},
                     {"moves", moves_of(plan, i, devices)}});
  }
  json mesh = json::array();
  for (const MeshAxis& axis : plan.mesh()) mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  return json{{"line", line},
              {"why", why},
              {"from", plan.from()},
              {"to", plan.to()},
              {"mesh", std::move(mesh)},
              {"shape", plan.shape()},
              {"received_bytes_total", plan.received_bytes_total()},
              {"lower_bound_bytes_total", plan.lower_bound_bytes_total()},
              {"local_bytes_max", plan.local_bytes_max()},
              {"bound_bytes", plan.bound_bytes()},
              {"peak_bytes", plan.peak_bytes()},
              {"seconds", plan.seconds()},
              {"steps", std::move(drawn)},
              {"moments", std::move(moments)}};
}

Result<json> change_of(const Redistribution& change) { return plan_of(change.plan, change.place.line, why_of(change)); }

// A given array as it lies.
Result<json> array_of(const Binding& binding, const Array& array) {
  PlanRequest request;
  request.mesh = mesh_text(array.mesh());
  request.from = request.to = type_on_its_mesh(array);
  const auto plan = make_plan(request);
  if (!plan) return plan.diagnostics();
  auto drawn = plan_of(*plan, binding.line, fmt::format("{} as it is given.", binding.name));
  if (drawn) (*drawn)["label"] = fmt::format("{}: {}", binding.name, binding.type);
  return drawn;
}

// The local steps that take longest, and the device that the others wait for.
json work_of(std::vector<LocalWork> all) {
  constexpr std::size_t kStepsMax = 20;
  std::stable_sort(all.begin(), all.end(),
                   [](const LocalWork& a, const LocalWork& b) { return a.seconds > b.seconds; });
  json drawn = json::array();
  for (const LocalWork& one : all) {
    if (drawn.size() == kStepsMax) break;
    drawn.push_back({{"line", one.place.line},
                     {"step", one.step},
                     {"seconds", one.seconds},
                     {"slowest", one.slowest},
                     {"fastest_seconds", one.fastest_seconds}});
  }
  return drawn;
}

// The first ones, of few enough visits to be told apart.
json pipelines_of_page(const Program& program) {
  constexpr std::size_t kPipelinesMax = 20;
  constexpr std::size_t kVisitsMax = 4'000;
  json drawn = json::array();
  const auto all = program.pipelines();
  if (!all) return drawn;
  for (const Pipeline& pipeline : *all) {
    if (drawn.size() == kPipelinesMax) break;
    if (pipeline.visits.size() <= kVisitsMax) drawn.push_back(json::parse(to_json(pipeline)));
  }
  return drawn;
}

// Of the devices that are shown; nothing of a single one, which waits for nobody.
json loads_of(const Estimate& estimate) {
  json drawn = json::array();
  if (estimate.loads.size() < 2) return drawn;
  for (const std::int64_t device : shown_devices(std::ssize(estimate.loads))) {
    const DeviceLoad& own = estimate.loads[static_cast<std::size_t>(device)];
    drawn.push_back({{"device", device},
                     {"compute_seconds", own.compute_seconds},
                     {"peak_bytes", own.peak_bytes},
                     {"memory_bytes", own.memory_bytes}});
  }
  return drawn;
}

json shares_of(const Estimate& estimate) {
  json drawn = json::array();
  for (const AxisShares& one : estimate.shares)
    drawn.push_back({{"axis", one.axis}, {"cut", one.cut}, {"weights", one.weights}});
  return drawn;
}

json estimate_of_page(const Program& program, const std::vector<SweptEstimate>& sweep) {
  const auto estimated = estimate(program);
  if (!estimated) return nullptr;
  json data = json::parse(estimate_json(*estimated).dump());
  data["flops_per_second"] = estimated->flops_per_second;
  data["memory_bytes_per_second"] = estimated->memory_bytes_per_second;
  data["loads"] = loads_of(*estimated);
  data["shares"] = shares_of(*estimated);
  data["steps"] = json::array();
  for (const EstimatedStep& one : estimated->steps) {
    if (data["steps"].size() == kEstimatedStepsMax) break;
    data["steps"].push_back({{"line", one.place.line},
                             {"name", one.name},
                             {"times", one.times},
                             {"operations", one.operations},
                             {"memory_bytes", one.memory_bytes},
                             {"received_bytes", one.received_bytes},
                             {"seconds", one.seconds},
                             {"moves", one.moves}});
  }
  data["sweep"] = json::array();
  for (const SweptEstimate& one : sweep) {
    if (!one.estimate) continue;
    data["sweep"].push_back(
        {{"told", one.point.told}, {"seconds", one.estimate->seconds}, {"move_seconds", one.estimate->move_seconds}});
  }
  return data;
}

std::string parts_text(const std::vector<PartsMoved>& parts) {
  if (parts.empty()) return "";
  const auto carried = std::ranges::count(parts, "carry", &PartsMoved::op);
  const auto fetched = std::ssize(parts) - carried;
  std::string text;
  if (fetched > 0)
    text += fmt::format("{} operation{} parts from other devices, ", fetched, fetched == 1 ? " fetches" : "s fetch");
  if (carried > 0) text += fmt::format("{} carr{} sums from tile to tile, ", carried, carried == 1 ? "ies" : "y");
  return text;
}

std::string summary_of(const std::vector<Redistribution>& all, const std::vector<PartsMoved>& parts) {
  std::int64_t received = 0;
  for (const Redistribution& change : all) received += change.plan.received_bytes_total();
  for (const PartsMoved& part : parts) received += part.received_bytes;
  const bool is_most = std::ranges::any_of(parts, &PartsMoved::is_most);
  const bool is_cut = std::max(all.size(), parts.size()) > kDrawnChangesMax;
  return fmt::format("{} change{} of layout, {}{}{} received in all{}.", all.size(), all.size() == 1 ? "" : "s",
                     parts_text(parts), is_most ? "at most " : "", bytes_text(received),
                     is_cut ? fmt::format("; the first {} are drawn", kDrawnChangesMax) : "");
}

json json_lines(std::string_view text) {
  json lines = json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Nothing in the text may look like the end of a script element.
std::string for_script(std::string text) {
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string page_data(std::string_view name, std::string_view text, std::string_view machine, const Program& program,
                      const std::vector<SweptEstimate>& sweep) {
  const std::vector<Redistribution> all = program.redistributions();
  const std::vector<PartsMoved> parts = program.parts_moved();
  json changes = json::array();
  for (const Redistribution& change : all) {
    if (changes.size() == kDrawnChangesMax) break;
    if (auto drawn = change_of(change)) changes.push_back(std::move(*drawn));
  }
  const json data = {{"name", name},
                     {"summary", summary_of(all, parts)},
                     {"machine", machine},
                     {"program", json_lines(text)},
                     {"parts", parts_of_page(program, parts)},
                     {"work", work_of(program.local_work())},
                     {"pipelines", pipelines_of_page(program)},
                     {"estimate", estimate_of_page(program, sweep)},
                     {"changes", changes}};
  return for_script(data.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string lesson_data(const Lesson& lesson, const std::string& title, const Session& given) {
  json arrays = json::array();
  for (const Binding& binding : given.names()) {
    const auto array = given.get(binding.name);
    if (!array || array->shape().empty()) continue;
    if (auto drawn = array_of(binding, *array)) arrays.push_back(std::move(*drawn));
  }
  const json data = {{"name", title},
                     {"summary", ""},
                     {"machine", ""},
                     {"program", json_lines(lesson.given)},
                     {"lesson", {{"text", json_lines(lesson.text)}, {"goal", lesson.goal}}},
                     {"parts", json::array()},
                     {"work", json::array()},
                     {"pipelines", json::array()},
                     {"changes", std::move(arrays)}};
  return for_script(data.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace tessera::repl
