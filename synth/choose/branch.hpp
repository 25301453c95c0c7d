// Private to synth: branching, for what elimination and walk leave open. The programs of a model are cut in two by a
// label of one node; each half has an ascent of its own, which begins where that of both ended. A half whose bound
// reaches the best known program goes, one that the exact walk gets through is closed, any other is cut again, that of
// the least bound first. The least bound of the halves that are left is a bound for all.
//
// Where to cut: the bound and a program that a beam finds differ by the sum of what nodes and stars cost above their
// least. The star that costs most above it is what the bound does not see: it is given the label that its maker has in
// that program, or any other.
#pragma once

#include <cstddef>
#include <optional>

#include "synth/choose/ascent.hpp"
#include "synth/choose/model.hpp"

namespace tessera::synth {

struct BranchLimits {
  double seconds = kEndless;    // programs that take as much are of no interest
  std::size_t halves = 400;     // that are looked at
  std::size_t sweeps = 20;      // of each ascent
  std::size_t states = 20'000;  // of each exact walk
};

struct Branched {
  double bound = 0;                // no program takes less than this, or than the best
  std::optional<Assignment> best;  // better than `seconds`; nothing where none was found
};

// The model is as before afterwards.
Branched branch(Model& model, const Ascent& ascent, const BranchLimits& limits);

}  // namespace tessera::synth
