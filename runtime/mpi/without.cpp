// The door where there is nothing behind it.
#include <cstdlib>

#include "runtime/kinds.hpp"
#include "runtime/mpi/mpi.hpp"

namespace tessera::runtime {

std::string_view mpi_name() { return ""; }

// Then what is asked next says that there is no MPI.
bool mpi_runs() { return true; }

base::Result<std::unique_ptr<Messenger>> make_messenger(int) { return base::make(Kind::mpi_missing); }

base::Result<StartedMpi> start_mpi() { return base::make(Kind::mpi_missing); }

void end_mpi() {}

void abort_mpi(int status) { std::_Exit(status); }

}  // namespace tessera::runtime
