#include "repl/session/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "repl/render/fitted.hpp"
#include "repl/render/picture.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/render/units.hpp"
#include "tessera/placement.hpp"

namespace tessera::repl {

namespace {

// Remarks begin in this column, unless the type is longer.
constexpr int kRemarkColumn = 28;
constexpr int kRemarkGap = 3;
// More steps are counted by name.
constexpr std::size_t kStepsMax = 4;

// `all_to_all x`; of `(x,y): dim 0` the axes.
std::string step_text(const Plan::Step& step) {
  const std::string axes = step.detail.substr(0, step.detail.find(':'));
  return axes.empty() ? step.op : step.op + " " + axes;
}

std::string counts_text(const std::vector<std::string>& operations) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const std::string& operation : operations) {
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == operation; });
    if (known == counts.end()) {
      counts.emplace_back(operation, 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [operation, count] : counts) parts.push_back(fmt::format("{} {}", count, operation));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::int64_t received_bytes_of(const RunReport& report, std::uint32_t statement) {
  std::int64_t sum = 0;
  for (const StatementStatistics& one : report.statistics) {
    if (one.statement == statement) sum += one.received_bytes;
  }
  return sum;
}

// What operations receive by themselves.
std::string moved_text(const std::vector<PartsMoved>& parts) {
  const auto all_are = [&](std::string_view op) {
    return !parts.empty() && std::ranges::all_of(parts, [&](const PartsMoved& part) { return part.op == op; });
  };
  if (all_are("carry")) return "values carried";
  if (all_are("deliver")) return "rows delivered";
  return all_are("fetch") ? "rows fetched" : "parts moved";
}

// `all_to_all x: 20 KiB in all, peak 4 KiB per device`; empty for a statement that moved nothing.
std::string cost_text(const RunReport& report, std::uint32_t statement) {
  const std::int64_t received = received_bytes_of(report, statement);
  if (received == 0) return "";
  const auto [changes, parts, work, machine] = movement_of(report.program, statement);
  const std::string all = bytes_text(received) + " in all";
  if (changes.empty()) return fmt::format("{}: {}", moved_text(parts), all);
  std::int64_t peak = 0;
  for (const Redistribution& change : changes) peak = std::max(peak, change.plan.peak_bytes());
  const std::string also = parts.empty() ? "" : ", " + moved_text(parts);
  return fmt::format("{}{}: {}, peak {} per device", steps_text(changes), also, all, bytes_text(peak));
}

// A mesh as plans write it: `x:2,y:4 on 8:16`.
std::string named_mesh_text(const NamedMesh& mesh) {
  std::string text;
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    text += fmt::format("{}{}:{}", axis == 0 ? "" : ",", mesh.axes[axis].first, mesh.axes[axis].second);
    for (const NamedMesh::Cut& cut : mesh.cuts) {
      if (cut.axis == axis) text += fmt::format(" {}({})", cut.name, fmt::join(cut.weights, ","));
    }
  }
  if (!mesh.on.empty()) text += (text.empty() ? "on " : " on ") + mesh.on;
  return mesh.place.empty() ? text : text + " place " + to_text(mesh.place);
}

// `b (x:2 on 2:4)`, or the mesh alone where it has no name.
std::string with_name(const std::string& text, const std::vector<NamedMesh>& meshes) {
  const auto named =
      std::find_if(meshes.begin(), meshes.end(), [&](const NamedMesh& mesh) { return named_mesh_text(mesh) == text; });
  return named == meshes.end() ? text : fmt::format("{} ({})", named->name, text);
}

std::string with_remark(const std::string& line, const std::string& remark, int columns_max) {
  if (remark.empty()) return line + "\n";
  const int width = std::max(columns(line) + kRemarkGap, kRemarkColumn);
  if (width + columns(remark) <= columns_max) return padded(line, width) + remark + "\n";
  return line + "\n" + wrapped_at_words("    " + remark, columns_max) + "\n";
}

}  // namespace

std::string placement_text(const Placement& placement) {
  const std::string extents = extents_text(placement.tile);
  const std::string bytes = bytes_text(placement.tile_bytes);
  std::string tile = extents.empty() ? bytes : fmt::format("{} ({})", extents, bytes);
  if (placement.devices == 1) return tile;
  const bool uneven = placement.total_bytes != placement.tile_bytes * placement.devices;
  return fmt::format("each device {}{}, {}", uneven ? "at most " : "", tile,
                     counted(placement.copies, "copy", "copies"));
}

std::vector<Redistribution> changes_of(const Program& program, std::uint32_t statement) {
  std::vector<Redistribution> all = program.redistributions();
  std::erase_if(
      all, [&](const Redistribution& change) { return change.statement != statement || change.plan.steps().empty(); });
  return all;
}

Movement movement_of(const Program& program, std::uint32_t statement) {
  Movement movement{changes_of(program, statement), program.parts_moved(), program.local_work(), std::nullopt};
  std::erase_if(movement.work, [&](const LocalWork& one) { return one.statement != statement; });
  std::erase_if(movement.parts, [&](const PartsMoved& part) { return part.statement != statement; });
  return movement;
}

std::string_view what_it_does(const PartsMoved& part) {
  if (part.op == "carry") return "carries values from tile to tile";
  if (part.op == "deliver") return "delivers rows to where its ids say";
  return part.op == "fetch" ? "fetches rows that its ids name" : "fetches parts from other devices";
}

std::string part_text(const PartsMoved& part) {
  return fmt::format("{} at line {}, column {} {}: {}{} in all\n", part.who, part.place.line, part.place.column,
                     what_it_does(part), part.is_most ? "at most " : "", bytes_text(part.received_bytes));
}

std::string plan_text(const PartsMoved& part) {
  return fmt::format("{} at line {}, column {}\n{}", part.who, part.place.line, part.place.column, part.text);
}

std::string ends_text(const Plan& plan, const std::vector<NamedMesh>& meshes, std::string_view remark) {
  const std::string ends = fmt::format("{} -> {}{}\n", plan.from(), plan.to(), remark);
  const std::string from = plan.mesh_text();
  if (!plan.to_mesh_text().empty()) {
    return fmt::format("{}  from mesh {}\n  to mesh   {}\n", ends, with_name(from, meshes),
                       with_name(plan.to_mesh_text(), meshes));
  }
  const bool is_understood = std::all_of(meshes.begin(), meshes.end(), [&](const NamedMesh& mesh) {
    return !mesh.is_default || named_mesh_text(mesh) == from;
  });
  return is_understood ? ends : fmt::format("{}  on mesh {}\n", ends, with_name(from, meshes));
}

std::string plan_text(const Plan& plan, const std::vector<NamedMesh>& meshes) {
  const std::string text = plan.text();
  std::size_t steps = 0;  // behind what it says of its ends
  for (int lines = plan.to_mesh_text().empty() ? 1 : 3; lines > 0; --lines) steps = text.find('\n', steps) + 1;
  return ends_text(plan, meshes) + text.substr(steps);
}

std::string steps_text(const std::vector<Redistribution>& changes) {
  std::vector<std::string> steps;
  std::vector<std::string> operations;
  for (const Redistribution& change : changes) {
    for (const Plan::Step& step : change.plan.steps()) {
      steps.push_back(step_text(step));
      operations.push_back(step.op);
    }
  }
  return steps.size() <= kStepsMax ? fmt::format("{}", fmt::join(steps, ", ")) : counts_text(operations);
}

std::string bindings_text(const RunReport& report, const Screen& screen) {
  std::string text;
  const auto& all = report.bindings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_last_value(all[i].name)) continue;  // has been shown
    const std::string line = fmt::format("{} : {}", all[i].name, all[i].type);
    if (!screen.detailed) {
      text += line + "\n";
      continue;
    }
    const bool is_next_alike = i + 1 < all.size() && all[i + 1].statement == all[i].statement;
    const bool is_alone = !is_next_alike && (i == 0 || all[i - 1].statement != all[i].statement);
    const std::string cost = is_next_alike ? "" : cost_text(report, all[i].statement);
    // A number that every device has.
    const bool is_plain_scalar = all[i].placement.tile.empty() && all[i].placement.copies == all[i].placement.devices;
    const std::string placed = is_plain_scalar ? "" : placement_text(all[i].placement);
    text += with_remark(line, is_alone && !cost.empty() ? cost : placed, screen.columns());
    // What a statement moves for several names is said once, below them.
    if (!is_alone && !cost.empty()) text += wrapped_at_words("    together: " + cost, screen.columns()) + "\n";
  }
  return text;
}

std::string written(std::string_view text, const Screen& screen) {
  if (!screen.boxes && !screen.fits) return paint_picture(text, screen.out_colour, false);
  return paint_picture(fold_pictures(with_fitted_plans(text, screen.columns()), screen.columns()), screen.out_colour,
                       screen.boxes);
}

}  // namespace tessera::repl
