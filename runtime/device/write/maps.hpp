// Elementwise steps that are taken together, as one kernel (text/map_chain.hpp).
#pragma once

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/write/formula.hpp"

namespace tessera::device {

// All values are of elements. `report` says what is said of an element without a value, by device and row-major
// position in its tile; none where every element has one.
using ElementReport = std::function<base::Diagnostic(std::size_t device, std::int64_t position)>;
base::Status run_maps(Launcher& launcher, const runtime::Tiles& tiles, const Formula& formula,
                      const ElementReport& report);

}  // namespace tessera::device
