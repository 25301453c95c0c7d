// `:mesh`, `:devices`, `:machine` and `:placements`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "repl/render/placements.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"
#include "repl/session/commands.hpp"
#include "repl/session/interpreter.hpp"
#include "tessera/placement.hpp"

namespace tessera::repl {

namespace {

using Axis = std::pair<std::string, std::int64_t>;

// Longer rows and columns are drawn with a gap before their last one.
constexpr std::int64_t kDrawnMax = 8;
constexpr std::int64_t kLeftOut = -1;

std::vector<std::int64_t> drawn(std::int64_t size) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < size; ++i) {
    if (size <= kDrawnMax || i < kDrawnMax - 2 || i == size - 1) result.push_back(i);
    if (size > kDrawnMax && i == kDrawnMax - 2) result.push_back(kLeftOut);
  }
  return result;
}

std::int64_t devices_of(const NamedMesh& mesh) {
  std::int64_t product = 1;
  for (const auto& [name, size] : mesh.axes) product *= size;
  return product;
}

std::string declaration(const NamedMesh& mesh) {
  std::vector<std::string> axes;
  for (const auto& [name, size] : mesh.axes) axes.push_back(fmt::format("{}: {}", name, size));
  for (const NamedMesh::Cut& cut : mesh.cuts) {
    axes[cut.axis] += fmt::format(" {}({})", cut.name, fmt::join(cut.weights, ","));
  }
  const std::string on = mesh.on.empty() ? "" : " on " + mesh.on;
  const std::string place = mesh.place.empty() ? "" : " place " + to_text(mesh.place);
  return fmt::format("mesh {} = [{}]{}{}   {}{}", mesh.name, fmt::join(axes, ", "), on, place,
                     counted(devices_of(mesh), "device", "devices"), mesh.is_default ? ", the default" : "");
}

// The share of each position along an axis, by its cuts.
std::string shares(const NamedMesh& mesh) {
  std::vector<Row> rows;
  for (const NamedMesh::Cut& cut : mesh.cuts) {
    const std::int64_t sum = std::accumulate(cut.weights.begin(), cut.weights.end(), std::int64_t{0});
    const auto& [name, size] = mesh.axes[cut.axis];
    Row row{fmt::format("  {}.{}", name, cut.name)};
    for (const std::int64_t i : drawn(size)) {
      row.push_back(i == kLeftOut
                        ? "..."
                        : fmt::format("{:.3g}%", 100.0 * static_cast<double>(cut.weights[static_cast<std::size_t>(i)]) /
                                                     static_cast<double>(sum)));
    }
    rows.push_back(std::move(row));
  }
  std::string text;
  for (const Row& row : rows) text += fmt::format("{}: {}\n", row[0], fmt::join(row.begin() + 1, row.end(), " "));
  return text;
}

std::string at(const Axis& axis, std::int64_t coordinate) { return fmt::format("{}={}", axis.first, coordinate); }

std::string device_number_text(const NamedMesh& mesh, std::int64_t position) {
  return fmt::format("{}", mesh.devices[static_cast<std::size_t>(position)]);
}

// The numbers of the devices at the positions from `first` on, rows along one axis and columns along the next.
std::string grid(const NamedMesh& mesh, std::size_t outer, std::int64_t first) {
  const Axis& rows = mesh.axes[outer];
  const Axis& columns = mesh.axes[outer + 1];
  std::vector<Row> lines = {{""}};
  for (const std::int64_t c : drawn(columns.second)) lines[0].push_back(c == kLeftOut ? "..." : at(columns, c));
  for (const std::int64_t r : drawn(rows.second)) {
    Row& line = lines.emplace_back();
    line.push_back(r == kLeftOut ? "  ..." : "  " + at(rows, r));
    for (const std::int64_t c : drawn(columns.second)) {
      line.push_back(r == kLeftOut || c == kLeftOut ? "..." : device_number_text(mesh, first + r * columns.second + c));
    }
  }
  return table(lines);
}

// One grid for each place along the axes before the last two.
std::string slices(const NamedMesh& mesh, std::size_t outer, std::int64_t first, const std::string& where) {
  const std::vector<Axis>& axes = mesh.axes;
  if (outer + 2 == axes.size()) return (where.empty() ? "" : " " + where + "\n") + grid(mesh, outer, first);
  std::int64_t stride = 1;
  for (std::size_t a = outer + 1; a < axes.size(); ++a) stride *= axes[a].second;
  std::string text;
  for (const std::int64_t i : drawn(axes[outer].second)) {
    text += i == kLeftOut ? " ...\n" : slices(mesh, outer + 1, first + i * stride, where + " " + at(axes[outer], i));
  }
  return text;
}

std::string picture(const NamedMesh& mesh) {
  if (mesh.axes.size() >= 2) return slices(mesh, 0, 0, "");
  std::vector<Row> lines(2, Row{" "});
  for (const std::int64_t i : drawn(mesh.axes[0].second)) {
    lines[0].push_back(i == kLeftOut ? "..." : at(mesh.axes[0], i));
    lines[1].push_back(i == kLeftOut ? "..." : device_number_text(mesh, i));
  }
  return table(lines);
}

bool tells_that_no_mesh_exists(const CommandCall& call) {
  call.out("one device; a mesh has several: mesh m = [x: 4, y: 2]\n");
  return true;
}

// How many devices are in a unit of each level, outermost first. The machine may have more than the run.
std::vector<std::int64_t> units(const Machine& machine) {
  std::int64_t devices = 1;
  for (const MachineLevel& level : machine.levels) devices *= level.count;
  std::vector<std::int64_t> result;
  for (const MachineLevel& level : machine.levels)
    result.push_back(devices = std::max<std::int64_t>(1, devices / level.count));
  return result;
}

using DeviceRange = std::pair<std::int64_t, std::int64_t>;

std::size_t rank_of(const std::vector<DeviceRange>& ranks, std::int64_t device) {
  const auto has = [device](const DeviceRange& range) { return range.first <= device && device < range.second; };
  return static_cast<std::size_t>(std::find_if(ranks.begin(), ranks.end(), has) - ranks.begin());
}

// Gives a device's position in another mesh: `1,0`.
std::string place_in(const NamedMesh& mesh, std::int64_t device) {
  const auto found = std::find(mesh.devices.begin(), mesh.devices.end(), device);
  if (found == mesh.devices.end()) return "-";
  const std::int64_t position = found - mesh.devices.begin();
  std::int64_t stride = devices_of(mesh);
  std::string place;
  for (const auto& [name, size] : mesh.axes) {
    stride /= size;
    place += fmt::format("{}{}", place.empty() ? "" : ",", position / stride % size);
  }
  return place;
}

// The default mesh need not have all devices of the run.
Row device_row(const NamedMesh& mesh, const std::vector<NamedMesh>& meshes, const std::vector<std::int64_t>& unit_sizes,
               std::int64_t device) {
  Row row = {fmt::format("{}", device)};
  const auto found = std::find(mesh.devices.begin(), mesh.devices.end(), device);
  const std::int64_t position = found - mesh.devices.begin();
  std::int64_t stride = devices_of(mesh);
  for (const auto& [name, size] : mesh.axes) {
    stride /= size;
    row.push_back(found != mesh.devices.end() ? fmt::format("{}", position / stride % size) : "-");
  }
  for (const NamedMesh& other : meshes) {
    if (!other.is_default) row.push_back(place_in(other, device));
  }
  for (const std::int64_t unit : unit_sizes) row.push_back(fmt::format("{}", device / unit));
  return row;
}

// Devices of a kind by their numbers, with their speed: `0-1 at 1.8e+03 GFLOP/s`.
std::vector<std::string> kinds_with_speeds(const Machine& machine) {
  std::vector<std::string> kinds;
  std::int64_t first = 0;
  for (const DeviceKind& kind : machine.devices) {
    const std::int64_t last = first + kind.count - 1;
    kinds.push_back(fmt::format("{} at {:.3g} GFLOP/s",
                                first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last),
                                kind.flops_per_second / 1e9));
    first = last + 1;
  }
  return kinds;
}

// The devices as the machine file describes them; empty if it does not.
std::string device_kinds_text(const Machine& machine) {
  if (machine.devices.empty()) return "";
  std::vector<Row> rows = {{"devices", "speed", "memory", "its bandwidth"}};
  std::int64_t first = 0;
  for (const DeviceKind& kind : machine.devices) {
    const std::int64_t last = first + kind.count - 1;
    rows.push_back({first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last),
                    fmt::format("{:.3g} GFLOP/s", kind.flops_per_second / 1e9),
                    kind.memory_bytes == 0 ? "no limit" : bytes_text(kind.memory_bytes),
                    fmt::format("{:.3g} GB/s", kind.bandwidth_bytes_per_second / 1e9)});
    first = last + 1;
  }
  return table(rows);
}

// The speed and memory of every device, where they are known.
std::vector<std::string> speeds_of(const Machine& machine) {
  std::vector<std::string> all;
  for (const DeviceKind& kind : machine.devices) {
    all.insert(all.end(), static_cast<std::size_t>(kind.count),
               fmt::format("{:.3g} GFLOP/s", kind.flops_per_second / 1e9));
  }
  return all;
}

std::string model_text(const Machine& machine) {
  const bool is_default = machine.levels.empty();
  const std::vector<MachineLevel> levels = is_default ? std::vector{MachineLevel{"device"}} : machine.levels;
  std::vector<Row> rows = {{"level", "count", "bandwidth", "latency"}};
  const bool has_gaps = std::any_of(levels.begin(), levels.end(), [](const auto& level) { return level.gap_seconds; });
  if (has_gaps) rows[0].push_back("gap");
  for (const MachineLevel& level : levels) {
    rows.push_back({level.name, is_default ? "all" : fmt::format("{}", level.count), bandwidth_text(level),
                    seconds_text(level.latency_seconds)});
    if (has_gaps) rows.back().push_back(seconds_text(level.gap_seconds.value_or(level.latency_seconds)));
  }
  return table(rows) + device_kinds_text(machine);
}

}  // namespace

bool run_mesh(const CommandCall& call) {
  const auto meshes = call.interpreter.state().session.meshes();
  if (meshes.empty()) return tells_that_no_mesh_exists(call);
  for (const NamedMesh& mesh : meshes) call.out(declaration(mesh) + "\n" + picture(mesh) + shares(mesh));
  const std::vector<std::string> kinds = kinds_with_speeds(call.interpreter.state().session.config().machine);
  if (!kinds.empty()) call.out(fmt::format("devices {}\n", fmt::join(kinds, ", ")));
  return true;
}

bool run_devices(const CommandCall& call) {
  const Session& session = call.interpreter.state().session;
  const auto meshes = session.meshes();
  const auto mesh = std::find_if(meshes.begin(), meshes.end(), [](const NamedMesh& m) { return m.is_default; });
  if (mesh == meshes.end()) return tells_that_no_mesh_exists(call);
  const Machine& machine = session.config().machine;
  const std::vector<DeviceRange> ranks = session.devices();
  const std::int64_t devices = ranks.back().second;
  std::vector<Row> rows = {{"device"}};
  for (const auto& [name, size] : mesh->axes) rows[0].push_back(name);
  for (const NamedMesh& other : meshes) {
    if (!other.is_default) rows[0].push_back("in " + other.name);
  }
  for (const MachineLevel& level : machine.levels) rows[0].push_back(level.name);
  const std::vector<std::string> speeds = speeds_of(machine);
  if (!speeds.empty()) rows[0].push_back("speed");
  if (ranks.size() > 1) rows[0].push_back("rank");
  const std::vector<std::string> gpus = session.gpus_of_devices();
  if (!gpus.empty()) rows[0].push_back("GPU");
  constexpr std::int64_t kRowsMax = 32;
  for (std::int64_t device = 0; device < devices; ++device) {
    if (devices > kRowsMax && device == kRowsMax - 2) {
      rows.push_back({"..."});
      device = devices - 2;
      continue;
    }
    rows.push_back(device_row(*mesh, meshes, units(machine), device));
    const auto number = static_cast<std::size_t>(device);
    if (!speeds.empty()) rows.back().push_back(number < speeds.size() ? speeds[number] : "-");
    if (ranks.size() > 1) rows.back().push_back(fmt::format("{}", rank_of(ranks, device)));
    if (!gpus.empty()) rows.back().push_back(gpus[number]);
  }
  call.out(table(rows));
  return true;
}

bool run_placements(const CommandCall& call) {
  const State& state = call.interpreter.state();
  if (state.session.meshes().empty()) return tells_that_no_mesh_exists(call);
  const Machine& machine = state.session.config().machine;
  if (machine.levels.empty()) {
    return call.interpreter.complain(
        "there is no machine file with levels\n  help: :machine FILE names one, as docs/language.md says");
  }
  std::vector<Program> programs;
  for (const Entry* entry : state.entries.in_order()) {
    if (entry->moving) programs.push_back(*entry->moving);
  }
  if (programs.empty()) {
    call.out("nothing was moved: every placement is as good\n");
    return true;
  }
  const auto ranking = rank_placements(programs, machine);
  if (!ranking) return call.interpreter.fail(ranking.diagnostics());
  call.out(placements_text(*ranking, machine));
  return true;
}

bool run_machine(const CommandCall& call) {
  Config config = call.interpreter.state().session.config();
  if (!call.argument.empty()) {
    const auto text = call.interpreter.read(std::string(call.argument));
    if (!text.value) return call.interpreter.complain(text.why);
    auto machine = parse_machine(text.value->text, text.value->name);
    if (!machine) return call.interpreter.fail(machine.diagnostics());
    config.machine = std::move(*machine);
    call.interpreter.configure(config);
  }
  call.out(model_text(config.machine));
  return true;
}

}  // namespace tessera::repl
