// Describes in words who holds what, for arrays whose picture would be too large.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// `sum`, `maximum` or `minimum`: how the parts on devices combine to the array.
std::string_view joined_by(synth::ReduceOp op);

// How every dimension is cut, what is replicated or pending, and the first and last devices' boxes.
std::string pattern_text(const synth::ArrayType& type, const std::vector<synth::Box>& boxes);

}  // namespace tessera::runtime
