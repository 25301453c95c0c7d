#include "runtime/memory/plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/memory/in_place.hpp"
#include "runtime/memory/liveness.hpp"
#include "runtime/memory/placement.hpp"
#include "runtime/memory/windows.hpp"
#include "runtime/memory/written_parts.hpp"

namespace tessera::runtime {

namespace {

// What may be read, and made, where other arrays lie.
struct Found {
  FoundWindows windows;
  WrittenParts parts;
  bool are_sifted = false;  // some parts could not be made where they belong
};

// A plan that copies these slices, and those whose copies might make a better one.
struct PlanOfCopies {
  Copied copied;
  MemoryPlan plan = {};
  Copied in_the_way = {};
  Copied worth_copying = {};
};

// Windows whose edges cannot be read apart from the rest are copied, too; those that look through a frame see it made.
// Parts that cannot be made where they belong get memory of their own; all do if some of the rest cannot in the next
// plan.
PlanOfCopies plan_with(const synth::Program& program, const TileMaps& tiles, const Found& found, Copied copied,
                       base::StopToken stop) {
  PlanOfCopies made{std::move(copied)};
  const FoundWindows& windows = found.windows;
  Liveness lives = find_lives(program, tiles, windows.without(made.copied), found.parts, made.copied, made.plan);
  InPlace in_place = find_in_place(program, tiles, lives, made.plan);
  made.in_the_way = in_place.in_the_way;
  made.worth_copying = lives.worth_copying;
  Copied more = place_registers(program, tiles, found.parts, std::move(lives), std::move(in_place), made.plan, stop);
  Found fewer = found;
  if (more.empty()) {
    more = refused_parts(program, tiles, made.plan, found.parts);
    if (more.empty()) return made;
    if (std::exchange(fewer.are_sifted, true)) fewer.parts.clear();
  }
  for (const synth::RegisterId id : more) {
    if (const auto frame = windows.frame_of(id)) fewer.windows.frames.erase(*frame);
  }
  std::erase_if(more, [&](synth::RegisterId id) {
    fewer.parts.erase(id);
    return found.parts.contains(id) || windows.frame_of(id).has_value();
  });
  more.insert(made.copied.begin(), made.copied.end());
  return plan_with(program, tiles, fewer, std::move(more), stop);
}

// Slices that keep loops from having one place are copied if the peak is no higher: a turn then writes less.
MemoryPlan plan_with_found(const synth::Program& program, const TileMaps& tiles, const Found& found,
                           base::StopToken stop) {
  PlanOfCopies best = plan_with(program, tiles, found, {}, stop);
  if (!best.in_the_way.empty()) {
    PlanOfCopies in_place = plan_with(program, tiles, found, best.in_the_way, stop);
    if (in_place.plan.peak_bytes <= best.plan.peak_bytes) best = std::move(in_place);
  }
  if (best.worth_copying.empty()) return std::move(best.plan);
  Copied both = best.copied;
  both.insert(best.worth_copying.begin(), best.worth_copying.end());
  PlanOfCopies smaller = plan_with(program, tiles, found, std::move(both), stop);
  return std::move(smaller.plan.peak_bytes < best.plan.peak_bytes ? smaller.plan : best.plan);
}

bool has_edges_at_sides(synth::RegisterId id, const Window& window, const TileMaps& tiles) {
  for (std::size_t d = 1; window.edges != nullptr && d < window.begin.size(); ++d) {
    if (window.edges->lacks(tiles[id], d)) return true;
  }
  return false;
}

}  // namespace

// Windows are copied where one keeps its source alive for so long that the peak would be higher, those with edges
// first, those that move last; before that frames are made, and windows with edges at their sides are copied. Parts
// that are made where they belong are given up first of all.
MemoryPlan plan_memory(const synth::Program& program, const TileMaps& tiles, base::StopToken stop) {
  Found found{find_windows(program, tiles), find_written_parts(program, tiles)};
  FoundWindows& windows = found.windows;
  MemoryPlan best = plan_with_found(program, tiles, found, stop);
  const auto plan_again = [&] {
    MemoryPlan other = plan_with_found(program, tiles, found, stop);
    if (other.peak_bytes < best.peak_bytes) best = std::move(other);
  };
  const auto plan_without = [&](const auto& is_left_out) {
    if (std::erase_if(windows.plain, is_left_out) + std::exchange(windows.frames, {}).size() > 0) plan_again();
  };
  if (!found.parts.empty()) {
    const WrittenParts parts = std::exchange(found.parts, {});
    plan_again();
    found.parts = parts;
  }
  plan_without([](const auto&) { return false; });
  plan_without([&](const auto& window) { return has_edges_at_sides(window.first, window.second, tiles); });
  plan_without([](const auto& window) { return window.second.edges != nullptr; });
  const auto moves = [](const auto& window) { return window.second.moves; };
  if (std::ranges::any_of(windows.plain, moves)) plan_without([&](const auto& window) { return !moves(window); });
  plan_without([](const auto&) { return true; });
  return best;
}

}  // namespace tessera::runtime
