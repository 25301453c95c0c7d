// Private to synth: makes a program better by laying out one node otherwise, as long as that helps.
#pragma once

#include "synth/choose/model.hpp"

namespace tessera::synth {

void improve(const Model& model, Assignment& assignment);

}  // namespace tessera::synth
