#include "runtime/device/steps/reductions.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "runtime/device/steps/names.hpp"
#include "runtime/device/steps/reduce_plans.hpp"
#include "runtime/device/steps/sums.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/join_leaves.hpp"

namespace tessera::device {

namespace {

// How all tiles of a step are reduced: kind and type of the elements, and where pieces of a reduction lie.
class Reduction {
 public:
  Reduction(Launcher& launcher, synth::ReduceKind kind, synth::ElementType element)
      : launcher_(launcher), kind_(kind), element_(element) {}

  void add(const RowsPlan& plan, Address out) {
    std::vector<RowsPlan>& plans = rows_[{plan.staged, plan.own, plan.lie}];
    plans.push_back(plan);
    plans.back().tile.to = place(plan.tile.results, plan.tile.stretches.value, out);
  }
  void add(const ColumnsPlan& plan, Address out) {
    columns_[{plan.own, plan.even}].push_back(plan);
    columns_[{plan.own, plan.even}].back().tile.to = place(plan.tile.results, plan.tile.stretches.value, out);
  }
  base::Status run() {
    TESSERA_TRY_STATUS(find_room());
    for (const auto& [how, plans] : rows_) {
      constexpr std::string_view kLies[] = {"dense", "runs", "any"};
      const auto [staged, own, lie] = how;
      const std::string type =
          fmt::format("{}<{}, {}, {}, RowLie::{}>", staged ? "ReduceStagedRows" : "ReduceRows", kind_name(kind_),
                      computed_name(element_), own, kLies[static_cast<std::size_t>(lie)]);
      const std::string_view header = staged ? "reduce_staged.hpp" : "reduce_rows.hpp";
      TESSERA_TRY_STATUS(launch_plans<kernel::ReduceRowsTile>(plans, header, type));
    }
    for (const auto& [how, plans] : columns_) {
      const std::string type = fmt::format("ReduceColumns<{}, {}, {}, {}>", kind_name(kind_), computed_name(element_),
                                           how.first, how.second);
      TESSERA_TRY_STATUS(launch_plans<kernel::ReduceColumnsTile>(plans, "reduce_columns.hpp", type));
    }
    while (!joins_.empty()) TESSERA_TRY_STATUS(join());
    return base::Done{};
  }

 private:
  // What several stretches give lies in the room, by its offset, until it is joined into `out`.
  struct Join {
    std::int64_t results = 0;
    std::int64_t leaves = 0;
    Address from = 0;
    Address out = 0;
  };
  using FewLeaves = kernel::JoinLeaves<synth::ReduceKind::sum, float>;
  using ManyLeaves = kernel::JoinManyLeaves<synth::ReduceKind::sum, float>;
  // So few results are joined by a block of threads each.
  static bool by_blocks(const Join& join) { return join.results <= 256 && join.leaves > 8; }
  static std::int64_t leaves_joined(const Join& join) {
    return by_blocks(join) ? ManyLeaves::kLeaves : FewLeaves::kLeaves;
  }
  static std::int64_t groups_of(const Join& join) {
    return (join.leaves + leaves_joined(join) - 1) / leaves_joined(join);
  }

  // An offset in the room is marked by the highest bit, until the room is known.
  static constexpr Address kInRoom = Address{1} << 63U;

  Address place(std::int64_t results, std::int64_t stretches, Address out) {
    if (stretches == 1) return out;
    joins_.push_back({results, stretches, more_room(results * stretches), out});
    return joins_.back().from;
  }
  Address more_room(std::int64_t elements) {
    const auto offset = static_cast<Address>(room_bytes_);
    room_bytes_ += (elements * synth::bytes_of(element_) + 255) / 256 * 256;
    return kInRoom | offset;
  }
  Address found(Address place) const { return (place & kInRoom) != 0 ? room_ + (place & ~kInRoom) : place; }

  // Room for the stretches, and for what groups of them give.
  base::Status find_room() {
    if (joins_.empty()) return base::Done{};
    own_bytes_ = room_bytes_;
    for (Join join : joins_) {
      while ((join.leaves = groups_of(join)) > 1) more_room(join.results * join.leaves);
    }
    TESSERA_TRY(room, launcher_.scratch(room_bytes_));
    room_ = room;
    room_bytes_ = own_bytes_;
    return base::Done{};
  }

  template <class Tile, class Plan>
  base::Status launch_plans(const std::vector<Plan>& plans, std::string_view header, const std::string& type) {
    TileTable<Tile> list;
    std::int64_t turns = 1;
    for (const Plan& plan : plans) {
      Tile tile = plan.tile;
      tile.to = found(tile.to);
      turns = std::max<std::int64_t>(turns, tile.turns);
      list.add(tile, plan.blocks);
    }
    TESSERA_TRY(table, placed(launcher_, list));
    struct Args {
      kernel::Table tiles;
      std::int64_t turns;
    };
    const KernelText text{{fmt::format("runtime/device/text/{}", header)}, type, ""};
    return launch(launcher_, text, list.blocks(), Args{table, turns});
  }

  // One level: every 64 or 2,048 leaves of a result become one.
  base::Status join() {
    TileTable<kernel::LeavesTile> few;
    TileTable<kernel::LeavesTile> many;
    std::vector<Join> next;
    for (const Join& join : joins_) {
      const std::int64_t groups = groups_of(join);
      const Address to = groups == 1 ? join.out : more_room(join.results * groups);
      const kernel::LeavesTile tile{0, found(join.from), found(to), join.results, join.leaves};
      if (by_blocks(join))
        many.add(tile, join.results * groups);
      else
        few.add(tile, (join.results + FewLeaves::kThreads - 1) / FewLeaves::kThreads * groups);
      if (groups > 1) next.push_back({join.results, groups, to, join.out});
    }
    joins_ = next;
    TESSERA_TRY_STATUS(launch_joins(few, "JoinLeaves"));
    return launch_joins(many, "JoinManyLeaves");
  }
  base::Status launch_joins(const TileTable<kernel::LeavesTile>& list, std::string_view name) {
    if (list.is_empty()) return base::Done{};
    TESSERA_TRY(table, placed(launcher_, list));
    const KernelText text{{"runtime/device/text/join_leaves.hpp"},
                          fmt::format("{}<{}, {}>", name, kind_name(kind_), computed_name(element_)),
                          ""};
    return launch(launcher_, text, list.blocks(), FewLeaves::Args{table});
  }

  Launcher& launcher_;
  synth::ReduceKind kind_;
  synth::ElementType element_;
  std::map<std::tuple<bool, int, kernel::RowLie>, std::vector<RowsPlan>> rows_;
  std::map<std::pair<int, bool>, std::vector<ColumnsPlan>> columns_;
  std::vector<Join> joins_;
  std::int64_t room_bytes_ = 0;
  std::int64_t own_bytes_ = 0;
  Address room_ = 0;
};

synth::ReduceOp op_of(synth::ReduceKind kind) {
  switch (kind) {
    case synth::ReduceKind::sum: return synth::ReduceOp::sum;
    case synth::ReduceKind::product: return synth::ReduceOp::product;
    case synth::ReduceKind::max: return synth::ReduceOp::max;
    case synth::ReduceKind::min: return synth::ReduceOp::min;
  }
  return synth::ReduceOp::sum;
}

std::vector<ReducePart> parts_of_step(const runtime::LocalStep& step) {
  std::vector<ReducePart> parts;
  const synth::RegisterId result = step.apply.results[0];
  const runtime::Block block = step.tiles.block(result);
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    parts.push_back({step.tiles.view(step.apply.operands[0], device), step.tiles.out(result, device)});
  }
  return parts;
}

}  // namespace

base::Status reduce(Launcher& launcher, synth::ReduceKind kind, std::span<const std::uint8_t> dimensions,
                    const std::vector<ReducePart>& parts) {
  if (parts.empty()) return base::Done{};
  Reduction reduction(launcher, kind, parts[0].out.element);
  std::vector<runtime::TileOut> nothing;
  for (const ReducePart& part : parts) {
    if (runtime::is_empty(part.out.shape)) continue;
    if (runtime::is_empty(part.operand.shape)) {
      nothing.push_back(part.out);
      continue;
    }
    const ReducedTile tile = reduced_tile(part.operand, dimensions);
    const auto out = reinterpret_cast<Address>(part.out.data);
    if (tile.along_rows)
      reduction.add(rows_plan(tile, part.operand, launcher.processors()), out);
    else
      reduction.add(columns_plan(tile, part.operand, launcher.processors()), out);
  }
  const auto at = [&](std::int64_t i) { return nothing[static_cast<std::size_t>(i)]; };
  const runtime::ItemList<runtime::TileOut> list(static_cast<std::int64_t>(nothing.size()), at);
  TESSERA_TRY_STATUS(fill_identity(launcher, op_of(kind), list));
  return reduction.run();
}

// Results, and elements of a row that lies in pieces, are counted with 31 bits.
bool can_reduce(const runtime::LocalStep& step, const synth::Reduce& operation) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31U) - 256;
  for (const ReducePart& part : parts_of_step(step)) {
    const ReducedTile tile = reduced_tile(part.operand, operation.dimensions);
    if (tile.results() >= kMost || tile.length() / kernel::kRowBlock >= kMost) return false;
    const bool is_dense = tile.along_rows && tile.reduced.rank() <= 1;
    if (!is_dense && tile.length() >= kMost) return false;
  }
  return true;
}

// A sum of nothing is the identity, -0.0, where other devices may have something to add, and 0.0 where the whole array
// has nothing.
base::Status reduce(Launcher& launcher, const runtime::LocalStep& step, const synth::Reduce& operation) {
  const synth::Shape& shape = step.tiles.type(step.apply.operands[0]).shape();
  const bool sums_nothing =
      operation.kind == synth::ReduceKind::sum && std::any_of(operation.dimensions.begin(), operation.dimensions.end(),
                                                              [&](std::uint8_t d) { return shape[d] == 0; });
  const std::vector<ReducePart> parts = parts_of_step(step);
  if (!sums_nothing) return reduce(launcher, operation.kind, operation.dimensions, parts);
  std::vector<runtime::TileOut> tiles;
  for (const ReducePart& part : parts) tiles.push_back(part.out);
  return fill_repeated(launcher, tiles, 0);
}

}  // namespace tessera::device
