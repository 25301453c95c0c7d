// Sessions on the ranks of an MPI communicator, behind libtessera_openmpi or libtessera_mpich: link the one whose MPI
// the program uses. Needs no <mpi.h>.
//
//     MPI_Init(&argc, &argv);
//     {
//       tessera::Config config;
//       config.team = tessera::mpi::team(MPI_Comm_c2f(MPI_COMM_WORLD));
//       tessera::Session session(config);  // every rank makes the same calls, in the same order
//     }
//     MPI_Finalize();
#pragma once

#include <optional>
#include <string_view>

#include "tessera/tessera.hpp"

namespace tessera {

namespace mpi {

// The ranks of a communicator, given as MPI_Comm_c2f gives it. Sessions use duplicates of it only, so that no message
// of theirs meets one of the host's. MPI is started before the first session is made, and ended after the last object
// of it is gone; a session that is made at another time answers every call with `bad-call`.
TESSERA_API Team team(int communicator);
// `Open MPI` or `MPICH`; empty in a command that was built without.
TESSERA_API std::string_view name();

}  // namespace mpi

// For a program of one's own, such as the command line: starts MPI if, and only if, a launcher (mpirun, srun) has
// started this process as one of several, and ends it. A process has one at most, and no MPI besides.
class TESSERA_API Launch {
 public:
  // Fails where the processes that the launcher has started do not find each other: another MPI's launcher.
  static Result<Launch> begin();
  // This process's number, and how many there are, as the launcher says before anything has begun; 0 and 1 without one.
  static int rank_by_launcher();
  static int ranks_by_launcher();
  Launch(Launch&&) noexcept;
  Launch& operator=(Launch&&) noexcept;
  // Waits for all ranks.
  ~Launch();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  // For Config; none where this process is alone.
  Team team() const;
  // The same as MPI_Comm_c2f gives it.
  std::optional<int> communicator() const { return communicator_; }
  // Ends all ranks' processes with this status, without waiting for any: where one is lost.
  [[noreturn]] void abort(int status);

 private:
  Launch() = default;
  int rank_ = 0;
  int ranks_ = 1;
  std::optional<int> communicator_;
};

}  // namespace tessera
