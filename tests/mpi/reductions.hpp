// Sums on the hosts of a launch, by many programs and on every placement, and how long they take.
#pragma once

#include <cstdint>
#include <string>

#include "tests/mpi/crew.hpp"

namespace tessera::ranks {

struct SumRace {
  std::string machine;  // a file
  std::string mesh;     // without a matrix: under each that there is; a device for each rank
  std::string summed;   // its axes that are pending in the beginning: `x` or `x,y`
  std::int64_t bytes = 0;
  int tries = 1;
  bool all = false;  // every program of up to five steps, too
};

// Every sum is done so many times, all in turns, and its elements are looked at. Rank 0 prints a JSON line for each:
// the matrix, who has done it (`tessera`, a rival, `MPI_Allreduce` or `listed` for all programs), the program, the
// seconds of the model, of the bound and of each try, and for every rank how many bytes came to its machine in the
// first try and how many the program sends to it from others.
void race_reductions(Crew& crew, const SumRace& race);

}  // namespace tessera::ranks
