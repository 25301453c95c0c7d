// Weights in proportion to the speed or memory of a machine's devices: the meaning of `work(speed)` and `work(memory)`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/layout/weights.hpp"

namespace tessera::synth {

enum class DeviceFigure : std::uint8_t { speed, memory };
std::optional<DeviceFigure> device_figure_by_name(std::string_view name);

// The weights of the positions along an axis of a mesh, by its devices among the machine's. A position counts as the
// least of its devices, since all of them get equal tiles. The weights add up to the larger of 1000 and 16 for each
// position, by largest remainders, and each is at least 1. Nothing where the machine lacks some of these devices, or
// does not say the figure of each.
std::optional<Weights> weights_by(DeviceFigure figure, const Machine& machine, const Mesh& mesh, std::size_t axis);

}  // namespace tessera::synth
