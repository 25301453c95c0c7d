#include "repl/course/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "repl/course/count_layouts.hpp"
#include "repl/course/crossing.hpp"
#include "repl/estimate/estimate_text.hpp"

namespace tessera::repl {

namespace {

enum class Measure : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_MEASURES(MEMBER)
#undef MEMBER
};

struct Asked {
  Measure measure = Measure::tile;
  std::string subject;
};

// Nothing for an expression of the language.
std::optional<Asked> read_measure(std::string_view text) {
  const auto matches = [&](std::string_view name) { return text.starts_with(std::string(name) + " of "); };
#define MATCH(identifier, name) \
  if (matches(name))            \
    return Asked{Measure::identifier, std::string(trimmed(text.substr(std::string_view(name).size() + 4)))};
  TESSERA_MEASURES(MATCH)
#undef MATCH
  return std::nullopt;
}

Read<Fact> nothing(std::string why) { return {std::nullopt, std::move(why)}; }

// An array and one of its devices.
struct TileOfDevice {
  std::string name;
  Array array;
  std::int64_t device = 0;
};

Read<TileOfDevice> read_held(const Session& session, std::string_view subject) {
  const std::size_t on = subject.find(" on ");
  const std::string name(trimmed(subject.substr(0, on)));
  const auto array = value_of(session, name);
  if (!array.value) return {std::nullopt, array.why};
  if (on == std::string_view::npos) return {TileOfDevice{name, *array.value, 0}, {}};
  const auto device = device_at(array.value->mesh(), subject.substr(on + 4));
  if (!device) return {std::nullopt, fmt::format("the mesh has no device `{}`", trimmed(subject.substr(on + 4)))};
  return {TileOfDevice{name, *array.value, *device}, {}};
}

// Devices that hold the same tile as this one.
std::int64_t copies_of(const TileOfDevice& held) {
  const Box box = held.array.tile(held.device)->box;
  std::int64_t copies = 0;
  for (std::int64_t device = 0; device < held.array.devices(); ++device) {
    copies += held.array.tile(device)->box == box ? 1 : 0;
  }
  return copies;
}

Read<Fact> of_array(const Session& session, const Asked& asked) {
  const auto held = read_held(session, asked.subject);
  if (!held.value) return nothing(held.why);
  const auto tile = held.value->array.tile(held.value->device);
  if (!tile) return nothing(message_of(tile.diagnostics()));
  Fact fact;
  if (asked.measure == Measure::tile) {
    for (const auto& [begin, end] : tile->box) fact.value.push_back(static_cast<double>(std::max(begin, end) - begin));
  } else if (asked.measure == Measure::bytes) {
    fact.value = {static_cast<double>(tile->bytes.size())};
  } else {
    fact.value = {static_cast<double>(copies_of(*held.value))};
  }
  const MeshAxes mesh = held.value->array.mesh();
  fact.counterexample = fmt::format("{} holds {}:\n{}", device_text(mesh, held.value->device), box_text(tile->box),
                                    picture_of(held.value->array, held.value->name));
  return {std::move(fact), {}};
}

// Bytes that every device receives in all steps of some plans.
std::vector<std::int64_t> received_by_device(const std::vector<Plan>& plans) {
  std::vector<std::int64_t> received;
  for (const Plan& plan : plans) {
    for (std::size_t i = 1; i <= plan.steps().size(); ++i) {
      const auto moment = plan.moment(i);
      if (!moment) continue;
      received.resize(std::max(received.size(), moment->devices.size()), 0);
      for (std::size_t d = 0; d < moment->devices.size(); ++d) received[d] += moment->devices[d].received_bytes;
    }
  }
  return received;
}

Numbers number_of(Measure measure, const std::vector<Plan>& plans) {
  const std::vector<std::int64_t> received = received_by_device(plans);
  std::int64_t result = 0;
  switch (measure) {
    case Measure::received:
      for (const std::int64_t bytes : received) result = std::max(result, bytes);
      break;
    case Measure::total:
      for (const std::int64_t bytes : received) result += bytes;
      break;
    case Measure::peak:
      for (const Plan& plan : plans) result = std::max(result, plan.peak_bytes());
      break;
    case Measure::launches:
      for (const Plan& plan : plans) {
        for (const Plan::Step& step : plan.steps()) result += step.launches ? 1 : 0;
      }
      break;
    case Measure::idle: {
      Numbers idle;
      for (std::size_t d = 0; d < received.size(); ++d) {
        if (received[d] == 0) idle.push_back(static_cast<double>(d));
      }
      return idle;
    }
    case Measure::tile:
    case Measure::bytes:
    case Measure::copies:
    case Measure::least_peak:
    case Measure::crossing:
    case Measure::in_flight:
    case Measure::operations:
    case Measure::traffic:
    case Measure::layouts: break;
  }
  return {static_cast<double>(result)};
}

std::int64_t received_by(const Plan& plan, std::int64_t device_of_run) {
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i <= plan.steps().size(); ++i) {
    const auto moment = plan.moment(i);
    const Plan::Holding* held = moment ? held_by(*moment, device_of_run) : nullptr;
    if (held != nullptr) bytes += held->received_bytes;
  }
  return bytes;
}

// The holding of a device of the run at a moment, in words.
std::string holding_text(const Plan::Moment& moment, std::int64_t device_of_run) {
  const Plan::Holding* held = held_by(moment, device_of_run);
  if (held == nullptr) return "nothing (0 bytes)";
  std::string text = fmt::format("{} ({} bytes)", box_text(held->box), held->bytes);
  if (moment.contributions <= 1) return text;
  return fmt::format("{}, part {} of {} of every element", text, held->contribution + 1, moment.contributions);
}

// One device's way through a plan: the one that receives most.
std::string way_of_busiest(const Plan& plan) {
  const auto start = plan.moment(0);
  const std::vector<Plan::Step> steps = plan.steps();
  const auto end = plan.moment(steps.size());
  if (!start || !end || steps.empty() || end->devices.empty()) return "";
  const auto busiest = std::max_element(end->devices.begin(), end->devices.end(), [&](const auto& a, const auto& b) {
    return received_by(plan, a.device) < received_by(plan, b.device);
  });
  std::string text =
      fmt::format("{}\n  before: {}\n", device_text(*end, *busiest), holding_text(*start, busiest->device));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto moment = plan.moment(i + 1);
    if (!moment) continue;
    text += fmt::format("  after {}{}{}: {}\n", steps[i].op, steps[i].detail.empty() ? "" : " ", steps[i].detail,
                        holding_text(*moment, busiest->device));
  }
  return text;
}

Read<Fact> of_change(const Session& session, const Asked& asked) {
  const auto plans = changes_of(session, asked.subject);
  if (!plans.value) return nothing(plans.why);
  const auto result = value_of(session, asked.subject);
  if (!result.value) return nothing(result.why);
  Fact fact{number_of(asked.measure, *plans.value), ""};
  for (const Plan& plan : *plans.value) fact.counterexample += way_of_busiest(plan);
  if (asked.measure == Measure::idle) fact.counterexample += picture_of(*result.value, "afterwards");
  return {std::move(fact), {}};
}

// The planner refuses one byte, and says what it would grant.
Read<Fact> of_budget(const Session& session, const Asked& asked) {
  const auto plans = changes_of(session, asked.subject);
  if (!plans.value) return nothing(plans.why);
  if (plans.value->size() != 1) return nothing("`least peak` needs one change of layout");
  const Plan& plan = plans.value->front();
  PlanRequest request{mesh_text(plan.mesh()), plan.from(), plan.to(), "tessera", {}, false, 1};
  const auto within = make_plan(request);
  if (within) return {Fact{{static_cast<double>(within->peak_bytes())}, ""}, {}};
  const auto why = nlohmann::json::parse(plan_failure_json(request, within.diagnostics()), nullptr, false);
  if (!why.contains("least_bytes")) return nothing(message_of(within.diagnostics()));
  const auto least = why["least_bytes"].get<std::int64_t>();
  request.within_bytes = least;
  const auto rounds = make_plan(request);
  Fact fact{{static_cast<double>(least)}, "One shot holds the whole source tile and the whole target tile:\n"};
  fact.counterexample += way_of_busiest(plan);
  if (rounds)
    fact.counterexample +=
        fmt::format("In rounds, elements that have left make room for those that come:\n{}", rounds->text());
  return {std::move(fact), {}};
}

Read<Fact> of_crossing(const Session& session, std::string_view text) {
  const auto crossing = read_crossing(text);
  if (!crossing.value) return nothing(crossing.why);
  const auto plans = changes_of(session, crossing.value->change);
  if (!plans.value) return nothing(plans.why);
  Fact fact{{static_cast<double>(crossing_bytes(*plans.value, crossing.value->node_devices))}, ""};
  for (const Plan& plan : *plans.value) fact.counterexample += way_of_busiest(plan);
  return {std::move(fact), {}};
}

Read<Fact> of_pipeline(const Session& session, std::string_view expression) {
  Session fork = session.fork();
  const auto program = fork.check(fmt::format("let asked_value_ = {}\n", expression), "lesson");
  if (!program) return nothing(message_of(program.diagnostics()));
  const auto pipelines = program->pipelines();
  if (!pipelines) return nothing(message_of(pipelines.diagnostics()));
  if (pipelines->size() != 1) return nothing("`in flight` needs an expression with one pipeline");
  Fact fact;
  for (const Pipeline::Stage& stage : pipelines->front().stages)
    fact.value.push_back(static_cast<double>(stage.in_flight));
  return {std::move(fact), {}};
}

Read<Fact> of_estimate(const Session& session, const Asked& asked) {
  Session fork = session.fork();
  const auto program = fork.check(fmt::format("let asked_value_ = {}\n", asked.subject), "lesson");
  if (!program) return nothing(message_of(program.diagnostics()));
  const auto estimated = estimate(*program, true);
  if (!estimated) return nothing(message_of(estimated.diagnostics()));
  const double value = asked.measure == Measure::operations ? estimated->operations : estimated->memory_bytes;
  return {Fact{{value}, steps_text(*estimated, program->bindings().front().statement)}, {}};
}

// An expression; the arrays that it names are drawn.
Read<Fact> of_expression(const Session& session, std::string_view text) {
  const auto value = value_of(session, text);
  if (!value.value) return nothing(value.why);
  Fact fact{numbers_of(*value.value), ""};
  constexpr std::int64_t kElementsMax = 64;
  const std::vector<std::string> words = words_of(text);
  for (const Binding& binding : session.names()) {
    const auto array = session.get(binding.name);
    const bool is_named = std::find(words.begin(), words.end(), binding.name) != words.end();
    if (!array || !is_named || array->shape().empty()) continue;
    if (static_cast<std::int64_t>(array->bytes().size()) <= 8 * kElementsMax) fact.counterexample += array->picture();
  }
  return {std::move(fact), {}};
}

}  // namespace

Read<Fact> measure(const Session& session, std::string_view text) {
  const auto asked = read_measure(text);
  if (!asked) return of_expression(session, text);
  switch (asked->measure) {
    case Measure::tile:
    case Measure::bytes:
    case Measure::copies: return of_array(session, *asked);
    case Measure::received:
    case Measure::total:
    case Measure::peak:
    case Measure::launches:
    case Measure::idle: return of_change(session, *asked);
    case Measure::least_peak: return of_budget(session, *asked);
    case Measure::crossing: return of_crossing(session, asked->subject);
    case Measure::in_flight: return of_pipeline(session, asked->subject);
    case Measure::operations:
    case Measure::traffic: return of_estimate(session, *asked);
    case Measure::layouts: {
      const auto counted = count_layouts(session, asked->subject);
      if (!counted.value) return nothing(counted.why);
      return {Fact{{static_cast<double>(counted.value->number)}, counted.value->example}, {}};
    }
  }
  return nothing("an unknown measure");
}

}  // namespace tessera::repl
