#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "runtime/device/steps/ids.hpp"
#include "runtime/device/steps/radix_sort.hpp"
#include "runtime/device/steps/rows.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/scatter.hpp"

namespace tessera::device {

namespace {

using kernel::Lie;

const std::string kScatterHeader = "runtime/device/text/scatter.hpp";

std::int64_t ids_of(const ScatterPart& part) {
  std::int64_t all = 0;
  for (const AddedTile& source : part.sources) all += runtime::count(source.ids.shape);
  return all;
}
std::int64_t row_length(const ScatterPart& part) {
  return runtime::count({part.out.shape.begin() + 1, part.out.shape.end()});
}

// The shape and the strides of some dimensions of values.
std::pair<synth::Shape, synth::Shape> dimensions_of(const runtime::TileView& values, std::size_t first,
                                                    std::size_t last) {
  const auto of = [&](const synth::Shape& all) {
    return synth::Shape(all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.begin() + static_cast<std::ptrdiff_t>(last));
  };
  return {of(values.shape), of(values.strides)};
}

kernel::RowsAdded rows_added(const AddedTile& source, std::int64_t first_position) {
  const std::size_t of_ids = source.ids.shape.size();
  const auto [ids, id_steps] = dimensions_of(source.values, 0, of_ids);
  const auto [row, row_steps] = dimensions_of(source.values, of_ids, source.values.shape.size());
  return {address_of(source.values.data), first_position, walk_of<1>(ids, {id_steps}), walk_of<1>(row, {row_steps})};
}

bool are_rows_packed(const kernel::RowsAdded& rows, std::int64_t pack) {
  const auto in_packs = [&](const kernel::Walk<1>& walk, std::int64_t ranks) {
    return std::all_of(walk.steps[0], walk.steps[0] + ranks, [&](std::int64_t step) { return step % pack == 0; });
  };
  return kernel::is_aligned(rows.address) && in_packs(rows.rows, rows.rows.rank) &&
         rows.row.steps[0][rows.row.rank - 1] == 1 && rows.row.extents[rows.row.rank - 1] % pack == 0 &&
         in_packs(rows.row, rows.row.rank - 1);
}

std::vector<kernel::RowsAdded> sources_of(const ScatterPart& part) {
  std::vector<kernel::RowsAdded> sources;
  std::int64_t position = 0;
  for (const AddedTile& source : part.sources) {
    const std::int64_t count = runtime::count(source.ids.shape);
    if (count > 0) sources.push_back(rows_added(source, position));
    position += count;
  }
  return sources;
}

Lie lie_of(const ScatterPart& part, const std::vector<kernel::RowsAdded>& sources, std::int64_t pack) {
  const bool is_packed = row_length(part) % pack == 0 && address_of(part.out.data) % 16 == 0 &&
                         std::ranges::all_of(sources, [&](const auto& rows) { return are_rows_packed(rows, pack); });
  if (!is_packed) return Lie::anyhow;
  const bool is_plain =
      sources.empty() || (sources.size() == 1 && sources[0].rows.rank == 1 && sources[0].row.rank == 1);
  return is_plain ? Lie::plain : Lie::packed;
}

// Parts whose result has elements.
class Scatter {
 public:
  // A part, and the number of its first source that has ids among all lists of ids.
  struct Part {
    const ScatterPart* scatter;
    std::int64_t first_list;
  };
  Scatter(const std::vector<Part>& parts, std::int64_t rows, const kernel::Fault& fault)
      : parts_(parts), rows_(rows), fault_(fault) {}

  base::Status run(Launcher& launcher) {
    for (const Part& part : parts_) sort_.add(std::max<std::int64_t>(1, ids_of(*part.scatter)));
    TESSERA_TRY_STATUS(sort_.make_room(launcher));
    TESSERA_TRY_STATUS(make_keys(launcher));
    std::int64_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part.scatter->out.shape[0]);
    TESSERA_TRY_STATUS(sort_.sort(launcher, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)))));
    TESSERA_TRY_STATUS(find_starts(launcher));
    return add(launcher);
  }

 private:
  // A list without ids has one key of no meaning.
  base::Status make_keys(Launcher& launcher) const {
    TileTable<kernel::RowKeyTile> table;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const ScatterPart& part = *parts_[k].scatter;
      std::int64_t position = 0;
      std::int64_t number = parts_[k].first_list;
      for (const AddedTile& source : part.sources) {
        const kernel::IdList ids = row_ids(source.ids, rows_);
        if (ids.count == 0) continue;
        table.add({0, sort_.keys(k), sort_.positions(k), position, part.first_row, part.out.shape[0], number++, ids},
                  blocks_for(ids.count, kernel::RowKeys::kThreads));
        position += ids.count;
      }
    }
    kernel::RowKeys::Args args{};
    args.fault = fault_;
    return launch_tiles(launcher, {{kScatterHeader}, "RowKeys", ""}, table, args);
  }

  base::Status find_starts(Launcher& launcher) {
    std::int64_t all = 0;
    for (const Part& part : parts_) all += part.scatter->out.shape[0] + 1;
    TESSERA_TRY(room, launcher.scratch(all * 4));
    TileTable<kernel::RowStartTile> table;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::int64_t rows = parts_[k].scatter->out.shape[0];
      starts_.push_back(room);
      room += static_cast<Address>((rows + 1) * 4);
      table.add({0, sort_.keys(k), starts_.back(), ids_of(*parts_[k].scatter), rows},
                blocks_for(rows + 1, kernel::RowStarts::kThreads));
    }
    return launch_tiles(launcher, {{kScatterHeader}, "RowStarts", ""}, table, kernel::RowStarts::Args{});
  }

  base::Status add(Launcher& launcher) const {
    const synth::ElementType element = parts_[0].scatter->out.element;
    const std::int64_t pack = 16 / synth::bytes_of(element);
    Lie lie = Lie::plain;
    std::vector<kernel::AddRowsTile> tiles;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const ScatterPart& part = *parts_[k].scatter;
      const std::vector<kernel::RowsAdded> sources = sources_of(part);
      TESSERA_TRY(tile, add_tile(launcher, k, sources));
      tiles.push_back(tile);
      lie = std::min(lie, lie_of(part, sources, pack));
    }
    const bool is_plain = lie == Lie::plain;
    const std::int64_t rows_at_once = is_plain ? kernel::AddRows<float, Lie::plain>::kRows : 1;
    TileTable<kernel::AddRowsTile> table;
    for (const kernel::AddRowsTile& tile : tiles) {
      const std::int64_t columns = tile.length / (lie == Lie::anyhow ? 1 : pack);
      table.add(tile, blocks_for(blocks_for(tile.rows, rows_at_once) * columns,
                                 kernel::AddRows<float, Lie::plain>::kThreads));
    }
    const char* const lies = is_plain ? "plain" : lie == Lie::packed ? "packed" : "anyhow";
    const std::string type = fmt::format("AddRows<{}, tessera::kernel::Lie::{}>", type_name(element), lies);
    return launch_tiles(launcher, {{kScatterHeader}, type, ""}, table, kernel::AddRows<float, Lie::plain>::Args{});
  }

  base::Result<kernel::AddRowsTile> add_tile(Launcher& launcher, std::size_t k,
                                             const std::vector<kernel::RowsAdded>& sources) const {
    const ScatterPart& part = *parts_[k].scatter;
    kernel::AddRowsTile tile;
    tile.out = address_of(part.out.data);
    tile.positions = sort_.positions(k);
    tile.starts = starts_[k];
    tile.source_count = static_cast<std::int64_t>(sources.size());
    tile.rows = part.out.shape[0];
    tile.length = row_length(part);
    if (sources.empty()) return tile;
    tile.plain_from = sources[0].address;
    tile.plain_step = sources[0].rows.steps[0][0];
    TESSERA_TRY(list, table_of(launcher, sources));
    tile.sources = list;
    return tile;
  }

  const std::vector<Part>& parts_;
  std::int64_t rows_;
  kernel::Fault fault_;
  RadixSort sort_{4};
  std::vector<Address> starts_;
};

}  // namespace

base::Status scatter_add(Launcher& launcher, const std::vector<ScatterPart>& parts, std::int64_t rows,
                         const FaultReport& report) {
  CheckedIds ids;
  std::size_t number = 0;
  std::int64_t lists = 0;
  std::vector<Scatter::Part> with_results;
  for (const ScatterPart& part : parts) {
    if (!runtime::is_empty(part.out.shape)) with_results.push_back({&part, lists});
    for (const AddedTile& source : part.sources) {
      const kernel::IdList list = row_ids(source.ids, rows);
      ids.add(list, number++);
      lists += list.count > 0 ? 1 : 0;
    }
  }
  if (lists == 0 && with_results.empty()) return base::Done{};
  ids.begin(launcher, report);
  if (with_results.size() < parts.size()) TESSERA_TRY_STATUS(ids.check(launcher));
  if (!with_results.empty()) TESSERA_TRY_STATUS(Scatter(with_results, rows, ids.fault()).run(launcher));
  return ids.note(launcher);
}

}  // namespace tessera::device
