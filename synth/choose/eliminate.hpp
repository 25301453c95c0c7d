// Private to synth: elimination. Nodes and stars are tables over classes (the layouts that values are made in, and the
// wants of readers). Two tables that share a class are joined, those first that give the smallest table, and classes
// that no other table has are minimised away, until nothing is left. It needs no bound; with one, entries that lead to
// more than the best known program are dropped.
#pragma once

#include <cstddef>
#include <optional>

#include "synth/choose/ascent.hpp"
#include "synth/choose/model.hpp"

namespace tessera::synth {

struct EliminationLimits {
  double seconds = kEndless;                   // programs that take more are of no interest
  std::size_t entries = std::size_t{1} << 21;  // of one table; elimination ends without an answer beyond
};

// The best program that takes at most so many seconds; nothing where there is none, or a table is too large.
struct Eliminated {
  bool is_complete = false;  // no table was too large
  std::optional<Assignment> best;
};
Eliminated eliminate(const Model& model, const Ascent& ascent, const EliminationLimits& limits);

}  // namespace tessera::synth
