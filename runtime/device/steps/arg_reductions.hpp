// Positions of greatest and least elements on a GPU.
#pragma once

#include <span>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"
#include "synth/program/operation.hpp"

namespace tessera::device {

// A tile whose lines along some dimensions are searched.
struct ArgReducePart {
  runtime::TileView operand;
  runtime::TileOut out;
};
base::Status arg_reduce(Launcher& launcher, bool max, std::span<const std::uint8_t> dimensions,
                        const std::vector<ArgReducePart>& parts);

// One whose best elements are compared with the wanted ones.
struct FindPart {
  runtime::TileView operand;
  runtime::TileView wanted;
  runtime::LinePlace place;
  runtime::TileOut out;
};
base::Status find(Launcher& launcher, bool max, std::span<const std::uint8_t> dimensions,
                  const std::vector<FindPart>& parts);

bool can_arg_reduce(const runtime::LocalStep& step, const synth::ArgReduce& operation);
base::Status arg_reduce(Launcher& launcher, const runtime::LocalStep& step, const synth::ArgReduce& operation);
bool can_find(const runtime::LocalStep& step, const synth::Find& operation);
base::Status find(Launcher& launcher, const runtime::LocalStep& step, const synth::Find& operation);

}  // namespace tessera::device
