// An integer that holds the product of two of 64 bits.
#pragma once

namespace tessera::base {

__extension__ using Wide = __int128;

}  // namespace tessera::base
