// A rank of a session whose front end is another process: `tessera worker`, which the front end's launcher starts.
#pragma once

#include "tessera/mpi.hpp"

namespace tessera::repl {

// Takes part until the front end leaves; gives the exit status. Standard input and output of the first rank are the
// front end's. `config` says how statements run.
int work(Launch& launch, const Config& config);
// Tells the front end why there is no session.
void refuse_worker(const Diagnostics& why);

}  // namespace tessera::repl
