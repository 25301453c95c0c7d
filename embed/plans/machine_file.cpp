// Machine files: [{"name": "node", "count": 4, "bandwidth": 12.5e9, "latency": 5e-6}, ...], or such an array as
// "levels" beside "devices": [{"count": 2, "flops": 3.9e12, "bandwidth": 9e11, "memory": 16e9}, ...].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/host/json_fields.hpp"
#include "embed/kinds.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/moves/prices/prices.hpp"

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
    const auto* listed = std::get_if<std::vector<double>>(&field.value);
    const bool are_listed =
        listed != nullptr && !listed->empty() && std::all_of(listed->begin(), listed->end(), synth::is_bandwidth);
    if (!are_listed && !(bandwidth && synth::is_bandwidth(*bandwidth)))
      return wrong(field, "a number of bytes per second, from 0.001 to 1e24, or a list of one for each unit");
    if (are_listed) level.unit_bandwidths = *listed;
    level.bandwidth_bytes_per_second = are_listed ? *std::max_element(listed->begin(), listed->end()) : *bandwidth;
  } else if (field.key == "latency") {
    const auto latency = number(field);
    if (!latency || !synth::is_latency(*latency)) return wrong(field, "a number of seconds, from 0 to 1e9");
    level.latency_seconds = *latency;
  } else if (field.key == "gap") {
    const auto gap = number(field);
    if (!gap || !synth::is_latency(*gap)) return wrong(field, "a number of seconds, from 0 to 1e9");
    level.gap_seconds = gap;
  } else {
    return base::make(embed::Kind::machine_file, fmt::format("there is no key \"{}\"", field.key))
        .at(field.span)
        .suggest("the keys are \"name\", \"count\", \"bandwidth\", \"latency\" and \"gap\"");
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

// Puts one field into the kind of devices.
base::Status put(DeviceKind& kind, const JsonField& field) {
  if (field.key == "count") {
    const auto* count = std::get_if<std::int64_t>(&field.value);
    if (count == nullptr || *count < 1 || *count > synth::kDevicesMax)
      return wrong(field, "a whole number from 1 to 65536");
    kind.count = *count;
  } else if (field.key == "flops" || field.key == "bandwidth") {
    const auto speed = number(field);
    const bool is_flops = field.key == "flops";
    if (!speed || !synth::is_bandwidth(*speed))
      return wrong(field,
                   fmt::format("a number of {} per second, from 0.001 to 1e24", is_flops ? "operations" : "bytes"));
    (is_flops ? kind.flops_per_second : kind.bandwidth_bytes_per_second) = *speed;
  } else if (field.key == "memory") {
    constexpr double kMost = 1e18;
    const auto bytes = number(field);
    if (!bytes || !(*bytes >= 1 && *bytes <= kMost)) return wrong(field, "a number of bytes, from 1 to 1e18");
    kind.memory_bytes = static_cast<std::int64_t>(*bytes);
  } else {
    return base::make(embed::Kind::machine_file, fmt::format("there is no key \"{}\"", field.key))
        .at(field.span)
        .suggest("the keys are \"count\", \"flops\", \"bandwidth\" and \"memory\"");
  }
  return base::Done{};
}

base::Result<DeviceKind> read_kind(const JsonObject& object) {
  if (!has(object, "count"))
    return base::make(embed::Kind::machine_file, "these devices have no \"count\"").at(object.span);
  DeviceKind kind;
  for (const JsonField& field : object.fields) TESSERA_TRY_STATUS(put(kind, field));
  return kind;
}

// Checks which lists there are; an array alone is that of the levels.
base::Status check_lists(const std::vector<JsonField>& lists, bool has_objects, base::SourceId source) {
  const base::Span begin{source, 0, 1};
  for (const JsonField& list : lists) {
    if (list.key == "levels" || list.key == "devices") continue;
    return base::make(embed::Kind::machine_file, fmt::format("there is no key \"{}\"", list.key))
        .at(list.span)
        .suggest("the keys are \"levels\" and \"devices\"");
  }
  if (has_objects) return base::Done{};
  return base::make(embed::Kind::machine_file, lists.empty() ? "it has neither levels nor devices"
                                                             : fmt::format("\"{}\" is empty", lists.back().key))
      .at(lists.empty() ? begin : lists.back().span);
}

base::Result<Machine> read_machine(const base::SourceMap& sources, base::SourceId source) {
  std::vector<JsonField> lists;
  TESSERA_TRY(objects,
              embed::read_json_objects(sources, source, embed::JsonForm::lists, embed::Kind::machine_file, &lists));
  TESSERA_TRY_STATUS(check_lists(lists, !objects.empty(), source));
  Machine machine;
  for (const JsonObject& object : objects) {
    if (object.list != "devices" && machine.levels.size() == synth::kMachineLevelsMax) {
      const std::string why = fmt::format("there are more than {} levels", synth::kMachineLevelsMax);
      return base::make(embed::Kind::machine_file, why).at(object.span);
    }
    if (object.list == "devices") {
      TESSERA_TRY(kind, read_kind(object));
      machine.devices.push_back(kind);
    } else {
      TESSERA_TRY(level, read_level(object));
      machine.levels.push_back(std::move(level));
    }
  }
  return machine;
}

}  // namespace

Result<Machine> parse_machine(std::string_view json, std::string_view name) {
  return embed::safely([&]() -> Result<Machine> {
    embed::Texts texts;
    auto machine = read_machine(texts.sources, texts.add(std::string(name), std::string(json)));
    if (!machine) return embed::to_public(texts, machine.errors());
    return std::move(*machine);
  });
}

namespace {

// A list of objects, one a line, behind `before` on the first.
std::string listed_text(std::string_view before, const std::vector<std::string>& objects) {
  std::string text = fmt::format("{}[", before);
  const std::string indent(before.empty() ? 1 : before.size() + 2, ' ');  // behind the brace around both lists

  for (std::size_t k = 0; k < objects.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ",\n" + indent, objects[k]);
  return text + "]";
}

std::string level_text(const MachineLevel& level) {
  const auto& listed = level.unit_bandwidths;
  const std::string bandwidth = listed.empty() ? fmt::format("{}", level.bandwidth_bytes_per_second)
                                               : fmt::format("[{}]", fmt::join(listed, ", "));
  std::string text = fmt::format(R"({{"name": {}, "count": {}, "bandwidth": {}, "latency": {})",
                                 embed::quoted_json(level.name), level.count, bandwidth, level.latency_seconds);
  if (level.gap_seconds) text += fmt::format(R"(, "gap": {})", *level.gap_seconds);
  return text + "}";
}

std::string kind_text(const DeviceKind& kind) {
  std::string text = fmt::format(R"({{"count": {}, "flops": {}, "bandwidth": {})", kind.count, kind.flops_per_second,
                                 kind.bandwidth_bytes_per_second);
  if (kind.memory_bytes > 0) text += fmt::format(R"(, "memory": {})", kind.memory_bytes);
  return text + "}";
}

}  // namespace

std::string machine_text(const Machine& machine) {
  std::vector<std::string> levels;
  for (const MachineLevel& level : machine.levels) levels.push_back(level_text(level));
  if (machine.devices.empty()) return listed_text("", levels) + "\n";
  std::vector<std::string> kinds;
  for (const DeviceKind& kind : machine.devices) kinds.push_back(kind_text(kind));
  const std::string devices = listed_text(R"("devices": )", kinds);
  if (levels.empty()) return fmt::format("{{{}}}\n", devices);
  return fmt::format("{{{},\n {}}}\n", listed_text(R"("levels": )", levels), devices);
}

}  // namespace tessera
