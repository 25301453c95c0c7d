#include "repl/estimate/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "repl/estimate/estimate_text.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"
#include "tessera/analysis.hpp"

namespace tessera::repl {

namespace {

// A list of the command line, and how a value of it changes a point.
struct Dimension {
  std::string name;
  std::vector<std::string> values;
  enum class Of : std::uint8_t { machine, devices, define } of = Of::define;

  SweepPoint with(SweepPoint point, const std::string& value) const {
    switch (of) {
      case Of::machine: point.machine_file = value; break;
      case Of::devices: point.devices = std::stoll(value); break;
      case Of::define: point.defines[name] = value; break;
    }
    if (values.size() > 1) point.told.emplace_back(name, value);
    return point;
  }
};

std::vector<Dimension> dimensions_of(const EstimateOptions& options) {
  std::vector<Dimension> all;
  if (!options.machine_files.empty()) all.push_back({"machine", options.machine_files, Dimension::Of::machine});
  if (!options.devices.empty()) {
    all.push_back({"devices", {}, Dimension::Of::devices});
    for (const std::int64_t count : options.devices) all.back().values.push_back(fmt::format("{}", count));
  }
  for (const auto& [name, values] : options.defines) all.push_back({name, values, Dimension::Of::define});
  return all;
}

std::vector<SweepPoint> all_combinations(const std::vector<Dimension>& dimensions) {
  std::vector<SweepPoint> points = {SweepPoint{}};
  for (const Dimension& dimension : dimensions) {
    std::vector<SweepPoint> more;
    for (const SweepPoint& point : points) {
      for (const std::string& value : dimension.values) more.push_back(dimension.with(point, value));
    }
    points = std::move(more);
  }
  return points;
}

const TextName* outermost_axis(const Analysis& analysis, const TextName& mesh) {
  const TextName* first = nullptr;
  for (const TextName& name : analysis.names) {
    const bool is_its = name.role == TextName::Role::axis && name.statement == mesh.statement && name.size > 0;
    if (is_its && (first == nullptr || name.range.begin < first->range.begin)) first = &name;
  }
  return first;
}

// The expression behind an axis: the outermost part that begins after its name.
std::optional<TextRange> size_of(const Analysis& analysis, const TextName& axis) {
  std::optional<TextRange> best;
  for (const TextRange& part : analysis.parts) {
    if (part.begin < axis.range.end) continue;
    const bool is_better = !best || part.begin < best->begin || (part.begin == best->begin && part.end > best->end);
    if (is_better) best = part;
  }
  return best;
}

}  // namespace

std::vector<SweepPoint> sweep_points(const EstimateOptions& options, std::string& why) {
  const std::vector<Dimension> dimensions = dimensions_of(options);
  if (!options.together) return all_combinations(dimensions);
  std::size_t rows = 1;
  for (const Dimension& one : dimensions) rows = std::max(rows, one.values.size());
  std::vector<SweepPoint> points(rows);
  for (const Dimension& one : dimensions) {
    if (one.values.size() != 1 && one.values.size() != rows) {
      why = fmt::format("lists go --together only if they are alike in length: `{}` has {}, another has {}", one.name,
                        one.values.size(), rows);
      return {};
    }
    for (std::size_t k = 0; k < rows; ++k)
      points[k] = one.with(std::move(points[k]), one.values[one.values.size() == 1 ? 0 : k]);
  }
  return points;
}

std::optional<std::string> with_devices(const std::string& text, std::int64_t devices, std::string& why) {
  const auto analysis = Analyst().analyse(text);
  std::vector<const TextName*> meshes;
  for (std::size_t k = 0; analysis && k < analysis->names.size(); ++k) {
    const TextName& name = analysis->names[k];
    if (name.role == TextName::Role::mesh && name.definition == k && name.size > 0) meshes.push_back(&name);
  }
  if (meshes.size() != 1) {
    why = fmt::format("--devices changes the one mesh of a program, and this one has {}: sweep a name by --define",
                      meshes.size());
    return std::nullopt;
  }
  const TextName* const axis = outermost_axis(*analysis, *meshes.front());
  const auto size = axis == nullptr ? std::nullopt : size_of(*analysis, *axis);
  const std::int64_t others = axis == nullptr ? 0 : meshes.front()->size / axis->size;
  if (!size || others == 0 || devices % others != 0) {
    why = fmt::format("{} devices are no multiple of the {} that the mesh's other axes make", devices, others);
    return std::nullopt;
  }
  return text.substr(0, size->begin) + fmt::format("{}", devices / others) + text.substr(size->end);
}

std::string sweep_text(const std::vector<SweptEstimate>& all) {
  Row names;
  for (const auto& [name, value] : all.front().point.told) names.push_back(name);
  names.insert(names.end(), {"seconds", "computing", "moving", "received", "peak", "fits", "of flops", "speed-up"});
  std::vector<Row> rows = {names};
  std::string refused;
  double first = 0;
  for (const SweptEstimate& one : all) {
    Row row;
    std::string label;
    for (const auto& [name, value] : one.point.told) {
      row.push_back(value);
      label += (label.empty() ? "" : ", ") + name + " " + value;
    }
    if (!one.estimate) {
      refused += fmt::format("{}: {}\n", label, one.why);
      continue;
    }
    const Estimate& own = *one.estimate;
    if (first == 0) first = own.seconds;
    const std::string fits = own.memory_bytes_max == 0 ? "-" : own.peak_bytes <= own.memory_bytes_max ? "yes" : "no";
    row.insert(row.end(),
               {seconds_text(own.seconds), seconds_text(own.seconds - own.move_seconds), seconds_text(own.move_seconds),
                bytes_text(own.received_bytes), bytes_text(own.peak_bytes), fits, share_text(own.speed_share),
                own.seconds > 0 ? fmt::format("{:.2f}", first / own.seconds) : "-"});
    rows.push_back(std::move(row));
  }
  return table(rows) + refused;
}

}  // namespace tessera::repl
