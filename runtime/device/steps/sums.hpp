// Elements of several parts combined on a GPU, and tiles filled with what changes nothing in a reduction.
#pragma once

#include <span>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

base::Status combine(Launcher& launcher, synth::ReduceOp op, const runtime::ItemList<runtime::BoxSum>& sums);
base::Status combine(Launcher& launcher, synth::ReduceOp op, std::span<const runtime::BoxSum> sums);

base::Status fill_identity(Launcher& launcher, synth::ReduceOp op, const runtime::ItemList<runtime::TileOut>& tiles);
// Dense tiles of one element type become the element whose bytes, again and again, are these eight.
base::Status fill_repeated(Launcher& launcher, std::span<const runtime::TileOut> tiles, std::uint64_t bytes_of_value);

}  // namespace tessera::device
