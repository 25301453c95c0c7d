// Answers to statements that have run; types and plans in one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/screen.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// The name of the value of the last bare expression.
inline constexpr std::string_view kLastValue = "_";
// It, or a field of it.
inline bool is_last_value(std::string_view name) { return name == kLastValue || name.starts_with("_."); }

// A line for every name that was bound: its type and, on a terminal, the memory that it takes or the cost of making it.
std::string bindings_text(const RunReport& report, const Screen& screen);

// `each device 8x16x4 (2 KiB), 1 copy`
std::string placement_text(const Placement& placement);

// All data that one statement moves between devices: redistributions that have steps, and parts of arrays that slices,
// `pad` and `update` fetch.
struct Movement {
  std::vector<Redistribution> changes;
  std::vector<PartsMoved> parts;
  std::vector<LocalWork> work;     // of a machine whose devices are known
  std::optional<Machine> machine;  // of a statement that has run, the one that it was planned for

  bool empty() const { return changes.empty() && parts.empty(); }
};
Movement movement_of(const Program& program, std::uint32_t statement);
// `fetches parts from other devices`, or of `cumsum` and its kin that it carries values from tile to tile.
std::string_view what_it_does(const PartsMoved& part);
// `a slice at line 3, column 9 fetches parts from other devices: 4 B in all`, as a line.
std::string part_text(const PartsMoved& part);
// With its types, step, peak and bytes, as `plan` prints them.
std::string plan_text(const PartsMoved& part);
// The redistributions that one statement performs and that have steps.
std::vector<Redistribution> changes_of(const Program& program, std::uint32_t statement);

// `f32[8@x] -> f32[8@y]`, as a line; with lines that say on which mesh each end lies, or both do, unless that is the
// default one of these meshes.
std::string ends_text(const Plan& plan, const std::vector<NamedMesh>& meshes, std::string_view remark = "");

// The text of a plan, which begins with its ends.
std::string plan_text(const Plan& plan, const std::vector<NamedMesh>& meshes);

// `all_to_all x, all_to_all y`
std::string steps_text(const std::vector<Redistribution>& changes);

// Output of a program as the screen shows it: pictures painted.
std::string written(std::string_view text, const Screen& screen);

}  // namespace tessera::repl
