// Chains whose values are all scalars: each step is one call of its loop.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/chain_operations.hpp"
#include "runtime/engine/tiles.hpp"
#include "runtime/kernels/map.hpp"

namespace tessera::runtime {

// `arrays` are those of one device, in the chain's order.
class ScalarRunner {
 public:
  ScalarRunner(const ChainOperations& chain, const Tiles& tiles) : slots_(chain.slots()) {
    for (const ChainOperation& operation : chain.operations()) add(operation, tiles);
  }
  static bool suits(const ChainOperations& chain, const Tiles& tiles) {
    const auto is_scalar = [&](synth::RegisterId id) { return tiles.type(id).rank() == 0; };
    return std::all_of(chain.operations().begin(), chain.operations().end(), [&](const ChainOperation& operation) {
      const auto* const map = std::get_if<synth::Map>(&operation.apply->operation);
      // The loop of a power depends on the exponent.
      return map != nullptr && map->op != synth::MapOp::power && is_scalar(operation.result()) &&
             std::ranges::all_of(operation.apply->operands, is_scalar);
    });
  }

  void run(std::span<const TileView> arrays) {
    constexpr std::array<std::int64_t, kMapOperandsMax> kStrides{};
    for (const Step& step : steps_) {
      std::array<const std::byte*, kMapOperandsMax> operands{};
      for (std::size_t k = 0; k < step.loop.operands; ++k) operands[k] = at(step.operands[k], arrays);
      step.loop.run(const_cast<std::byte*>(at(step.result, arrays)), 1, operands.data(), kStrides.data());
    }
  }

 private:
  struct Step {
    MapLoop loop;
    std::array<ChainPlace, kMapOperandsMax> operands;
    ChainPlace result;
  };

  void add(const ChainOperation& operation, const Tiles& tiles) {
    const auto& map = std::get<synth::Map>(operation.apply->operation);
    Step step{{}, {}, {operation.array, operation.slot, operation.result()}};
    std::array<TileView, kMapOperandsMax> views;
    const std::size_t n = std::min(operation.operands.size(), kMapOperandsMax);
    for (std::size_t k = 0; k < n; ++k) {
      step.operands[k] = operation.operands[k];
      views[k].element = tiles.type(operation.operands[k].id).element();
    }
    step.loop = map_loop(map.op, std::span(views).first(n), operation.element);
    steps_.push_back(step);
  }
  const std::byte* at(const ChainPlace& place, std::span<const TileView> arrays) const {
    if (place.slot != ChainPlace::kNone) return slots_[place.slot].bytes.data();
    return arrays[place.array].data;
  }

  std::vector<Step> steps_;
  // A slot holds one element of any type.
  struct alignas(std::complex<double>) Slot {
    std::array<std::byte, sizeof(std::complex<double>)> bytes;
  };
  std::vector<Slot> slots_;
};

}  // namespace tessera::runtime
