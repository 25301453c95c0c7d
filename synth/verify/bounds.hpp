// Private to verify: the verifier's own lower bound for the seconds of a change of layout, from the definition in
// docs/redistribution.md.
#pragma once

#include "synth/machine/machine.hpp"
#include "synth/verify/holdings.hpp"

namespace tessera::synth::verifier {

double least_seconds(const Holdings& from, const Holdings& to, const Machine& machine, std::int64_t element_bytes);

}  // namespace tessera::synth::verifier
