// Steps with reductions of rows, or of one sequence, that are taken together, as one kernel (text/row_chain.hpp).
#pragma once

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/write/formula.hpp"

namespace tessera::device {

// Do the rows and what is known of them fit into a block of threads?
bool can_run_rows(const runtime::Tiles& tiles, const Formula& formula);

base::Status run_rows(Launcher& launcher, const runtime::Tiles& tiles, const Formula& formula);

}  // namespace tessera::device
