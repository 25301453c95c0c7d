// Private to synth: the search for the best program of a model, and its bound: ascent, programs, fixing, elimination,
// walk (docs/automatic.md, section 6).
#pragma once

#include "synth/choose/choose.hpp"
#include "synth/choose/model.hpp"

namespace tessera::synth {

struct Searched {
  Assignment best;  // of the strategies that are left in the model
  double bound = 0;
  ChoiceProof proof = ChoiceProof::limit;
};

// Drops strategies of the model that no better program has.
Searched search(Model& model, const ChooseOptions& options);

}  // namespace tessera::synth
