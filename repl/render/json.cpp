#include "repl/render/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

namespace {

using nlohmann::ordered_json;

// Texts that are not valid UTF-8 must not keep anyone from reading the rest.
std::string line_of(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

// A label in another text than the diagnostic's says so.
ordered_json to_object(const Label& label, const std::string& file) {
  ordered_json object = {{"line", label.place.line},
                         {"column", label.place.column},
                         {"length", label.place.length},
                         {"text", label.text},
                         {"primary", label.primary}};
  if (label.place.file != file) object["file"] = label.place.file;
  return object;
}

ordered_json to_object(const Pipeline::Stage& stage) {
  ordered_json devices = ordered_json::array();
  std::int64_t most = 0;
  for (const Pipeline::DevicePeak& peak : stage.peaks) {
    devices.push_back({{"device", peak.device}, {"peak_bytes", peak.bytes}});
    most = std::max(most, peak.bytes);
  }
  return {{"mesh", stage.mesh},
          {"forward_seconds", stage.forward_seconds},
          {"backward_seconds", stage.backward_seconds},
          {"rest_seconds", stage.rest_seconds},
          {"border_seconds", stage.border_seconds},
          {"in_flight", stage.in_flight},
          {"peak_bytes", most},
          {"devices", std::move(devices)}};
}

ordered_json to_object(const Pipeline::Schedule& schedule) {
  return {{"name", schedule.name},
          {"in_flight", schedule.in_flight},
          {"period_seconds", schedule.period_seconds},
          {"makespan_seconds", schedule.makespan_seconds},
          {"bubble", schedule.bubble}};
}

ordered_json timeline_of(const Pipeline& pipeline) {
  ordered_json visits = ordered_json::array();
  for (const Pipeline::Visit& one : pipeline.visits) {
    visits.push_back({{"stage", one.stage},
                      {"visit", one.visit},
                      {"microbatch", one.microbatch},
                      {"begin_seconds", one.begin_seconds},
                      {"end_seconds", one.end_seconds}});
  }
  ordered_json borders = ordered_json::array();
  for (const Pipeline::Border& one : pipeline.borders) {
    borders.push_back({{"from_visit", one.from_visit},
                       {"to_visit", one.to_visit},
                       {"microbatch", one.microbatch},
                       {"begin_seconds", one.begin_seconds},
                       {"end_seconds", one.end_seconds}});
  }
  return {{"visits", std::move(visits)}, {"borders", std::move(borders)}};
}

}  // namespace

std::string to_json(const Diagnostic& diagnostic) {
  ordered_json object = {{"slug", diagnostic.slug},
                         {"severity", name(diagnostic.severity)},
                         {"message", diagnostic.message},
                         {"file", nullptr},
                         {"line", nullptr},
                         {"column", nullptr}};
  if (!diagnostic.labels.empty()) {
    const Place& place = diagnostic.labels.front().place;
    object["file"] = place.file;
    object["line"] = place.line;
    object["column"] = place.column;
  }
  object["labels"] = ordered_json::array();
  for (const Label& label : diagnostic.labels)
    object["labels"].push_back(to_object(label, diagnostic.labels.front().place.file));
  object["help"] = diagnostic.help;
  return line_of(object);
}

std::string wrong_plan_json(std::int64_t line, const std::string& message) {
  return line_of({{"line", line}, {"error", "wrong-plan"}, {"message", message}});
}

std::string to_json(const Pipeline& pipeline) {
  ordered_json object = {{"pipeline", pipeline.schedule},
                         {"microbatches", pipeline.microbatches},
                         {"line", pipeline.place.line},
                         {"column", pipeline.place.column}};
  object["stages"] = ordered_json::array();
  for (const Pipeline::Stage& stage : pipeline.stages) object["stages"].push_back(to_object(stage));
  object["schedules"] = ordered_json::array();
  for (const Pipeline::Schedule& schedule : pipeline.schedules) object["schedules"].push_back(to_object(schedule));
  object["timeline"] = timeline_of(pipeline);
  return line_of(object);
}

std::string to_json(const PartsMoved& part) {
  ordered_json object = {{"op", part.op},
                         {"who", part.who},
                         {"line", part.place.line},
                         {"column", part.place.column},
                         {"from", part.from},
                         {"to", part.to},
                         {"received_bytes_total", part.received_bytes},
                         {"received_bytes_max", part.received_bytes_max},
                         {"gathered_bytes_total", part.gathered_bytes},
                         {"peak_bytes", part.peak_bytes}};
  // Boxes and carries are what devices lack, each once; where values decide, the least is theirs.
  if (part.is_most) {
    object["at_most"] = true;
  } else {
    object["lower_bound_bytes_total"] = part.received_bytes;
  }
  return line_of(object);
}

std::string to_json(const Binding& binding) {
  return line_of(
      ordered_json{{"name", binding.name}, {"type", binding.type}, {"line", binding.line}, {"column", binding.column}});
}

}  // namespace tessera::repl
