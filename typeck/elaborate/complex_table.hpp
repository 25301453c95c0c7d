// Rows of the table of operations: complex numbers and Fourier transforms. Private to typeck/elaborate/.
#pragma once

#include <vector>

#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

std::vector<OperationInfo> complex_operations();
std::vector<OperationInfo> fourier_operations();

}  // namespace tessera::typeck
