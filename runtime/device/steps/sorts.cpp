#include "runtime/device/steps/sorts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "runtime/device/steps/radix_sort.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/sort.hpp"

namespace tessera::device {

namespace {

constexpr std::int64_t kLongestInShared = 4'096;
constexpr std::int64_t kShortestInShared = 64;
constexpr std::int64_t kSortThreads = kernel::MakeKeys<float, true, true>::kThreads;

synth::Shape without_last(const synth::Shape& shape) { return {shape.begin(), shape.end() - 1}; }

kernel::SortTile sort_tile(const SortPart& part) {
  kernel::SortTile tile;
  tile.from = address_of(part.operand.data);
  tile.out = address_of(part.out.data);
  const synth::Shape rows = without_last(part.operand.shape);
  tile.rows = runtime::count(rows);
  tile.length = part.operand.shape.back();
  tile.count = part.out.shape.back();
  tile.first = part.first;
  tile.from_step = part.operand.strides.back();
  synth::Shape place_steps(rows.size(), 0);
  if (part.places) {
    tile.places = address_of(part.places->data);
    tile.place_step = part.places->strides.back();
    place_steps = without_last(part.places->strides);
  }
  tile.row_walk = walk_of<2>(rows, {without_last(part.operand.strides), place_steps});
  return tile;
}

// Tiles of one element type. Short rows have a block of threads each; a long one is a list of its own.
class Sorting {
 public:
  Sorting(synth::ElementType element, bool positions, bool descending)
      : element_(element),
        out_bytes_(positions ? 8 : synth::bytes_of(element)),
        rest_(fmt::format("{}, {}>", positions, descending)) {}

  void add(const kernel::SortTile& tile) { (tile.length <= kLongestInShared ? short_ : long_).push_back(tile); }
  base::Status run(Launcher& launcher) const {
    TESSERA_TRY_STATUS(sort_short(launcher));
    return sort_long(launcher);
  }

 private:
  KernelText text(const std::string& begin) const { return {{"runtime/device/text/sort.hpp"}, begin + rest_, ""}; }

  base::Status sort_short(Launcher& launcher) const {
    std::int64_t longest = kShortestInShared;
    TileTable<kernel::SortTile> table;
    for (const kernel::SortTile& tile : short_) {
      longest = std::max(longest, tile.length);
      table.add(tile, tile.rows);
    }
    const std::uint64_t length = std::bit_ceil(static_cast<std::uint64_t>(longest));
    return launch_tiles(launcher, text(fmt::format("SortRow<{}, {}, ", type_name(element_), length)), table,
                        kernel::SortArgs{});
  }

  base::Status sort_long(Launcher& launcher) const {
    const std::int64_t key_bytes = synth::bytes_of(element_) == 8 ? 8 : 4;
    RadixSort lists(key_bytes);
    std::vector<kernel::SortTile> rows;
    for (const kernel::SortTile& tile : long_) {
      for (std::int64_t row = 0; row < tile.rows; ++row) {
        rows.push_back(row_alone(tile, row));
        lists.add(tile.length);
      }
    }
    TESSERA_TRY_STATUS(lists.make_room(launcher));
    const std::string type = fmt::format("<{}, ", type_name(element_));
    TESSERA_TRY_STATUS(launch_tiles(launcher, text("MakeKeys" + type), listed(rows, lists, false), kernel::SortArgs{}));
    TESSERA_TRY_STATUS(
        lists.sort(launcher, element_ == synth::ElementType::boolean ? 1 : static_cast<int>(8 * key_bytes)));
    return launch_tiles(launcher, text("PutSorted" + type), listed(rows, lists, true), kernel::SortArgs{});
  }
  static TileTable<kernel::SortTile> listed(const std::vector<kernel::SortTile>& rows, const RadixSort& lists,
                                            bool of_results) {
    TileTable<kernel::SortTile> table;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      kernel::SortTile row = rows[k];
      row.keys = lists.keys(k);
      row.numbers = lists.positions(k);
      table.add(row, blocks_for(of_results ? row.count : row.length, kSortThreads));
    }
    return table;
  }
  kernel::SortTile row_alone(const kernel::SortTile& tile, std::int64_t row) const {
    kernel::SortTile alone = tile;
    const kernel::Places<2> begin = kernel::places(tile.row_walk, row);
    alone.from += static_cast<Address>(begin.at[0] * synth::bytes_of(element_));
    if (alone.places != 0) alone.places += static_cast<Address>(begin.at[1] * 8);
    alone.out += static_cast<Address>(row * tile.count * out_bytes_);
    return alone;
  }

  synth::ElementType element_;
  std::int64_t out_bytes_;
  std::string rest_;
  std::vector<kernel::SortTile> short_, long_;
};

template <class F>
std::vector<SortPart> sort_parts(const runtime::LocalStep& step, const F& first) {
  std::vector<SortPart> parts;
  const runtime::Block block = step.tiles.block(step.apply.results[0]);
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    SortPart part{step.tiles.view(step.apply.operands[0], device), step.tiles.out(step.apply.results[0], device),
                  first(device)};
    if (step.apply.operands.size() > 1) part.places = step.tiles.view(step.apply.operands[1], device);
    parts.push_back(part);
  }
  return parts;
}
std::int64_t no_position(std::size_t /*device*/) { return 0; }

}  // namespace

// Positions are counted in 32 bits, and a long row is a list of its own.
bool can_sort(const runtime::LocalStep& step) {
  constexpr std::int64_t kMostLongRows = 65'536;
  const runtime::Block block = step.tiles.block(step.apply.results[0]);
  std::int64_t long_rows = 0;
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const synth::Box& box = step.tiles.tiles(step.apply.operands[0]).boxes[static_cast<std::size_t>(d)];
    const std::int64_t length = box.back().length();
    if (length >= std::int64_t{1} << 31) return false;
    if (length > kLongestInShared) long_rows += synth::elements(box) / length;
  }
  return long_rows <= kMostLongRows;
}

base::Status sort(Launcher& launcher, bool positions, bool descending, const std::vector<SortPart>& parts) {
  if (parts.empty()) return base::Done{};
  Sorting sorting(parts[0].operand.element, positions, descending);
  for (const SortPart& part : parts) {
    if (!runtime::is_empty(part.out.shape)) sorting.add(sort_tile(part));
  }
  return sorting.run(launcher);
}

base::Status sort(Launcher& launcher, const runtime::LocalStep& step, const synth::Sort& operation) {
  return sort(launcher, operation.positions, false, sort_parts(step, no_position));
}
base::Status sort(Launcher& launcher, const runtime::LocalStep& step, const synth::Greatest& operation) {
  return sort(launcher, operation.positions, true, sort_parts(step, no_position));
}
base::Status sort(Launcher& launcher, const runtime::LocalStep& step, const synth::Candidates& operation) {
  const runtime::TileMap& tiles = step.tiles.tiles(step.apply.operands[0]);
  return sort(launcher, operation.positions, true,
              sort_parts(step, [&](std::size_t device) { return tiles.boxes[device].back().begin; }));
}

}  // namespace tessera::device
