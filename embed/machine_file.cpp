// Machine files: [{"name": "node", "count": 4, "bandwidth": 12.5e9, "latency": 5e-6}, ...].
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "embed/convert.hpp"
#include "embed/json_fields.hpp"
#include "embed/kinds.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/machine/machine.hpp"

namespace tessera {

namespace {

using embed::JsonField;
using embed::JsonObject;

base::Diagnostic wrong(const JsonField& field, std::string_view wanted) {
  return base::make(embed::Kind::machine_file, fmt::format("\"{}\" must be {}", field.key, wanted)).at(field.span);
}

std::optional<double> number(const JsonField& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field.value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&field.value)) return *real;
  return std::nullopt;
}

// Puts one field into the level.
base::Status put(MachineLevel& level, const JsonField& field) {
  if (field.key == "name") {
    const auto* name = std::get_if<std::string>(&field.value);
    if (name == nullptr || name->empty()) return wrong(field, "a text, the level's name");
    level.name = *name;
  } else if (field.key == "count") {
    const auto* count = std::get_if<std::int64_t>(&field.value);
    if (count == nullptr || *count < 1 || *count > synth::kDevicesMax)
      return wrong(field, "a whole number from 1 to 65536");
    level.count = *count;
  } else if (field.key == "bandwidth") {
    const auto bandwidth = number(field);
    if (!bandwidth || !synth::is_bandwidth(*bandwidth))
      return wrong(field, "a number of bytes per second, from 0.001 to 1e24");
    level.bandwidth_bytes_per_second = *bandwidth;
  } else if (field.key == "latency") {
    const auto latency = number(field);
    if (!latency || !synth::is_latency(*latency)) return wrong(field, "a number of seconds, from 0 to 1e9");
    level.latency_seconds = *latency;
  } else {
    return base::make(embed::Kind::machine_file, fmt::format("there is no key \"{}\"", field.key))
        .at(field.span)
        .suggest("the keys are \"name\", \"count\", \"bandwidth\" and \"latency\"");
  }
  return base::Done{};
}

bool has(const JsonObject& object, std::string_view key) {
  for (const JsonField& field : object.fields) {
    if (field.key == key) return true;
  }
  return false;
}

base::Result<MachineLevel> read_level(const JsonObject& object) {
  for (const char* key : {"name", "count", "bandwidth", "latency"}) {
    if (!has(object, key))
      return base::make(embed::Kind::machine_file, fmt::format("this level has no \"{}\"", key)).at(object.span);
  }
  MachineLevel level;
  for (const JsonField& field : object.fields) TESSERA_TRY_STATUS(put(level, field));
  return level;
}

base::Result<std::vector<MachineLevel>> read_levels(const base::SourceMap& sources, base::SourceId source) {
  TESSERA_TRY(objects,
              embed::read_json_objects(sources, source, embed::JsonForm::array_of_objects, embed::Kind::machine_file));
  if (objects.empty()) return base::make(embed::Kind::machine_file, "it has no levels").at(base::Span{source, 0, 1});
  std::vector<MachineLevel> levels;
  for (const JsonObject& object : objects) {
    TESSERA_TRY(level, read_level(object));
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace

Result<std::vector<MachineLevel>> parse_machine(std::string_view json, std::string_view name) {
  return embed::safely([&]() -> Result<std::vector<MachineLevel>> {
    embed::Texts texts;
    auto levels = read_levels(texts.sources, texts.add(std::string(name), std::string(json)));
    if (!levels) return embed::to_public(texts, levels.errors());
    return std::move(*levels);
  });
}

}  // namespace tessera
