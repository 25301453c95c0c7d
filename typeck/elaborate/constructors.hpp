// What constructors share. Private to typeck/elaborate/.
#pragma once

#include <optional>

#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

// The type that a constructor is given; its layout is written. An extent `_` is the file's.
std::optional<WrittenType> constructed_type(OperationCall& call, std::size_t parameter,
                                            const Shape* file_shape = nullptr);
// `iota(T, dim=d)`: triangles.cpp.
MaybeValue run_iota_along(OperationCall& call, const WrittenType& wanted);

}  // namespace tessera::typeck
