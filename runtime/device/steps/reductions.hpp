// Reductions on a GPU, in exactly the order of runtime/kernels/reduce.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"
#include "synth/program/operation.hpp"

namespace tessera::device {

// A tile that is reduced. `out` has the operand's shape without the dimensions.
struct ReducePart {
  runtime::TileView operand;
  runtime::TileOut out;
};
base::Status reduce(Launcher& launcher, synth::ReduceKind kind, std::span<const std::uint8_t> dimensions,
                    const std::vector<ReducePart>& parts);

bool can_reduce(const runtime::LocalStep& step, const synth::Reduce& operation);
base::Status reduce(Launcher& launcher, const runtime::LocalStep& step, const synth::Reduce& operation);

}  // namespace tessera::device
