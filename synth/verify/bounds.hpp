// Private to verify: seconds that no way to carry out a change of layout can beat, by the verifier's own reckoning of
// the definition in docs/redistribution.md.
#pragma once

#include "synth/machine/machine.hpp"
#include "synth/verify/holdings.hpp"

namespace tessera::synth::verifier {

double least_seconds(const Holdings& from, const Holdings& to, const Machine& machine, std::int64_t element_bytes);

}  // namespace tessera::synth::verifier
