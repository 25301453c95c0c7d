// A host program that has MPI of its own and gives some of its ranks to Tessera: the library must use nothing but
// duplicates of the communicator it is given, and leave MPI to the host.
//
//   mpirun -np N ranks_host
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <tessera/function.hpp>
#include <tessera/mpi.hpp>
#include <vector>

namespace {

// The sum that a program over four devices prints, and the array it leaves, on the ranks of a communicator.
bool runs_on(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::string output;
  tessera::Config config;
  config.output = [&](std::string_view text) { output += text; };
  config.team = tessera::mpi::team(MPI_Comm_c2f(communicator));
  tessera::Session session(config);
  const auto done = session.run("mesh m = [x: 4]\nlet a = iota(i64[10@x])\nlet b = a as [10]\nprint sum(b)\n");
  const auto array = done ? session.get("a") : tessera::Result<tessera::Array>(done.diagnostics());
  const auto elements =
      array ? array->to_vector<std::int64_t>() : tessera::Result<std::vector<std::int64_t>>(array.diagnostics());
  const auto failed = session.run("let c = 1 / (a - 9)\n");
  const auto again = session.run("print a[3]\n");
  return elements && elements->size() == 10 && elements->back() == 9 && output == (rank == 0 ? "45\n3\n" : "") &&
         !failed && failed.diagnostics().front().slug == "division-by-zero" && again;
}

// A function that is compiled once, called with an array of the ranks', and its result bound in the session.
bool calls_a_function_on(MPI_Comm communicator) {
  tessera::Config config;
  config.team = tessera::mpi::team(MPI_Comm_c2f(communicator));
  tessera::Session session(config);
  if (!session.run("mesh m = [x: 4]\nlet a = iota(i64[10@x])\nfn f(a: i64[10@x]) -> i64[10] = (a * 2) as [10]\n"))
    return false;
  const auto f = session.function("f");
  for (int round = 0; round < 3; ++round) {
    const auto results =
        f ? f->call({*session.get("a")}) : tessera::Result<std::vector<tessera::Array>>(f.diagnostics());
    if (!results || results->front().to_vector<std::int64_t>()->at(9) != 18) return false;
    if (!session.set("b", results->front()) || !session.run("assert b[4] == 8, \"b\"\n")) return false;
  }
  std::vector<std::int64_t> out(10);
  if (!session.get("b")->copy_to(out.data()) || out[9] != 18) return false;
  // One process' memory is not the ranks'.
  const auto borrowed = session.array("i64[10]", {out.data()}, nullptr);
  return !borrowed && borrowed.diagnostics().front().slug == "bad-call";
}

// Messages of the host's that are on their way while Tessera works.
class OwnMessage {
 public:
  OwnMessage() {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expected_ = (rank + size - 1) % size;
    given_ = rank;
    MPI_Irecv(&taken_, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request_);
  }
  bool arrives() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(&given_, 1, MPI_INT, (given_ + 1) % size, 7, MPI_COMM_WORLD);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    return taken_ == expected_;
  }

 private:
  int given_ = 0, taken_ = -1, expected_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// Before MPI is started, and after its end, every call says so, and nothing else happens.
bool is_refused() {
  tessera::Config config;
  config.team = tessera::mpi::team(0);
  tessera::Session session(config);
  const auto done = session.run("let a = 1\n");
  return !done && done.diagnostics().front().slug == "bad-call";
}

}  // namespace

int main(int count, char** words) {
  const bool refused_before = is_refused();
  MPI_Init(&count, &words);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool well = false;
  if (refused_before) {
    OwnMessage message;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);  // in the opposite order
    well = runs_on(half) && calls_a_function_on(half) && calls_a_function_on(MPI_COMM_WORLD) &&
           runs_on(MPI_COMM_WORLD) && runs_on(MPI_COMM_SELF) && message.arrives();
    MPI_Comm_free(&half);
  }
  int all = 0;
  const int mine = well ? 1 : 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Finalize();
  well = well && is_refused();
  if (!well) std::fprintf(stderr, "rank %d: the program did not run as it should\n", rank);
  return all == 1 && well ? 0 : 1;
}
