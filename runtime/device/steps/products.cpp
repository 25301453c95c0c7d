#include "runtime/device/steps/products.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/steps/generators.hpp"
#include "runtime/device/steps/product_shape.hpp"
#include "runtime/device/steps/term_sums.hpp"
#include "runtime/device/steps/tile_table.hpp"
#include "runtime/device/text/product.hpp"

namespace tessera::device {

namespace {

using kernel::Way;

// How an operand of all parts can be read. `lanes` are its rows or columns.
struct SideForm {
  bool terms_packed = true;
  bool lanes_packed = true;
  bool by_terms = true;  // terms lie closer together than lanes

  Way way(bool may_pack) const {
    if (may_pack && terms_packed) return Way::terms_packed;
    if (may_pack && lanes_packed) return Way::lanes_packed;
    return by_terms ? Way::terms : Way::lanes;
  }
};

template <int N>
std::int64_t side_step(const kernel::Walk<N>& walk, int array) {
  return walk.steps[array][walk.rank - 1];
}
// Are all steps but the innermost multiples?
template <int N>
bool steps_in(const kernel::Walk<N>& walk, int array, std::int64_t multiple, bool inner) {
  for (std::int64_t d = 0; d + (inner ? 0 : 1) < walk.rank; ++d) {
    if (walk.steps[array][d] % multiple != 0) return false;
  }
  return true;
}
// Do elements along the walk lie side by side in whole packs?
template <int N>
bool is_packed(const kernel::Walk<N>& walk, int array, std::int64_t pack) {
  return side_step(walk, array) == 1 && walk.extents[walk.rank - 1] % pack == 0 && steps_in(walk, array, pack, false);
}

void narrow(SideForm& form, const kernel::ProductTile& tile, int operand, std::int64_t pack) {
  const kernel::Walk<2>& lanes = operand == 0 ? tile.row_walk : tile.column_walk;
  const std::uint64_t address = operand == 0 ? tile.left : tile.right;
  const bool aligned = kernel::is_aligned(address) && steps_in(tile.batch_walk, operand, pack, true);
  form.terms_packed =
      form.terms_packed && aligned && is_packed(tile.term_walk, operand, pack) && steps_in(lanes, 0, pack, true);
  form.lanes_packed =
      form.lanes_packed && aligned && is_packed(lanes, 0, pack) && steps_in(tile.term_walk, operand, pack, true);
  form.by_terms = form.by_terms && std::abs(side_step(tile.term_walk, operand)) <= std::abs(side_step(lanes, 0));
}

kernel::ProductTile product_tile(const ContractIndices& indices, const ProductShape& shape, const ContractPart& part) {
  kernel::ProductTile tile;
  tile.left = address_of(part.operands[0].data);
  tile.right = address_of(part.operands[1].data);
  tile.out = address_of(part.out.data);
  tile.rows = indices.count(shape.rows);
  tile.columns = indices.count(shape.columns);
  tile.terms = indices.count(indices.summed());
  const auto steps = [&](std::size_t k, const IndexList& list) { return steps_of(indices, k, list); };
  const auto out = [&](const IndexList& list) { return result_steps(indices, list, part.out.shape); };
  tile.row_walk = walk_of<2>(extents_of(indices, shape.rows), {steps(0, shape.rows), out(shape.rows)});
  tile.column_walk = walk_of<2>(extents_of(indices, shape.columns), {steps(1, shape.columns), out(shape.columns)});
  tile.term_walk =
      walk_of<2>(extents_of(indices, indices.summed()), {steps(0, indices.summed()), steps(1, indices.summed())});
  tile.batch_walk =
      walk_of<3>(extents_of(indices, shape.batch), {steps(0, shape.batch), steps(1, shape.batch), out(shape.batch)});
  return tile;
}

// Products of one form; their kernel's block is the largest of which there are enough to keep the GPU busy.
class Products {
 public:
  explicit Products(synth::ElementType element)
      : element_(element), pack_(16 / synth::bytes_of(element)), largest_(synth::bytes_of(element) == 8 ? 4 : 8) {}

  void add(const ContractIndices& indices, const ProductShape& shape, const ContractPart& part) {
    tiles_.push_back(product_tile(indices, shape, part));
    batches_.push_back(indices.count(shape.batch));
    narrow(left_, tiles_.back(), 0, pack_);
    narrow(right_, tiles_.back(), 1, pack_);
  }

  base::Status launch(Launcher& launcher) {
    if (tiles_.empty()) return base::Done{};
    std::int64_t side = largest_;
    while (side > 1 && blocks(side) < 2 * launcher.processors()) side /= 2;
    TileTable<kernel::ProductTile> table;
    for (std::size_t k = 0; k < tiles_.size(); ++k) {
      kernel::ProductTile tile = tiles_[k];
      tile.column_blocks = blocks_for(tile.columns, kernel::kProductColumnThreads * side);
      tile.blocks = blocks_for(tile.rows, kernel::kProductRowThreads * side) * tile.column_blocks;
      table.add(tile, tile.blocks * batches_[k]);
    }
    return launch_tiles(launcher, text(side), table, kernel::TermArgs{});
  }

 private:
  std::int64_t blocks(std::int64_t side) const {
    std::int64_t all = 0;
    for (std::size_t k = 0; k < tiles_.size(); ++k)
      all += blocks_for(tiles_[k].rows, kernel::kProductRowThreads * side) *
             blocks_for(tiles_[k].columns, kernel::kProductColumnThreads * side) * batches_[k];
    return all;
  }
  // Small blocks take element by element.
  KernelText text(std::int64_t side) const {
    const bool may_pack = side == largest_ && pack_ <= kernel::kProductDepth / 4;
    // A wide integer's products take more registers.
    const std::int64_t columns = element_ == synth::ElementType::i64 && side == 4 ? 4 : side;
    return {{"runtime/device/text/product.hpp"},
            fmt::format("Product<{}, {}, {}, tessera::kernel::Way::{}, tessera::kernel::Way::{}>", type_name(element_),
                        side, columns, name(left_.way(may_pack)), name(right_.way(may_pack))),
            ""};
  }
  static const char* name(Way way) {
    switch (way) {
      case Way::terms: return "terms";
      case Way::lanes: return "lanes";
      case Way::terms_packed: return "terms_packed";
      case Way::lanes_packed: return "lanes_packed";
    }
    return "";
  }

  synth::ElementType element_;
  std::int64_t pack_;
  std::int64_t largest_;
  std::vector<kernel::ProductTile> tiles_;
  std::vector<std::int64_t> batches_;
  SideForm left_, right_;
};

bool has_no_terms(const runtime::LocalStep& step, const synth::Contract& contract) {
  const auto& kept = contract.result_indices;
  for (std::size_t k = 0; k < contract.operand_indices.size(); ++k) {
    const synth::Shape& shape = step.tiles.type(step.apply.operands[k]).shape();
    const auto& indices = contract.operand_indices[k];
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (std::ranges::find(kept, indices[d]) == kept.end() && shape[d] == 0) return true;
    }
  }
  return false;
}

std::vector<ContractPart> contract_parts(const runtime::LocalStep& step) {
  const synth::RegisterId result = step.apply.results[0];
  const runtime::Block block = step.tiles.block(result);
  std::vector<ContractPart> parts;
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    ContractPart part{{}, step.tiles.out(result, device)};
    for (const synth::RegisterId operand : step.apply.operands)
      part.operands.push_back(step.tiles.view(operand, device));
    parts.push_back(std::move(part));
  }
  return parts;
}

// Everywhere the sum of nothing.
base::Status fill_results(Launcher& launcher, const std::vector<ContractPart>& parts, std::uint64_t bits) {
  std::vector<GeneratedPart> filled;
  for (const ContractPart& part : parts)
    filled.push_back({part.out, {part.out.shape, synth::whole(part.out.shape)}, 0, bits});
  return generate(launcher, Generated::filled, filled);
}

}  // namespace

// Where an index repeats in an operand, a device has the diagonal only if its tile is as long along all its dimensions.
bool can_contract(const runtime::LocalStep& step, const synth::Contract& operation) {
  if (operation.operand_indices.size() > kernel::kTermOperands) return false;
  const runtime::Block block = step.tiles.block(step.apply.results[0]);
  for (std::int64_t d = block.begin; d < block.end; ++d) {
    std::array<std::optional<synth::Interval>, 256> own;
    for (std::size_t k = 0; k < operation.operand_indices.size(); ++k) {
      const synth::Box& tile = step.tiles.tiles(step.apply.operands[k]).boxes[static_cast<std::size_t>(d)];
      for (std::size_t i = 0; i < tile.size(); ++i) {
        auto& interval = own[operation.operand_indices[k][i]];
        if (interval && *interval != tile[i]) return false;
        interval = tile[i];
      }
    }
  }
  return true;
}

base::Status contract(Launcher& launcher, const synth::Contract& how, const std::vector<ContractPart>& parts,
                      const GemmCall& library) {
  if (parts.empty()) return base::Done{};
  const synth::ElementType element = parts[0].out.element;
  Products products(element);
  TermSums sums(element, parts[0].operands.size());
  std::vector<ContractPart> empty;
  for (const ContractPart& part : parts) {
    if (runtime::is_empty(part.out.shape)) continue;
    const ContractIndices indices(how, part.operands, part.out.shape);
    if (indices.count(indices.summed()) == 0) {
      empty.push_back(part);
      continue;
    }
    if (library) {
      if (const auto gemm = gemm_of(how, part)) {
        TESSERA_TRY_STATUS(library(*gemm));
        continue;
      }
    }
    if (const auto shape = product_shape(indices, synth::is_float(element)))
      products.add(indices, *shape, part);
    else
      sums.add(indices, part);
  }
  TESSERA_TRY_STATUS(fill_results(launcher, empty, identity_bits(synth::ReduceOp::sum, element)));
  TESSERA_TRY_STATUS(products.launch(launcher));
  return sums.launch(launcher);
}

base::Status contract(Launcher& launcher, const runtime::LocalStep& step, const synth::Contract& operation,
                      const GemmCall& library) {
  const std::vector<ContractPart> parts = contract_parts(step);
  if (has_no_terms(step, operation)) return fill_results(launcher, parts, 0);
  return contract(launcher, operation, parts, library);
}

}  // namespace tessera::device
