#include "runtime/device/steps/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/device/steps/generators.hpp"
#include "runtime/device/steps/ids.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/take.hpp"
#include "runtime/device/text/take_plain.hpp"
#include "runtime/engine/failures.hpp"
#include "synth/moves/collective/requests.hpp"

namespace tessera::device {

namespace {

const std::string kTakeHeader = "runtime/device/text/take.hpp";

bool tells_rows(const runtime::LocalStep& step) {
  return step.tiles.block(step.apply.results[0]).size() <= kernel::kFaultRows;
}

// The result's devices, in whose order failures are numbered.
FaultReport step_report(const runtime::LocalStep& step) {
  const std::int64_t first = step.tiles.block(step.apply.results[0]).begin;
  return [&tiles = step.tiles, &apply = step.apply, first](std::int64_t part, std::int64_t, std::int64_t id) {
    return runtime::step_failure(tiles, apply, static_cast<std::size_t>(first + part), id);
  };
}

template <class F>
void for_devices(const runtime::LocalStep& step, const F& f) {
  const runtime::Block block = step.tiles.block(step.apply.results[0]);
  for (std::int64_t d = block.begin; d < block.end; ++d) f(static_cast<std::size_t>(d));
}

// The largest words that rows can be moved in.
class WordSize {
 public:
  void at(std::uint64_t address_or_bytes) { bits_ |= address_or_bytes; }
  std::int64_t bytes() const { return std::int64_t{1} << std::min(4, std::countr_zero(bits_ | std::uint64_t{16})); }

 private:
  std::uint64_t bits_ = 0;
};

synth::Shape row_part(const synth::Shape& shape) { return {shape.begin() + 1, shape.end()}; }

std::int64_t word_bytes(const std::vector<TakePart>& parts) {
  const std::int64_t element = synth::bytes_of(parts[0].out.element);
  WordSize size;
  for (const TakePart& part : parts) {
    size.at(address_of(part.out.data));
    for (const TableTile& source : part.sources) {
      const synth::Shape row = row_part(source.table.shape);
      if (!runtime::is_dense(row, row_part(source.table.strides))) return element;
      size.at(address_of(source.table.data));
      size.at(static_cast<std::uint64_t>(source.table.strides[0] * element));
      size.at(static_cast<std::uint64_t>(runtime::count(row) * element));
    }
  }
  return std::max(element, size.bytes());
}

// Rows together where they are short, else a row in stretches.
kernel::TakeBlocks take_blocks(std::int64_t length) {
  constexpr std::int64_t kWords = kernel::kTakeWords;
  kernel::TakeBlocks blocks;
  blocks.stretches = std::max<std::int64_t>(1, blocks_for(length, kWords));
  blocks.words = std::max<std::int64_t>(1, std::min(length, kWords));
  blocks.block_rows = kWords / blocks.words;
  blocks.by_row = kernel::divisor_of(blocks.words);
  return blocks;
}

// One source of rows side by side, and ids a step apart.
bool is_plain_take(const kernel::TakeTile& tile) {
  return tile.source_count == 1 && tile.ids.walk.rank == 1 && tile.row.rank == 1 && tile.row.steps[0][0] == 1;
}

// All in words, of as many bytes as an element has or of dense rows.
std::vector<kernel::RowSource> row_sources(const TakePart& part, std::int64_t word) {
  std::vector<kernel::RowSource> sources;
  for (const TableTile& source : part.sources)
    sources.push_back({address_of(source.table.data), source.first_row, source.table.shape[0],
                       source.table.strides[0] * synth::bytes_of(part.out.element) / word});
  return sources;
}

kernel::TakeTile take_tile(const TakePart& part, const std::vector<kernel::RowSource>& sources, std::int64_t rows,
                           std::int64_t word) {
  const std::int64_t element = synth::bytes_of(part.out.element);
  kernel::TakeTile tile;
  tile.out = address_of(part.out.data);
  tile.ids = row_ids(part.ids, rows);
  tile.source_count = static_cast<std::int64_t>(sources.size());
  const runtime::TileView& first = part.sources.front().table;
  const synth::Shape row = row_part(first.shape);
  tile.length = runtime::count(row) * element / word;
  tile.blocks = take_blocks(tile.length);
  tile.row = word == element ? walk_of<1>(row, {row_part(first.strides)})
                             : walk_of<1>(synth::Shape{tile.length}, {synth::Shape{1}});
  return tile;
}

kernel::PlainTile plain_tile(const kernel::TakeTile& tile, const kernel::RowSource& table) {
  kernel::PlainTile plain;
  plain.out = tile.out;
  plain.ids = tile.ids.address;
  plain.id_step = tile.ids.walk.steps[0][0];
  plain.id_count = tile.ids.count;
  plain.low = tile.ids.low;
  plain.high = tile.ids.high;
  plain.wraps = tile.ids.wraps;
  plain.table = table;
  plain.length = tile.length;
  plain.blocks = tile.blocks;
  plain.is_wide = tile.ids.is_wide;
  return plain;
}

std::int64_t take_launch_blocks(const kernel::TakeTile& tile) {
  return blocks_for(tile.ids.count, tile.blocks.block_rows) * tile.blocks.stretches;
}

// Tiles that have ids, and what rows are filled with that nobody has.
struct Taken {
  std::vector<kernel::TakeTile> tiles;
  std::vector<std::vector<kernel::RowSource>> sources;  // of each
  std::vector<kernel::PlainTile> plain;                 // as many, if all are
  kernel::Fault fault;
  synth::ElementType element = synth::ElementType::f32;
};

template <class Word>
base::Status launch_take(Launcher& launcher, const Taken& taken) {
  const std::uint64_t identity =
      synth::is_storage(taken.element) ? 0 : identity_bits(synth::ReduceOp::sum, taken.element);
  typename kernel::Take<Word>::Args args{};
  args.fault = taken.fault;
  auto* const bytes = reinterpret_cast<std::byte*>(&args.missing);
  const auto element = static_cast<std::size_t>(synth::bytes_of(taken.element));
  for (std::size_t at = 0; at < sizeof(Word); at += element) std::memcpy(bytes + at, &identity, element);
  const std::string word = fmt::format("<{}>", word_name(static_cast<std::int64_t>(sizeof(Word))));
  if (taken.plain.size() == taken.tiles.size()) {
    TileTable<kernel::PlainTile> table;
    for (std::size_t k = 0; k < taken.tiles.size(); ++k) table.add(taken.plain[k], take_launch_blocks(taken.tiles[k]));
    return launch_tiles(launcher, {{"runtime/device/text/take_plain.hpp"}, "TakePlain" + word, ""}, table, args);
  }
  TileTable<kernel::TakeTile> table;
  for (std::size_t k = 0; k < taken.tiles.size(); ++k) {
    kernel::TakeTile tile = taken.tiles[k];
    TESSERA_TRY(list, table_of(launcher, taken.sources[k]));
    tile.sources = list;
    table.add(tile, take_launch_blocks(tile));
  }
  return launch_tiles(launcher, {{kTakeHeader}, "Take" + word, ""}, table, args);
}

base::Status launch_words(Launcher& launcher, std::int64_t word, const Taken& taken) {
  switch (word) {
    case 16: return launch_take<kernel::Sixteen>(launcher, taken);
    case 8: return launch_take<std::uint64_t>(launcher, taken);
    case 4: return launch_take<std::uint32_t>(launcher, taken);
    case 2: return launch_take<std::uint16_t>(launcher, taken);
    default: return launch_take<std::uint8_t>(launcher, taken);
  }
}

}  // namespace

base::Status take(Launcher& launcher, const std::vector<TakePart>& parts, std::int64_t rows,
                  const FaultReport& report) {
  if (parts.empty()) return base::Done{};
  const std::int64_t word = word_bytes(parts);
  CheckedIds ids;
  Taken taken;
  taken.element = parts[0].out.element;
  bool are_checked = true;  // by those who take their rows
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::vector<kernel::RowSource> sources = row_sources(parts[k], word);
    const kernel::TakeTile tile = take_tile(parts[k], sources, rows, word);
    if (tile.ids.count == 0) continue;
    ids.add(tile.ids, k);
    are_checked = are_checked && tile.length > 0;
    taken.tiles.push_back(tile);
    taken.sources.push_back(sources);
    if (is_plain_take(tile)) taken.plain.push_back(plain_tile(tile, sources.front()));
  }
  if (taken.tiles.empty()) return base::Done{};
  ids.begin(launcher, report);
  taken.fault = ids.fault();
  if (!are_checked) TESSERA_TRY_STATUS(ids.check(launcher));
  TESSERA_TRY_STATUS(launch_words(launcher, word, taken));
  return ids.note(launcher);
}

base::Status one_hot(Launcher& launcher, const std::vector<IdsPart>& parts, std::int64_t n, const FaultReport& report) {
  CheckedIds ids;
  TileTable<kernel::OneHotTile> table;
  const std::int64_t pack = parts.empty() ? 1 : 16 / synth::bytes_of(parts[0].out.element);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const kernel::IdList list = position_ids(parts[k].ids, n);
    ids.add(list, k);
    table.add({address_of(parts[k].out.data), 0, n, list},
              blocks_for(list.count * n, pack * kernel::CheckIds::kThreads));
  }
  ids.begin(launcher, report);
  TESSERA_TRY_STATUS(ids.check(launcher));
  if (!parts.empty()) {
    kernel::OneHot<float>::Args args{};
    args.fault = ids.fault();
    const std::string type = std::string("OneHot<") + type_name(parts[0].out.element) + ">";
    TESSERA_TRY_STATUS(launch_tiles(launcher, {{kTakeHeader}, type, ""}, table, args));
  }
  return ids.note(launcher);
}

base::Status search(Launcher& launcher, const std::vector<SearchPart>& parts, bool right) {
  TileTable<kernel::SearchTile> table;
  for (const SearchPart& part : parts) {
    kernel::SearchTile tile;
    tile.edges = address_of(part.edges.data);
    tile.values = address_of(part.values.data);
    tile.out = address_of(part.out.data);
    tile.edge_count = part.edges.shape[0];
    tile.edge_step = part.edges.strides[0];
    tile.count = runtime::count(part.values.shape);
    tile.value_walk = walk_of<1>(part.values.shape, {part.values.strides});
    table.add(tile, blocks_for(tile.count, kernel::Search<float, true>::kThreads));
  }
  if (table.is_empty()) return base::Done{};
  const std::string type =
      std::string("Search<") + type_name(parts[0].edges.element) + (right ? ", true>" : ", false>");
  return launch_tiles(launcher, {{kTakeHeader}, type, ""}, table, kernel::Search<float, true>::Args{});
}

// Along lines they are the host's.
bool goes_by_rows(const runtime::LocalStep& step) {
  const auto rank = [&](synth::RegisterId id) { return step.tiles.type(id).rank(); };
  return !synth::goes_along_lines(rank(step.apply.operands[0]), rank(step.apply.operands[1]),
                                  rank(step.apply.results[0]));
}

bool can_take(const runtime::LocalStep& step, const synth::Take&) { return tells_rows(step) && goes_by_rows(step); }

base::Status take(Launcher& launcher, const runtime::LocalStep& step, const synth::Take&) {
  const synth::RegisterId table = step.apply.operands[0];
  std::vector<TakePart> parts;
  for_devices(step, [&](std::size_t device) {
    const std::int64_t first = step.tiles.tiles(table).boxes[device][0].begin;
    parts.push_back({{{step.tiles.view(table, device), first}},
                     step.tiles.view(step.apply.operands[1], device),
                     step.tiles.out(step.apply.results[0], device)});
  });
  return take(launcher, parts, step.tiles.type(table).shape()[0], step_report(step));
}

bool can_scatter_add(const runtime::LocalStep& step, const synth::ScatterAdd&) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  bool fits = tells_rows(step) && goes_by_rows(step) &&
              step.tiles.type(step.apply.results[0]).element() != synth::ElementType::boolean;
  for_devices(step, [&](std::size_t device) {
    const synth::Box& ids = step.tiles.tiles(step.apply.operands[1]).boxes[device];
    fits = fits && synth::elements(ids) < kMost &&
           step.tiles.tiles(step.apply.results[0]).boxes[device][0].length() < kMost;
  });
  return fits;
}

base::Status scatter_add(Launcher& launcher, const runtime::LocalStep& step, const synth::ScatterAdd&) {
  const synth::RegisterId result = step.apply.results[0];
  std::vector<ScatterPart> parts;
  for_devices(step, [&](std::size_t device) {
    parts.push_back(
        {{{step.tiles.view(step.apply.operands[0], device), step.tiles.view(step.apply.operands[1], device)}},
         step.tiles.tiles(result).boxes[device][0].begin,
         step.tiles.out(result, device)});
  });
  return scatter_add(launcher, parts, step.tiles.type(result).shape()[0], step_report(step));
}

bool can_one_hot(const runtime::LocalStep& step, const synth::OneHot&) { return tells_rows(step); }

base::Status one_hot(Launcher& launcher, const runtime::LocalStep& step, const synth::OneHot&) {
  std::vector<IdsPart> parts;
  for_devices(step, [&](std::size_t device) {
    parts.push_back({step.tiles.view(step.apply.operands[0], device), step.tiles.out(step.apply.results[0], device)});
  });
  return one_hot(launcher, parts, step.tiles.type(step.apply.results[0]).shape().back(), step_report(step));
}

base::Status search(Launcher& launcher, const runtime::LocalStep& step, const synth::Search& operation) {
  std::vector<SearchPart> parts;
  for_devices(step, [&](std::size_t device) {
    parts.push_back({step.tiles.view(step.apply.operands[0], device), step.tiles.view(step.apply.operands[1], device),
                     step.tiles.out(step.apply.results[0], device)});
  });
  return search(launcher, parts, operation.right);
}

}  // namespace tessera::device
