// The door to MPI: everything that calls it is behind these functions. A build without MPI has them too; they say so.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

// `Open MPI`, `MPICH`; nothing in a build without.
std::string_view mpi_name();

// Has MPI been started, and not been ended?
bool mpi_runs();

// Messages between the processes of a communicator, given as MPI_Comm_c2f gives it. Called on all of them. MPI has been
// started; duplicates of the communicator are used, so that no message meets one of the host's.
base::Result<std::unique_ptr<Messenger>> make_messenger(int communicator);

// MPI for a process that is all ours.
struct StartedMpi {
  int rank = 0;
  int size = 1;
  int communicator = 0;
};
base::Result<StartedMpi> start_mpi();
void end_mpi();
// Ends the processes of all ranks, without waiting for any.
[[noreturn]] void abort_mpi(int status);

}  // namespace tessera::runtime
