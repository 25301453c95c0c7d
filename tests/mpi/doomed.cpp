// Loaded before a program of MPI (LD_PRELOAD), it ends the process of one rank just before a message of its own, by
// number: TESSERA_DOOMED="RANK MESSAGE". The file `killed`, in the folder that the process is in, says when.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

int rank_by_launcher() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  return rank == nullptr ? -1 : std::atoi(rank);
}

void end_if_doomed() {
  static std::atomic<int> sent = 0;
  int rank = 0;
  int message = 0;
  const char* const doomed = std::getenv("TESSERA_DOOMED");
  if (doomed == nullptr || std::sscanf(doomed, "%d %d", &rank, &message) != 2) return;
  if (++sent != message || rank != rank_by_launcher()) return;
  close(open("killed", O_CREAT | O_WRONLY, 0600));
  kill(getpid(), SIGKILL);
}

}  // namespace

int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int target, int tag, MPI_Comm all,
              MPI_Request* request) {
  end_if_doomed();
  return PMPI_Isend(bytes, count, type, target, tag, all, request);
}
