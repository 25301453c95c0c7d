// Requests for plans as JSON: {"mesh": "x:4,y:2", "from": "f32[16@y,16]", "to": "f32[16,16@y]", "within": "64KiB"}.
#include <fmt/format.h>

#include <utility>

#include "embed/host/convert.hpp"
#include "embed/host/json_fields.hpp"
#include "embed/kinds.hpp"
#include "frontend/parse.hpp"

namespace tessera {

namespace {

using embed::JsonField;

base::Result<std::int64_t> read_budget(const JsonField& field) {
  if (const auto* bytes = std::get_if<std::int64_t>(&field.value); bytes != nullptr && *bytes >= 0) return *bytes;
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    base::SourceMap sources;
    const base::SourceId source = sources.add("within", *text);
    if (auto size = frontend::parse_size(sources, source)) return *size;
  }
  return base::make(embed::Kind::plan_request, "\"within\" must be a number of bytes or a text such as \"64MiB\"")
      .at(field.span);
}

// The request's text that a key stands for.
std::string* text_of(PlanRequest& request, std::string_view key) {
  if (key == "mesh") return &request.mesh;
  if (key == "to_mesh") return &request.to_mesh;
  if (key == "from") return &request.from;
  if (key == "to") return &request.to;
  if (key == "planner") return &request.planner;
  return nullptr;
}

base::Status put(PlanRequest& request, const JsonField& field) {
  if (field.key == "within") {
    TESSERA_TRY(bytes, read_budget(field));
    request.within_bytes = bytes;
    return base::Done{};
  }
  std::string* text = text_of(request, field.key);
  if (text == nullptr) {
    return base::make(embed::Kind::plan_request, fmt::format("there is no key \"{}\"", field.key))
        .at(field.span)
        .suggest("the keys are \"mesh\", \"to_mesh\", \"from\", \"to\", \"planner\" and \"within\"");
  }
  const auto* value = std::get_if<std::string>(&field.value);
  if (value == nullptr)
    return base::make(embed::Kind::plan_request, fmt::format("\"{}\" must be a text", field.key)).at(field.span);
  *text = *value;
  return base::Done{};
}

base::Result<PlanRequest> read(const base::SourceMap& sources, base::SourceId source, const PlanRequest& defaults) {
  TESSERA_TRY(objects, embed::read_json_objects(sources, source, embed::JsonForm::object, embed::Kind::plan_request));
  PlanRequest request = defaults;
  bool mesh = !defaults.mesh.empty();
  bool from = !defaults.from.empty();
  bool to = !defaults.to.empty();
  for (const JsonField& field : objects.front().fields) {
    TESSERA_TRY_STATUS(put(request, field));
    mesh = mesh || field.key == "mesh";
    from = from || field.key == "from";
    to = to || field.key == "to";
  }
  const auto lacks = [&](const char* key) {
    return base::make(embed::Kind::plan_request, fmt::format("it has no \"{}\"", key)).at(objects.front().span);
  };
  if (!mesh) return lacks("mesh");
  if (!from) return lacks("from");
  if (!to) return lacks("to");
  return request;
}

}  // namespace

Result<PlanRequest> parse_plan_request(std::string_view json, const PlanRequest& defaults) {
  return embed::safely([&]() -> Result<PlanRequest> {
    embed::Texts texts;
    auto request = read(texts.sources, texts.add("request", std::string(json)), defaults);
    if (!request) return embed::to_public(texts, request.errors());
    return std::move(*request);
  });
}

std::string plan_failure_json(std::string_view json, const PlanRequest& defaults, const Diagnostics& why) {
  PlanRequest request = defaults;
  for (const JsonField& field : embed::readable_fields(json)) {
    std::string* text = text_of(request, field.key);
    const auto* value = std::get_if<std::string>(&field.value);
    if (text != nullptr && value != nullptr) *text = *value;
  }
  return plan_failure_json(request, why);
}

}  // namespace tessera
