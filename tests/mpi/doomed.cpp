// Loaded before a program of MPI (LD_PRELOAD), it ends the process of one rank just before a message of its own, by
// number: TESSERA_DOOMED="RANK MESSAGE". The file `killed`, in the folder that the process is in, says when. On the
// rank TESSERA_THREADLESS the threads of the standard library and of oneTBB cannot be started, as if there were too
// many.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

using Work = void* (*)(void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, Work, void*);

bool is_refused(Work work) {
  const char* const rank = std::getenv("TESSERA_THREADLESS");
  if (rank == nullptr || std::atoi(rank) != rank_by_launcher()) return false;
  Dl_info of = {};
  return dladdr(reinterpret_cast<void*>(work), &of) != 0 && of.dli_fname != nullptr &&
         (std::strstr(of.dli_fname, "libstdc++") != nullptr || std::strstr(of.dli_fname, "libtbb") != nullptr);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Work work, void* of) {
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return is_refused(work) ? EAGAIN : create(thread, attributes, work, of);
}

int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int target, int tag, MPI_Comm all,
              MPI_Request* request) {
  end_if_doomed();
  return PMPI_Isend(bytes, count, type, target, tag, all, request);
}
