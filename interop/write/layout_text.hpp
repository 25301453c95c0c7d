// Our layouts in the words of other systems.
#pragma once

#include <string>

#include "interop/read/read.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::interop {

struct WrittenLayout {
  std::string text;
  std::string mesh = {};  // in the same system's words; empty where the text needs none
};

// The type's layout, so that reading it back on the same mesh gives the same tiles. `interop-unwritable` where the
// system has no words for it; tiles that are not even are `interop-uneven`.
base::Result<WrittenLayout> write(const synth::ArrayType& type, Format format);

}  // namespace tessera::interop
