// A host program that has MPI of its own and gives some of its ranks to Tessera: the library must use nothing but
// duplicates of the communicator it is given, and leave MPI to the host.
//
//   mpirun -np N ranks_host
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
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
  return session.get("b")->copy_to(out.data()) && out[9] == 18;
}

bool has_slug(const tessera::Diagnostics& why, std::string_view slug) {
  return !why.empty() && why.front().slug == slug;
}

// Tiles of the ranks' own memory: each gives those of its devices, and all get the whole.
bool borrows_on(MPI_Comm communicator, bool share_memory) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  tessera::Config config;
  config.team = tessera::mpi::team(MPI_Comm_c2f(communicator));
  config.share_memory = share_memory;
  tessera::Session session(config);
  if (!session.run("mesh m = [x: 4]\nfn f(a: i64[10@x]) -> i64[10] = (a * 2) as [10]\n")) return false;
  const auto [begin, end] = session.devices()[static_cast<std::size_t>(rank)];
  // Device d has the elements from floor(d * 10 / 4) on.
  const auto first = [](std::int64_t device) { return device * 10 / 4; };
  std::vector<std::int64_t> numbers(10, -1);
  std::vector<tessera::HostMemory> tiles;
  for (std::int64_t device = begin; device < end; ++device) {
    for (std::int64_t i = first(device); i < first(device + 1); ++i) numbers[static_cast<std::size_t>(i)] = i;
    tiles.push_back({numbers.data() + first(device)});
  }
  const auto array = session.borrow("i64[10@x]", tiles, nullptr);
  if (!array || (!share_memory && !array->borrowed())) return false;
  const auto f = session.function("f");
  const auto results = f ? f->call({*array}) : tessera::Result<std::vector<tessera::Array>>(f.diagnostics());
  if (!results || results->front().to_vector<std::int64_t>()->at(7) != 14) return false;
  if (!session.set("a", *array) || !session.run("assert sum(a) == 45, \"a\"\nlet b = a as [10]\n")) return false;
  std::vector<std::int64_t> whole(10);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::int64_t>(10 * i);
  const auto cut = session.array("i64[10@x]", {whole.data()}, nullptr);
  if (!cut || cut->to_vector<std::int64_t>()->at(9) != 90) return false;
  // A mistake on one rank fails on all.
  if (rank == 0) tiles.emplace_back();
  if (!has_slug(session.borrow("i64[10@x]", tiles, nullptr).diagnostics(), "bad-call")) return false;
  return session.run("assert b[9] == 9, \"b\"\n").ok();
}

// A run beyond a limit fails on all ranks, and the next call works.
bool limits(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  tessera::Config config;
  config.team = tessera::mpi::team(MPI_Comm_c2f(communicator));
  config.text_bytes_max = 200;
  config.devices_max = 4;
  config.steps_max = 1000;
  config.output_bytes_max = 10;
  config.seconds_max = rank == 0 ? 2 : 20;  // the first of them counts
  std::string output;
  config.output = [&](std::string_view text) { output += text; };
  tessera::Session session(config);
  const auto fails = [&](std::string_view text, std::string_view slug) {
    return has_slug(session.run(text).diagnostics(), slug);
  };
  bool good = session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])\n").ok();
  good = fails("let long = 1" + std::string(300, ' '), "bad-call") && good;
  good = fails("mesh n = [x: 5]\n", "too-many-devices") && good;
  good = fails("let b = loop w = 0.0 for i < 2000 { w + 1.0 }\n", "too-many-steps") && good;
  good = fails("print \"1234567\"\nprint sum(a)\nprint \"89\"\n", "too-much-output") && good;
  config.steps_max = 0;
  tessera::Session endless = session.fork(config);
  good = has_slug(endless.run("let b = loop w = a for i < 1000000000 { (w as [8]) as [8@x] }\n").diagnostics(),
                  "over-time") &&
         good;
  return session.run("assert sum(a) == 28.0, \"a\"\n").ok() && good && output == (rank == 0 ? "1234567\n" : "");
}

// Files that the host opens: rank 0 makes them, the others join in.
bool opens_files_on(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  char path[64] = "/tmp/tessera-host-XXXXXX";
  if (rank == 0) {
    const int made = mkstemp(path);
    if (made >= 0) close(made);
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, communicator);
  tessera::Config config;
  config.team = tessera::mpi::team(MPI_Comm_c2f(communicator));
  config.files.kind = tessera::FilePolicy::Kind::host;
  bool as_wanted = true;
  config.files.open = [&](const std::string& name, tessera::FileUse use) -> tessera::HostFile {
    if (name != "a.npy") return {-1, "no"};
    if (use == tessera::FileUse::read) return {open(path, O_RDONLY | O_CLOEXEC)};
    as_wanted = as_wanted && (use == tessera::FileUse::create) == (rank == 0);
    return {open(path, O_WRONLY | O_CLOEXEC)};
  };
  tessera::Session session(config);
  const auto saved = session.run("mesh m = [x: 4]\nsave(iota(i64[3000000@x]), \"a.npy\")\n");
  const auto loaded = session.run("let a = load(\"a.npy\", i64[_@x])\nassert a[2999999] == 2999999, \"a\"\n");
  const auto refused = session.run("save(a, \"b.npy\")\n");
  if (rank == 0) unlink(path);
  return saved && loaded && as_wanted && has_slug(refused.diagnostics(), "file-not-allowed");
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

bool noted(const char* what, bool well) {
  if (!well) std::fprintf(stderr, "%s: not as it should be\n", what);
  return well;
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
    const MPI_Comm world = MPI_COMM_WORLD;
    well = noted("a half", runs_on(half)) && noted("all", runs_on(world)) && noted("self", runs_on(MPI_COMM_SELF)) &&
           noted("functions of a half", calls_a_function_on(half)) &&
           noted("functions of all", calls_a_function_on(world)) && noted("memory of a half", borrows_on(half, true)) &&
           noted("memory of all", borrows_on(world, true)) && noted("messages", borrows_on(world, false)) &&
           noted("limits", limits(world)) && noted("files", opens_files_on(world)) &&
           noted("own message", message.arrives());
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
