// Private to synth: the search for the best program of a model, and its bound: ascent, programs, fixing, elimination,
// walk, branching (docs/automatic.md, section 6).
#pragma once

#include "synth/choose/model.hpp"
#include "synth/choose/options.hpp"
#include "synth/program/choice/choice.hpp"

namespace tessera::synth {

struct Searched {
  Assignment best;  // of the strategies that are left in the model
  double bound = 0;
  ChoiceProof proof = ChoiceProof::limit;
};

// What a search leaves to the next one on the same nodes and stars at other costs: where its ascent ended, and its
// program, by the numbers of strategies.
struct SearchStart {
  std::vector<StarCosts> costs;
  std::vector<std::size_t> best;
};

// Drops strategies of the model that no better program has. `start` is replaced; an empty one is none.
Searched search(Model& model, const ChooseOptions& options, SearchStart* start = nullptr);

}  // namespace tessera::synth
