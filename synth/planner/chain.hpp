// Private to synth: chains of steps.
#pragma once

#include <vector>

#include "synth/moves/collective/collective.hpp"

namespace tessera::synth {

using Chain = std::vector<Collective>;
inline void append(Chain& chain, const Chain& more) { chain.insert(chain.end(), more.begin(), more.end()); }

}  // namespace tessera::synth
