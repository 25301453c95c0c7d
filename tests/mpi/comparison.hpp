// A program on several ranks against the same program on simulated devices, which runs in the same process.
#pragma once

#include <string_view>

#include "tests/cases/scenario.hpp"
#include "tests/mpi/crew.hpp"

namespace tessera::ranks {

// The differences on this rank: what was written (by rank 0 alone), what failed and where, the files it made, the types
// of the names, every tile this rank has, to the bit, and the whole arrays. Called on all ranks.
cases::Faults compare_with_simulation(Crew& crew, std::string_view text, std::string_view name,
                                      const cases::Settings& settings);

}  // namespace tessera::ranks
