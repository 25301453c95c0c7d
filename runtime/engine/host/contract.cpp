// Einstein sums of tiles. Where an index repeats in an operand, a device has the positions of its diagonal that lie in
// the tile along every dimension: on x:2,y:2 the tile [0, 2) by [2, 4) of a matrix [4@x, 4@y] has none.
#include "runtime/kernels/contract.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/engine/host/devices.hpp"
#include "runtime/engine/host/local.hpp"
#include "runtime/kernels/spread.hpp"

namespace tessera::runtime {

namespace {

const synth::Shape& whole_shape(const LocalStep& step, std::size_t k) {
  return step.tiles.type(step.apply.operands[k]).shape();
}

// Has the sum, on whatever device, no terms at all?
bool has_no_terms(const LocalStep& step, const synth::Contract& contract) {
  const auto& kept = contract.result_indices;
  for (std::size_t k = 0; k < contract.operand_indices.size(); ++k) {
    const auto& indices = contract.operand_indices[k];
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const bool summed = std::find(kept.begin(), kept.end(), indices[d]) == kept.end();
      if (summed && whole_shape(step, k)[d] == 0) return true;
    }
  }
  return false;
}

bool repeats_an_index(const synth::Contract& contract) {
  return std::ranges::any_of(contract.operand_indices, [](std::vector<std::uint8_t> own) {
    std::ranges::sort(own);
    return std::ranges::adjacent_find(own) != own.end();
  });
}

LargeProducts large_products(const LocalStep& step) {
  return step.ordered_products ? LargeProducts::in_order : LargeProducts::by_blas;
}

// By the program alone, so that ranks and simulated devices agree.
Operands given_operands(const LocalStep& step) {
  const auto& operands = step.apply.operands;
  return operands.size() == 2 && operands[0] == operands[1] ? Operands::are_the_same : Operands::may_differ;
}

// The positions of each index at which a device has all elements of a term.
class TermPositions {
 public:
  TermPositions(const LocalStep& step, const synth::Contract& contract, std::size_t device) {
    all_.fill({0, std::numeric_limits<std::int64_t>::max()});
    for (std::size_t k = 0; k < contract.operand_indices.size(); ++k) {
      const synth::Box& tile = step.tiles.tiles(step.apply.operands[k]).boxes[device];
      for (std::size_t d = 0; d < tile.size(); ++d) meet(all_[contract.operand_indices[k][d]], tile[d]);
    }
  }

  // Where they begin in a tile whose dimensions carry these indices, and how many there are.
  synth::Shape begin_in(const synth::Box& tile, const std::vector<std::uint8_t>& indices) const {
    synth::Shape begin(tile.size());
    for (std::size_t d = 0; d < tile.size(); ++d) {
      const synth::Interval own = all_[indices[d]];
      begin[d] = own.length() == 0 ? 0 : own.begin - tile[d].begin;
    }
    return begin;
  }
  synth::Shape extents(const std::vector<std::uint8_t>& indices) const {
    synth::Shape shape;
    for (const std::uint8_t index : indices) shape.push_back(all_[index].length());
    return shape;
  }

 private:
  static void meet(synth::Interval& own, const synth::Interval& tile) {
    own.begin = std::max(own.begin, tile.begin);
    own.end = std::max(own.begin, std::min(own.end, tile.end));
  }

  std::array<synth::Interval, 256> all_;
};

// The terms that a device has, in the middle of a tile that holds what adds nothing elsewhere.
void contract_diagonals(const LocalStep& step, const synth::Contract& contract, std::size_t device,
                        std::vector<TileView> operands, const TileOut& out) {
  const TermPositions positions(step, contract, device);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto& indices = contract.operand_indices[k];
    const synth::Box& tile = step.tiles.tiles(step.apply.operands[k]).boxes[device];
    operands[k] = part_of(operands[k], positions.begin_in(tile, indices), positions.extents(indices));
  }
  const synth::Box& tile = step.tiles.tiles(step.apply.results[0]).boxes[device];
  const synth::Shape shape = positions.extents(contract.result_indices);
  runtime::contract(contract, operands, TileOut{out.element, shape, out.data}, large_products(step));
  spread(out, positions.begin_in(tile, contract.result_indices), shape);
}

}  // namespace

// A sum of nothing is the identity, -0.0, where other devices may have something to add, and 0.0, as NumPy's, where the
// whole array has nothing.
base::Status run_operation(const LocalStep& step, const synth::Contract& operation) {
  const bool is_empty_sum = has_no_terms(step, operation);
  const bool has_diagonals = repeats_an_index(operation);
  const synth::RegisterId result = step.apply.results[0];
  return on_devices(step.tiles.block(result), work_of(step.tiles, step.apply), step.times,
                    [&](std::size_t device) -> Failure {
                      std::vector<TileView> operands;
                      for (const synth::RegisterId operand : step.apply.operands)
                        operands.push_back(step.tiles.view(operand, device));
                      const TileOut out = step.tiles.out(result, device);
                      if (is_empty_sum)
                        std::fill_n(out.data, count(out.shape) * synth::bytes_of(out.element), std::byte{0});
                      else if (has_diagonals)
                        contract_diagonals(step, operation, device, std::move(operands), out);
                      else
                        contract(operation, operands, out, large_products(step), given_operands(step));
                      return std::nullopt;
                    });
}

}  // namespace tessera::runtime
