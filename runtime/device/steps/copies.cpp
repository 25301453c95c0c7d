#include "runtime/device/steps/copies.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <tuple>

#include "runtime/device/steps/copy_boxes.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/copy.hpp"
#include "runtime/device/text/copy_tiles.hpp"

namespace tessera::device {

namespace {

constexpr std::size_t kBoxesMost = 4096;  // of one table

kernel::CopyDimension dimension_of(const CopyAxis& axis) {
  return {kernel::divisor_of(axis.extent), static_cast<std::int32_t>(axis.from), static_cast<std::int32_t>(axis.to)};
}

std::int64_t parts_of(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

// Boxes whose units one kernel copies in the order of the target. `most`: dimensions of a box.
template <int most>
struct PlainCopies {
  using Row = kernel::CopyBox<most>;
  static bool holds(const UnitBox& box) { return !box.is_transposed() && box.rank() <= std::size_t{most}; }
  static KernelText text(int bytes) {
    return {{"runtime/device/text/copy.hpp"}, fmt::format("Copy<{}, {}>", bytes, most), ""};
  }
  static Row row_of(const UnitBox& box) {
    Row row{0, box.from, box.to, box.count(), {}};
    const std::size_t missing = most - box.rank();
    for (std::size_t d = 0; d < box.rank(); ++d) row.dimensions[missing + d] = dimension_of(box.axes[d]);
    return row;
  }
  // A block goes on more than once only where enough blocks are left to keep all processors busy.
  static base::Status launch(Launcher& launcher, int bytes, const std::vector<Row>& rows) {
    constexpr std::int64_t kBlocksOfProcessor = 64;
    constexpr std::int64_t kTurnsMost = 4;
    const std::int64_t turn = kernel::Copy<1, most>::kThreads * (bytes >= 8 ? 4 : 8);
    std::int64_t all = 0;
    for (const Row& row : rows) all += parts_of(row.count, turn);
    const std::int64_t turns =
        std::clamp<std::int64_t>(all / (kBlocksOfProcessor * launcher.processors()), 1, kTurnsMost);
    TileTable<Row> list;
    for (const Row& row : rows) list.add(row, parts_of(row.count, turn * turns));
    TESSERA_TRY(table, placed(launcher, list));
    return device::launch(launcher, text(bytes), list.blocks(), typename kernel::Copy<1, most>::Args{table, turns});
  }
};

int side_log(std::int64_t extent) {
  int log = 0;
  while (log < 8 && (std::int64_t{1} << log) < extent) ++log;
  return log;
}

// Boxes whose tiles are transposed through shared memory. `outer`: dimensions beside the two of a tile.
template <int outer>
struct TileCopies {
  using Row = kernel::CopyTilesBox<outer>;
  static bool holds(const UnitBox& box) { return box.is_transposed() && box.rank() <= std::size_t{outer} + 2; }
  static KernelText text(int bytes) {
    return {{"runtime/device/text/copy_tiles.hpp"}, fmt::format("CopyTiles<{}, {}>", bytes, outer), ""};
  }
  static Row row_of(const UnitBox& box) {
    const CopyAxis& a = box.axes[box.crossing];
    const CopyAxis& b = box.axes[box.rank() - 1];
    const int units_log = box.bytes == 16 ? 10 : box.bytes == 8 ? 11 : 12;  // of a tile
    int a_log = side_log(a.extent);
    int b_log = side_log(b.extent);
    while (a_log + b_log > units_log) --(b_log >= a_log ? b_log : a_log);
    Row row{};
    row.from = box.from;
    row.to = box.to;
    std::tie(row.a_from, row.a_to) = std::pair(static_cast<std::int32_t>(a.from), static_cast<std::int32_t>(a.to));
    std::tie(row.b_from, row.b_to) = std::pair(static_cast<std::int32_t>(b.from), static_cast<std::int32_t>(b.to));
    std::tie(row.a_extent, row.b_extent) =
        std::pair(static_cast<std::int32_t>(a.extent), static_cast<std::int32_t>(b.extent));
    std::tie(row.a_log, row.b_log) = std::pair(a_log, b_log);
    row.a_tiles = kernel::divisor_of(parts_of(a.extent, std::int64_t{1} << a_log));
    row.b_tiles = kernel::divisor_of(parts_of(b.extent, std::int64_t{1} << b_log));
    std::size_t place = outer;
    for (std::size_t d = box.rank() - 1; d-- > 0;) {
      if (d != box.crossing) row.others[--place] = dimension_of(box.axes[d]);
    }
    return row;
  }
  static base::Status launch(Launcher& launcher, int bytes, const std::vector<Row>& rows) {
    const auto blocks_of = [](const Row& row) {
      std::int64_t blocks = std::int64_t{row.a_tiles.value} * row.b_tiles.value;
      for (const kernel::CopyDimension& other : row.others) blocks *= other.extent.value;
      return blocks;
    };
    TileTable<Row> list;
    for (const Row& row : rows) list.add(row, blocks_of(row));
    TESSERA_TRY(table, placed(launcher, list));
    return device::launch(launcher, text(bytes), list.blocks(), typename kernel::CopyTiles<1, outer>::Args{table});
  }
};

// Boxes of one kind, by the logarithm of their units' bytes.
template <class Copies>
class CopyLists {
 public:
  bool add(const UnitBox& box) {
    if (!Copies::holds(box)) return false;
    lists_[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(box.bytes)))].push_back(Copies::row_of(box));
    return true;
  }
  // Launches the lists that have at least so many boxes.
  base::Status launch(Launcher& launcher, std::size_t least) {
    for (std::size_t log = 0; log < lists_.size(); ++log) {
      if (lists_[log].size() < least) continue;
      TESSERA_TRY_STATUS(Copies::launch(launcher, 1 << log, lists_[log]));
      lists_[log].clear();
    }
    return base::Done{};
  }

 private:
  std::array<std::vector<typename Copies::Row>, 5> lists_;
};

class AllCopies {
 public:
  void add(const UnitBox& box) {
    std::apply([&](auto&... lists) { static_cast<void>((lists.add(box) || ...)); }, lists_);
  }
  base::Status launch(Launcher& launcher, std::size_t least) {
    base::Status status = base::Done{};
    const auto go_on = [&](auto& lists) {
      if (status.ok()) status = lists.launch(launcher, least);
    };
    std::apply([&](auto&... lists) { (go_on(lists), ...); }, lists_);
    return status;
  }

 private:
  std::tuple<CopyLists<PlainCopies<2>>, CopyLists<PlainCopies<4>>, CopyLists<PlainCopies<16>>, CopyLists<TileCopies<2>>,
             CopyLists<TileCopies<14>>>
      lists_;
};

}  // namespace

base::Status copy(Launcher& launcher, const runtime::ItemList<runtime::BoxMove>& moves) {
  AllCopies all;
  std::vector<UnitBox> boxes;
  for (std::int64_t i = 0; i < moves.size(); ++i) {
    boxes.clear();
    add_boxes(moves.at(i), boxes);
    for (const UnitBox& box : boxes) all.add(box);
    if (i % 256 == 255) TESSERA_TRY_STATUS(all.launch(launcher, kBoxesMost));
  }
  return all.launch(launcher, 1);
}

base::Status copy(Launcher& launcher, std::span<const runtime::BoxMove> moves) {
  const auto at = [&](std::int64_t i) { return moves[static_cast<std::size_t>(i)]; };
  return copy(launcher, runtime::ItemList<runtime::BoxMove>(static_cast<std::int64_t>(moves.size()), at));
}

}  // namespace tessera::device
