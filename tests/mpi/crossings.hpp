// Arrays that go from one mesh to another, as each planner has it, and how long that takes on the ranks.
#pragma once

#include <string>
#include <vector>

#include "tests/mpi/crew.hpp"

namespace tessera::ranks {

// `ways` are planners, or `naive`: whole boxes as they come, each a broadcast. Each line of the file `requests` is one
// as `tessera plan --batch` reads it. Every way takes its array across so many times, turn about, and every element of
// the first try is looked at. Rank 0 prints a JSON line for each request and way: the seconds of the plan, of the bound
// and of each try, and for every rank how many bytes came to its machine in the first try, and how many the plan sends
// to other machines' ranks there.
void race_crossings(Crew& crew, const std::string& requests, const std::string& machine, int tries,
                    const std::vector<std::string>& ways);

}  // namespace tessera::ranks
