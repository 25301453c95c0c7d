#include "runtime/device/steps/term_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "runtime/device/steps/product_shape.hpp"
#include "runtime/device/steps/tile_table.hpp"

namespace tessera::device {

namespace {

using kernel::TermTile;
using Walks = kernel::Walk<kernel::kTermOperands>;

constexpr std::int64_t kRowThreads = kernel::TermsInRow<float, 1>::kThreads;
constexpr std::int64_t kAcrossThreads = kernel::TermsAcross<float, 1>::kThreads;

Walks walks_of(const ContractIndices& indices, const IndexList& list) {
  std::array<synth::Shape, kernel::kTermOperands> steps;
  for (std::size_t k = 0; k < steps.size(); ++k)
    steps[k] = k < indices.operands() ? steps_of(indices, k, list) : synth::Shape(list.size(), 0);
  return walk_of<kernel::kTermOperands>(extents_of(indices, list), steps);
}

std::int64_t term_step(const Walks& walk, std::size_t operand) { return std::abs(walk.steps[operand][walk.rank - 1]); }

// Do the terms of a result lie closer together than those of neighbouring results, in what is read most?
bool is_in_row(const TermTile& tile, std::size_t operands) {
  if (tile.terms < kernel::kTermLanes) return false;
  if (tile.results < kernel::kTermLanes) return true;
  int for_rows = 0;
  for (std::size_t k = 0; k < operands; ++k) {
    const std::int64_t term = term_step(tile.term_walk, k);
    const std::int64_t result = term_step(tile.result_walk, k);
    if (term != 0 && result != 0) for_rows += term < result ? 1 : -1;
  }
  return for_rows > 0;
}

bool are_terms_packed(const TermTile& tile, std::size_t operands, std::int64_t pack) {
  if (tile.term_walk.rank != 1) return false;
  for (std::size_t k = 0; k < operands; ++k) {
    if (tile.term_walk.steps[k][0] != 1 || !kernel::is_aligned(tile.operands[k])) return false;
    for (std::int64_t d = 0; d < tile.result_walk.rank; ++d) {
      if (tile.result_walk.steps[k][d] % pack != 0) return false;
    }
  }
  return true;
}

// Blocks of terms that a block of threads has.
std::int64_t row_blocks(synth::ElementType element) {
  const std::int64_t pack = std::min<std::int64_t>(16 / synth::bytes_of(element), kernel::kTermLanes);
  return kRowThreads * pack / kernel::kTermLanes;
}

}  // namespace

void TermSums::add(const ContractIndices& indices, const ContractPart& part) {
  TermTile tile;
  for (std::size_t k = 0; k < operands_; ++k) tile.operands[k] = address_of(part.operands[k].data);
  tile.out = address_of(part.out.data);
  tile.results = runtime::count(part.out.shape);
  tile.terms = indices.count(indices.summed());
  tile.result_walk = walks_of(indices, indices.result());
  tile.term_walk = walks_of(indices, indices.summed());
  tile.are_packed = are_terms_packed(tile, operands_, 16 / synth::bytes_of(element_)) ? 1 : 0;
  (is_in_row(tile, operands_) ? in_row_ : across_).push_back(tile);
}

// In a row: several results together where their terms are few. Across: parts, so that there are `wanted` threads.
void TermSums::cut(TermTile& tile, bool in_row, std::int64_t wanted) const {
  const std::int64_t blocks = blocks_for(tile.terms, kernel::kTermBlock);
  if (in_row) {
    const std::int64_t most = row_blocks(element_);
    tile.part_terms = most * kernel::kTermBlock;
    const auto each = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min(blocks, most))));
    tile.at_once = most / each;
  } else {
    const std::int64_t parts = std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(1, tile.results), 1, blocks);
    const auto each = std::bit_ceil(static_cast<std::uint64_t>(blocks_for(blocks, parts)));
    tile.part_terms =
        std::min(static_cast<std::int64_t>(each) * kernel::kTermBlock, kernel::TermsAcross<float, 1>::kPartTerms);
  }
  tile.parts = blocks_for(tile.terms, tile.part_terms);
}

base::Status TermSums::launch(Launcher& launcher, std::vector<TermTile>& tiles, bool in_row) {
  const std::int64_t wanted = std::int64_t{launcher.processors()} * 8 * kAcrossThreads;
  std::int64_t values = 0;  // of parts
  for (TermTile& tile : tiles) {
    cut(tile, in_row, wanted);
    if (tile.parts > 1) values += tile.parts * tile.results;
  }
  const std::int64_t bytes = synth::bytes_of(element_);
  Address scratch = 0;
  if (values > 0) {
    TESSERA_TRY(room, launcher.scratch(values * bytes));
    scratch = room;
  }
  TileTable<TermTile> table;
  TileTable<kernel::PartsTile> joins;
  for (TermTile tile : tiles) {
    if (tile.parts > 1) {
      joins.add({scratch, tile.out, 0, tile.results, tile.parts}, blocks_for(tile.results, kAcrossThreads));
      tile.out = scratch;
      scratch += static_cast<Address>(tile.parts * tile.results * bytes);
    }
    table.add(tile, blocks_for(tile.results, in_row ? tile.at_once : kAcrossThreads) * tile.parts);
  }
  const std::string type = type_name(element_);
  const std::string header = "runtime/device/text/term_sums.hpp";
  const KernelText text{
      {header}, fmt::format("{}<{}, {}>", in_row ? "TermsInRow" : "TermsAcross", type, operands_), ""};
  TESSERA_TRY_STATUS(launch_tiles(launcher, text, table, kernel::TermArgs{}));
  return launch_tiles(launcher, {{header}, fmt::format("JoinParts<{}>", type), ""}, joins,
                      kernel::JoinParts<float>::Args{});
}

base::Status TermSums::launch(Launcher& launcher) {
  TESSERA_TRY_STATUS(launch(launcher, in_row_, true));
  return launch(launcher, across_, false);
}

}  // namespace tessera::device
