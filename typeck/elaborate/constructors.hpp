// What constructors share. Private to typeck/elaborate/.
#pragma once

#include <optional>

#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

// The type that a constructor is given; its layout is written. An extent `_` is the file's.
std::optional<WrittenType> constructed_type(OperationCall& call, std::size_t parameter,
                                            const Shape* file_shape = nullptr);
// What a constructor is to make: an array of a type that is written, or one like another (`like=`), whose type it has
// and as which it lies, without a pending sum.
struct WantedArray {
  WrittenType type;
  MaybeValue like;
};
std::optional<WantedArray> wanted_array(OperationCall& call);
// `iota(T, dim=d)`: triangles.cpp.
MaybeValue run_iota_along(OperationCall& call, const WantedArray& wanted, std::size_t dim_parameter);

}  // namespace tessera::typeck
