// Launchers, by the environment variables they set.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/session/team_impl.hpp"
#include "runtime/kinds.hpp"
#include "runtime/mpi/mpi.hpp"
#include "runtime/ranks/launcher_watch.hpp"
#include "tessera/mpi.hpp"

namespace tessera {

namespace {

struct Launcher {
  const char* name;
  const char* size_variable;
  const char* rank_variable;
};
constexpr Launcher kLaunchers[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"MPICH's mpirun", "PMI_SIZE", "PMI_RANK"},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

// Nothing where the variable is not set or not a number.
std::optional<int> number(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int value = 0;
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

// The launcher that has started this process as one of several.
const Launcher* find_launcher() {
  for (const Launcher& launcher : kLaunchers) {
    if (number(launcher.size_variable).value_or(1) > 1) return &launcher;
  }
  return nullptr;
}

// Says what to type instead.
std::string repair(const Launcher& launcher) {
  const std::string_view mpi = runtime::mpi_name();
  if (mpi.empty()) return "build with -DTESSERA_MPI=openmpi or mpich, or start one process only";
  return fmt::format("this Tessera was built with {}, and {} started it: use the mpirun of {}", mpi, launcher.name,
                     mpi);
}

// A launcher ends all processes once one has failed: the first, which says why, needs the time to.
void let_the_first_speak() {
  if (Launch::rank_by_launcher() > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace

int Launch::rank_by_launcher() {
  const Launcher* const launcher = find_launcher();
  return launcher == nullptr ? 0 : number(launcher->rank_variable).value_or(0);
}

int Launch::ranks_by_launcher() {
  const Launcher* const launcher = find_launcher();
  return launcher == nullptr ? 1 : number(launcher->size_variable).value_or(1);
}

std::string_view mpi::name() { return runtime::mpi_name(); }

Team mpi::team(int communicator) {
  return Team(std::make_shared<const Team::Impl>(
      Team::Impl{[communicator]() -> base::Result<std::unique_ptr<runtime::Messenger>> {
        if (!runtime::mpi_runs()) {
          return base::make(embed::Kind::bad_call,
                            "a session was made on a communicator while MPI is not running: make it after MPI_Init and "
                            "before MPI_Finalize");
        }
        return runtime::make_messenger(communicator);
      }}));
}

Team Launch::team() const { return communicator_ ? mpi::team(*communicator_) : Team(); }

Result<Launch> Launch::begin() {
  return embed::safely([]() -> Result<Launch> {
    Launch launch;
    const Launcher* const launcher = find_launcher();
    if (launcher == nullptr) return launch;
    runtime::end_with_launcher(static_cast<int>(Blame::world));
    const auto started = runtime::start_mpi();
    if (!started) {
      let_the_first_speak();
      base::Diagnostic why = started.errors().front();
      return embed::failure(std::move(why).suggest(repair(*launcher)));
    }
    launch.communicator_ = started->communicator;
    launch.rank_ = started->rank;
    launch.ranks_ = started->size;
    if (started->size > 1) return launch;
    let_the_first_speak();
    return embed::failure(
        base::make(runtime::Kind::wrong_launcher, ranks_by_launcher(), runtime::mpi_name()).suggest(repair(*launcher)));
  });
}

Launch::Launch(Launch&& other) noexcept
    : rank_(other.rank_), ranks_(other.ranks_), communicator_(std::exchange(other.communicator_, std::nullopt)) {}

Launch& Launch::operator=(Launch&& other) noexcept {
  std::swap(rank_, other.rank_);
  std::swap(ranks_, other.ranks_);
  std::swap(communicator_, other.communicator_);
  return *this;
}

Launch::~Launch() {
  if (communicator_) runtime::end_mpi();
}

void Launch::abort(int status) {
  if (communicator_) runtime::abort_mpi(status);
  std::_Exit(status);
}

}  // namespace tessera
