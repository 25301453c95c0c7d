// Tables of tiles or boxes, of which a launch makes all at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/text/rows.hpp"
#include "runtime/device/text/walk.hpp"
#include "runtime/kernels/nest.hpp"

namespace tessera::device {

inline Address address_of(const std::byte* memory) { return reinterpret_cast<Address>(memory); }

// The type of an element in a kernel, and that of whole numbers of so many bytes.
constexpr const char* type_name(synth::ElementType element) {
  switch (element) {
    case synth::ElementType::boolean: return "bool";
    case synth::ElementType::i32: return "std::int32_t";
    case synth::ElementType::i64: return "std::int64_t";
    case synth::ElementType::f32: return "float";
    case synth::ElementType::f64: return "double";
    case synth::ElementType::f16:
    case synth::ElementType::bf16: return "std::uint16_t";
    case synth::ElementType::i8: return "std::int8_t";
    case synth::ElementType::u8: return "std::uint8_t";
    case synth::ElementType::i16: return "std::int16_t";
    case synth::ElementType::u16: return "std::uint16_t";
    case synth::ElementType::u32: return "std::uint32_t";
    case synth::ElementType::c64: return "std::uint64_t";
    case synth::ElementType::c128: return "tessera::kernel::Sixteen";
  }
  return "";
}
constexpr const char* word_name(std::int64_t bytes) {
  switch (bytes) {
    case 16: return "tessera::kernel::Sixteen";
    case 8: return "std::uint64_t";
    case 4: return "std::uint32_t";
    case 2: return "std::uint16_t";
    default: return "std::uint8_t";
  }
}

// Dimensions as kernels walk them, merged where all arrays allow it.
template <std::size_t N>
kernel::Walk<static_cast<int>(N)> walk_of(const synth::Shape& shape, const std::array<synth::Shape, N>& steps) {
  const runtime::Nest<N> nest = runtime::make_nest<N>(shape, steps);
  kernel::Walk<static_cast<int>(N)> walk;
  walk.rank = static_cast<std::int64_t>(nest.rank);
  for (std::size_t d = 0; d < nest.rank; ++d) {
    walk.extents[d] = nest.extents[d];
    for (std::size_t k = 0; k < N; ++k) walk.steps[k][d] = nest.strides[d][k];
  }
  return walk;
}

constexpr std::int64_t blocks_for(std::int64_t items, std::int64_t of_a_block) {
  return (items + of_a_block - 1) / of_a_block;
}

// Row has a `first_block`.
template <class Row>
class TileTable {
 public:
  // Blocks that a tile takes; one that takes none has no row.
  void add(Row row, std::int64_t blocks) {
    if (blocks == 0) return;
    each_ = rows_.empty() || blocks == each_ ? blocks : 0;
    row.first_block = blocks_;
    blocks_ += blocks;
    rows_.push_back(std::move(row));
  }
  bool is_empty() const { return rows_.empty(); }
  std::int64_t blocks() const { return blocks_; }
  // Blocks of every tile, if all have equally many; else 0.
  std::int64_t each() const { return each_; }
  const std::vector<Row>& rows() const { return rows_; }
  std::vector<Row>& rows() { return rows_; }

 private:
  std::vector<Row> rows_;
  std::int64_t blocks_ = 0;
  std::int64_t each_ = 0;
};

// The table where kernels can read it.
template <class Row>
base::Result<kernel::Table> placed(Launcher& launcher, const TileTable<Row>& table) {
  TESSERA_TRY(address, table_of(launcher, table.rows()));
  return kernel::Table{address, static_cast<std::int64_t>(table.rows().size()), table.each()};
}

// A kernel whose Args are {tiles, tile_count} or begin so; nothing is launched for no tiles.
template <class Args, class Row>
base::Status launch_tiles(Launcher& launcher, const KernelText& text, const TileTable<Row>& table, Args args) {
  if (table.is_empty()) return base::Done{};
  TESSERA_TRY(tiles, table_of(launcher, table.rows()));
  args.tiles = tiles;
  args.tile_count = static_cast<std::int64_t>(table.rows().size());
  return launch(launcher, text, table.blocks(), args);
}

}  // namespace tessera::device
