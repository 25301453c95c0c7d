#include "repl/course/count_layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

constexpr std::size_t kAxesMax = 3;
constexpr std::size_t kRankMax = 3;

// Holds the axes of each dimension, major first, then the pending ones.
using Slots = std::vector<std::vector<std::string>>;

std::string type_text(const Slots& slots, std::size_t rank, std::int64_t extent) {
  std::vector<std::string> sides;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string axes = fmt::format("{}", fmt::join(slots[d], ","));
    sides.push_back(axes.empty() ? fmt::format("{}", extent) : fmt::format("{}@({})", extent, axes));
  }
  const std::string pending =
      slots.size() > rank && !slots[rank].empty() ? fmt::format("{{+{}}}", fmt::join(slots[rank], ",")) : std::string();
  return fmt::format("i32[{}]{}", fmt::join(sides, ", "), pending);
}

// Every way to put the axes from `next` on into the slots, at every place of a slot, or nowhere.
void place_axes(const MeshAxes& mesh, std::size_t next, Slots& slots, std::vector<Slots>& all) {
  if (next == mesh.size()) {
    all.push_back(slots);
    return;
  }
  place_axes(mesh, next + 1, slots, all);
  for (auto& slot : slots) {
    for (std::size_t at = 0; at <= slot.size(); ++at) {
      slot.insert(slot.begin() + static_cast<std::ptrdiff_t>(at), mesh[next].name);
      place_axes(mesh, next + 1, slots, all);
      slot.erase(slot.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

std::int64_t devices_of(const MeshAxes& mesh) {
  std::int64_t devices = 1;
  for (const MeshAxis& axis : mesh) devices *= axis.size;
  return devices;
}

// The orders of two axes on dimension 0, drawn.
std::string example_of(const Session& session, const MeshAxes& mesh) {
  if (mesh.size() < 2) return "";
  std::string text = "The order of two axes on one dimension counts:\n";
  for (const auto& [major, minor] :
       {std::pair<std::size_t, std::size_t>(0, 1), std::pair<std::size_t, std::size_t>(1, 0)}) {
    const std::string type = fmt::format("i32[{}@({},{})]", devices_of(mesh), mesh[major].name, mesh[minor].name);
    const auto array = value_of(session, fmt::format("iota({})", type));
    if (array.value) text += picture_of(*array.value, "iota");
  }
  return text;
}

}  // namespace

Read<LayoutCount> count_layouts(const Session& session, std::string_view subject) {
  const bool with_pending = subject.ends_with(" with pending");
  if (with_pending) subject.remove_suffix(std::string_view(" with pending").size());
  if (subject.size() != 6 || !subject.starts_with("rank ") || subject[5] < '1' || subject[5] > '3') {
    return {std::nullopt, "`layouts of` needs `rank 1`, `rank 2` or `rank 3`, and perhaps `with pending`"};
  }
  const auto rank = static_cast<std::size_t>(subject[5] - '0');
  static_assert(kRankMax == 3);
  const auto scalar = value_of(session, "0");
  if (!scalar.value) return {std::nullopt, scalar.why};
  const MeshAxes mesh = scalar.value->mesh();
  if (mesh.size() > kAxesMax) return {std::nullopt, "`layouts of` needs a mesh of at most 3 axes"};
  Slots slots(rank + (with_pending ? 1 : 0));
  std::vector<Slots> all;
  place_axes(mesh, 0, slots, all);
  std::set<std::string> types;
  for (const Slots& one : all) {
    Session fork = session.fork();
    const auto program = fork.check("let asked_ = zeros(" + type_text(one, rank, devices_of(mesh)) + ")\n", "lesson");
    if (program) types.insert(program->bindings().front().type);
  }
  return {LayoutCount{static_cast<int>(types.size()), example_of(session, mesh)}, {}};
}

}  // namespace tessera::repl
