#include "repl/render/json.hpp"

#include <nlohmann/json.hpp>

#include "repl/render/diagnostic.hpp"

namespace tessera::repl {

namespace {

using nlohmann::ordered_json;

// Texts that are not valid UTF-8 must not keep anyone from reading the rest.
std::string line_of(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

ordered_json to_object(const Label& label) {
  return {{"line", label.place.line},
          {"column", label.place.column},
          {"length", label.place.length},
          {"text", label.text},
          {"primary", label.primary}};
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
  for (const Label& label : diagnostic.labels) object["labels"].push_back(to_object(label));
  object["help"] = diagnostic.help;
  return line_of(object);
}

std::string wrong_plan_json(std::int64_t line, const std::string& message) {
  return line_of({{"line", line}, {"error", "wrong-plan"}, {"message", message}});
}

std::string to_json(const Binding& binding) {
  return line_of(
      ordered_json{{"name", binding.name}, {"type", binding.type}, {"line", binding.line}, {"column", binding.column}});
}

}  // namespace tessera::repl
