// A device's operands and result of an Einstein sum.
#pragma once

#include <vector>

#include "runtime/kernels/tile.hpp"

namespace tessera::device {

struct ContractPart {
  std::vector<runtime::TileView> operands;
  runtime::TileOut out;
};

}  // namespace tessera::device
