// `place auto` and `tessera place`: where a mesh of a program is to lie on the machine.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/planner/ranking/ranking.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/placement/requests.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// A text that was read, as it is checked with its meshes placed.
using CheckPlaced = std::function<base::Result<Typed>(const Placements&)>;
// What it moves then, if it takes no longer than that; nothing where the check fails, too.
using PricePlaced = std::function<std::optional<double>(const Placements&, double most)>;

// A program as it is checked with its mesh placed.
struct CheckedPlacement {
  synth::PlaceMatrix matrix;
  bool is_row_major = false;
  double seconds = 0;
  std::vector<Moved> moved;
  Typed typed;
};

struct ProgramRanking {
  AutoPlaced mesh;
  synth::PlaceRanking ranking;            // by what the program moves that was checked in row-major order
  std::vector<CheckedPlacement> checked;  // the least seconds first, then row-major order, then by rank
};

// Layouts depend on prices, and prices on the placement. So the matrices are ranked by the moves of the program as it
// was checked (synth/planner/ranking), and the program is checked again under each of the best. A matrix under which
// the check fails (a budget is not kept) is left out. `number` counts the meshes of the program whose placement is to
// be found; those of the others are in `others`.
base::Result<ProgramRanking> rank_program(const Typed& checked, std::size_t number, const Placements& others,
                                          std::size_t wished, synth::PlanCache& plans, const CheckPlaced& check,
                                          base::StopToken stop);

// The program with each such mesh where it takes least, one mesh after another; a note says where that is. `priced` is
// the program in row-major order, whose plans need not be verified. Under each of the best matrices the program is only
// priced, until it is seen to take longer than under another; under the one that is chosen it is checked.
base::Result<Typed> placed_best(Typed priced, synth::PlanCache& plans, const CheckPlaced& check,
                                const PricePlaced& price, base::StopToken stop);

}  // namespace tessera::typeck
