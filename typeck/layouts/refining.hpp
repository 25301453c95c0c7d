// Which nodes of a problem stand at like places: colors that are refined until nodes of one color use values of the
// same colors and are read by the same ones.
#pragma once

#include <cstddef>
#include <vector>

#include "synth/program/choice/problem.hpp"

namespace tessera::typeck {

struct NodeColor {
  std::size_t color = 0;
  bool is_free = false;  // may be refined; the others stay as they are
};

// The colors of all nodes; `makers` says of every value which node makes it. Free nodes have colors of their own where
// it takes too many rounds.
std::vector<std::size_t> refined_colors(const synth::ChoiceProblem& problem, const std::vector<std::size_t>& makers,
                                        const std::vector<NodeColor>& colors);

}  // namespace tessera::typeck
