#include "runtime/device/steps/arg_reductions.hpp"

#include <fmt/format.h>

#include <map>

#include "runtime/device/steps/arg_plans.hpp"
#include "runtime/device/steps/names.hpp"
#include "runtime/device/steps/sums.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/arg_join.hpp"

namespace tessera::device {

namespace {

// A tile that is searched, and where its positions go.
struct Searched {
  ArgPlan plan;
  ReducedTile tile;
  Address out = 0;
};

struct TileArgs {
  kernel::Table tiles;
};

KernelText arg_text(std::string_view header, const std::string& type) {
  return {{fmt::format("runtime/device/text/{}", header)}, type, ""};
}

// Stretches' positions lie in a room of the step.
base::Result<std::int64_t> place_stretches(Launcher& launcher, std::vector<Searched>& all) {
  std::int64_t elements = 0;
  const auto own = [](const Searched& one) {
    return one.plan.tile.stretches.value == 1 ? 0 : one.plan.tile.results * one.plan.tile.stretches.value;
  };
  for (const Searched& one : all) elements += own(one);
  Address room = 0;
  if (elements > 0) {
    TESSERA_TRY(scratch, launcher.scratch(elements * 8));
    room = scratch;
  }
  for (Searched& one : all) {
    one.plan.tile.to = own(one) == 0 ? one.out : room;
    room += static_cast<Address>(own(one) * 8);
  }
  return elements;
}

base::Status launch_searches(Launcher& launcher, bool max, synth::ElementType element,
                             const std::vector<Searched>& all) {
  std::map<std::string, TileTable<kernel::ArgTile>> lists;
  for (const Searched& one : all) {
    const ArgPlan& plan = one.plan;
    const std::string type =
        plan.is_dense ? fmt::format("ArgRows<{}, {}, {}>", max, computed_name(element), plan.own)
                      : fmt::format("ArgColumns<{}, {}, {}, {}>", max, computed_name(element), plan.own, plan.even);
    lists[type].add(plan.tile, plan.blocks);
  }
  for (const auto& [type, list] : lists) {
    TESSERA_TRY(table, placed(launcher, list));
    TESSERA_TRY_STATUS(launch(launcher, arg_text("arg_reduce.hpp", type), list.blocks(), TileArgs{table}));
  }
  return base::Done{};
}

base::Status join_stretches(Launcher& launcher, bool max, synth::ElementType element,
                            const std::vector<Searched>& all) {
  constexpr std::int64_t kThreads = kernel::ArgJoin<true, float>::kThreads;
  TileTable<kernel::ArgJoinTile> list;
  for (const Searched& one : all) {
    const kernel::ArgTile& tile = one.plan.tile;
    if (tile.stretches.value == 1) continue;
    list.add({0, tile.from, tile.to, one.out, tile.results, tile.stretches.value,
              walk_along(one.tile.kept, one.tile.kept.rank()), walk_along(one.tile.reduced, one.tile.reduced.rank())},
             (tile.results + kThreads - 1) / kThreads);
  }
  TESSERA_TRY(table, placed(launcher, list));
  const std::string type = fmt::format("ArgJoin<{}, {}>", max, computed_name(element));
  return launch(launcher, arg_text("arg_join.hpp", type), list.blocks(), TileArgs{table});
}

kernel::FindTile find_tile(const FindPart& part, std::span<const std::uint8_t> dimensions) {
  const ReducedTile tile = reduced_tile(part.operand, dimensions);
  kernel::FindTile row{};
  row.from = reinterpret_cast<Address>(part.operand.data);
  row.wanted = reinterpret_cast<Address>(part.wanted.data);
  row.found = reinterpret_cast<Address>(part.out.data);
  row.results = tile.results();
  row.rank = static_cast<std::int64_t>(dimensions.size());
  row.kept = walk_along(tile.kept, tile.kept.rank());
  row.reduced = walk_along(tile.reduced, tile.reduced.rank());
  const Nested wanted = merged({part.wanted.shape, {part.wanted.strides}});
  row.wanted_walk = walk_along(wanted, wanted.rank());
  std::int64_t step = 1;
  for (std::size_t d = dimensions.size(); d-- > 0; step *= part.place.extents[d])
    row.dimensions[d] = {kernel::divisor_of(part.operand.shape[dimensions[d]]), part.place.begins[d], step};
  return row;
}

// Lines and their elements are counted with 31 bits.
bool is_countable(const runtime::TileView& operand, std::span<const std::uint8_t> dimensions) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31U) - 4096;
  const ReducedTile tile = reduced_tile(operand, dimensions);
  return tile.results() < kMost && tile.length() < kMost;
}

template <class F>
void for_searched_tiles(const runtime::LocalStep& step, const F& f) {
  const synth::RegisterId result = step.apply.results[0];
  const runtime::Block block = step.tiles.block(result);
  for (std::int64_t d = block.begin; d < block.end; ++d)
    f(static_cast<std::size_t>(d), step.tiles.out(result, static_cast<std::size_t>(d)));
}

bool can_search(const runtime::LocalStep& step, std::span<const std::uint8_t> dimensions) {
  bool can = true;
  for_searched_tiles(step, [&](std::size_t device, const runtime::TileOut&) {
    can = can && is_countable(step.tiles.view(step.apply.operands[0], device), dimensions);
  });
  return can;
}

}  // namespace

base::Status arg_reduce(Launcher& launcher, bool max, std::span<const std::uint8_t> dimensions,
                        const std::vector<ArgReducePart>& parts) {
  std::vector<Searched> all;
  std::vector<runtime::TileOut> nothing;
  for (const ArgReducePart& part : parts) {
    if (runtime::is_empty(part.out.shape)) continue;
    if (runtime::is_empty(part.operand.shape)) {
      nothing.push_back(part.out);
      continue;
    }
    const ReducedTile tile = reduced_tile(part.operand, dimensions);
    all.push_back(
        {arg_plan(tile, part.operand, launcher.processors()), tile, reinterpret_cast<Address>(part.out.data)});
  }
  TESSERA_TRY_STATUS(fill_repeated(launcher, nothing, 0));
  if (all.empty()) return base::Done{};
  const synth::ElementType element = parts[0].operand.element;
  TESSERA_TRY(in_stretches, place_stretches(launcher, all));
  TESSERA_TRY_STATUS(launch_searches(launcher, max, element, all));
  if (in_stretches == 0) return base::Done{};
  return join_stretches(launcher, max, element, all);
}

// A tile's best element is the first that may equal the best of all tiles.
base::Status find(Launcher& launcher, bool max, std::span<const std::uint8_t> dimensions,
                  const std::vector<FindPart>& parts) {
  constexpr std::int64_t kThreads = kernel::FindWanted<float>::kThreads;
  std::vector<ArgReducePart> searched;
  std::vector<runtime::TileOut> nothing;
  TileTable<kernel::FindTile> list;
  for (const FindPart& part : parts) {
    if (runtime::is_empty(part.out.shape)) continue;
    if (runtime::is_empty(part.operand.shape)) {
      nothing.push_back(part.out);
      continue;
    }
    searched.push_back({part.operand, part.out});
    const kernel::FindTile tile = find_tile(part, dimensions);
    list.add(tile, (tile.results + kThreads - 1) / kThreads);
  }
  TESSERA_TRY_STATUS(fill_repeated(launcher, nothing, static_cast<std::uint64_t>(kernel::FindWanted<float>::kNowhere)));
  if (searched.empty()) return base::Done{};
  TESSERA_TRY_STATUS(arg_reduce(launcher, max, dimensions, searched));
  TESSERA_TRY(table, placed(launcher, list));
  const std::string type = fmt::format("FindWanted<{}>", computed_name(parts[0].operand.element));
  return launch(launcher, arg_text("arg_join.hpp", type), list.blocks(), TileArgs{table});
}

bool can_arg_reduce(const runtime::LocalStep& step, const synth::ArgReduce& operation) {
  return can_search(step, operation.dimensions);
}

base::Status arg_reduce(Launcher& launcher, const runtime::LocalStep& step, const synth::ArgReduce& operation) {
  std::vector<ArgReducePart> parts;
  for_searched_tiles(step, [&](std::size_t device, const runtime::TileOut& out) {
    parts.push_back({step.tiles.view(step.apply.operands[0], device), out});
  });
  return arg_reduce(launcher, operation.max, operation.dimensions, parts);
}

bool can_find(const runtime::LocalStep& step, const synth::Find& operation) {
  return can_search(step, operation.dimensions);
}

base::Status find(Launcher& launcher, const runtime::LocalStep& step, const synth::Find& operation) {
  const synth::RegisterId array = step.apply.operands[0];
  const synth::Shape& whole = step.tiles.type(array).shape();
  std::vector<FindPart> parts;
  for_searched_tiles(step, [&](std::size_t device, const runtime::TileOut& out) {
    runtime::LinePlace place;
    for (const std::uint8_t d : operation.dimensions) {
      place.begins.push_back(step.tiles.tiles(array).boxes[device][d].begin);
      place.extents.push_back(whole[d]);
    }
    parts.push_back({step.tiles.view(array, device), step.tiles.view(step.apply.operands[1], device), place, out});
  });
  return find(launcher, operation.max, operation.dimensions, parts);
}

}  // namespace tessera::device
