#include "repl/ranks/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "repl/process/files.hpp"
#include "tessera/mpi.hpp"

namespace tessera::repl {

namespace {

using std::chrono::steady_clock;

// How long the launcher may take to end by itself, and then when it is asked to.
constexpr std::chrono::milliseconds kToEnd{3000};
constexpr std::chrono::milliseconds kToEndAsked{1500};
constexpr std::size_t kReadBytesMax = std::size_t{1} << 16U;

// The launchers that each MPI has on systems that keep several apart, then the usual name.
std::vector<std::string> launcher_names() {
  const std::string_view mpi = mpi::name();
  if (mpi == "Open MPI") return {"mpiexec.openmpi", "mpiexec"};
  if (mpi == "MPICH") return {"mpiexec.mpich", "mpiexec.hydra", "mpiexec"};
  return {"mpiexec"};
}

// Finds the first of these programs; empty if PATH has none.
std::string find_program(const std::vector<std::string>& names) {
  const char* const path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "/usr/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string program = folder + "/" + name;
      if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
    }
  }
  return "";
}

// Variables that the launchers want set so that more ranks than cores, and root, are no obstacle; what is set already
// stays.
std::vector<std::string> environment_of_ranks() {
  std::vector<std::pair<std::string, std::string>> wanted = {{"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                                             {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                                                             {"OMPI_MCA_mpi_yield_when_idle", "1"}};
  if (::geteuid() == 0) {
    wanted.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    wanted.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  for (const auto& [name, value] : wanted) {
    if (std::getenv(name.c_str()) == nullptr) result.push_back(fmt::format("{}={}", name, value));
  }
  return result;
}

std::string no_launcher() {
  return fmt::format(
      "there is no {} in PATH, which starts the ranks\n  help: install {}'s commands, or add their folder to PATH",
      launcher_names().front(), mpi::name());
}

// `mpiexec -n N tessera`, of this very program.
std::vector<std::string> words_of_launcher(const std::string& program, int ranks) {
  std::error_code unknown;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  return {program, "-n", std::to_string(ranks), self};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

// In the new process: a session of its own, so that Ctrl-C is the front end's, and no longer life than the front end's.
[[noreturn]] void become(char* const* words, char* const* environment, int in, int out, int err, pid_t front_end) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != front_end) ::_exit(1);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execve(words[0], words, environment);
  ::_exit(127);
}

// Reads what is there without waiting, up to a limit.
void drain(int descriptor, std::string& text) {
  struct pollfd wanted = {descriptor, POLLIN, 0};
  std::array<char, 4096> chunk;
  while (::poll(&wanted, 1, 0) > 0) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count <= 0) return;
    if (text.size() < kReadBytesMax) text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

// True if the process ends within this time. Its output is read meanwhile, or it might wait for a reader.
bool ends_within(pid_t process, std::chrono::milliseconds time, int output, std::string& text) {
  const auto deadline = steady_clock::now() + time;
  while (true) {
    const bool has_ended = ::waitpid(process, nullptr, WNOHANG) != 0;
    drain(output, text);
    if (has_ended || steady_clock::now() > deadline) return has_ended;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

std::string become_launcher(int ranks, const std::vector<std::string>& words) {
  const std::string program = find_program(launcher_names());
  if (program.empty()) return no_launcher();
  std::vector<std::string> all = words_of_launcher(program, ranks);
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables = environment_of_ranks();
  ::execve(program.c_str(), pointers_to(all).data(), pointers_to(variables).data());
  return fmt::format("cannot start {}: {}", program, system_text(errno));
}

Launcher::Launcher(int ranks, const std::vector<std::string>& options) {
  const std::string program = find_program(launcher_names());
  if (program.empty())
    why_ = no_launcher();
  else
    start(program, ranks, options);
}

void Launcher::start(const std::string& program, int ranks, const std::vector<std::string>& options) {
  std::vector<std::string> words = words_of_launcher(program, ranks);
  words.emplace_back("worker");
  words.insert(words.end(), options.begin(), options.end());
  std::vector<std::string> variables = environment_of_ranks();
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);
  std::array<int, 2> in = {-1, -1};
  std::array<int, 2> out = {-1, -1};
  said_ = ::memfd_create("tessera-launcher", MFD_CLOEXEC);
  const pid_t front_end = ::getpid();
  if (said_ >= 0 && ::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0) process_ = ::fork();
  if (process_ == 0) become(arguments.data(), environment.data(), in[0], out[1], said_, front_end);
  if (process_ < 0) why_ = fmt::format("cannot start {}: {}", program, system_text(errno));
  close_all({in[0], out[1]});
  to_ranks_ = in[1];
  from_ranks_ = out[0];
}

bool Launcher::has_ended() const {
  siginfo_t ended = {};
  return process_ <= 0 || ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid == process_;
}

std::string Launcher::finish() {
  close_all({std::exchange(to_ranks_, -1)});
  std::string last;
  const pid_t process = std::exchange(process_, -1);
  if (process > 0 && !ends_within(process, kToEnd, from_ranks_, last)) {
    ::kill(process, SIGTERM);
    if (!ends_within(process, kToEndAsked, from_ranks_, last)) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }
  close_all({std::exchange(from_ranks_, -1)});
  return last;
}

std::string Launcher::said() const {
  std::string text(kReadBytesMax, '\0');
  const ssize_t bytes = said_ < 0 ? 0 : ::pread(said_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return text;
}

Launcher::~Launcher() {
  finish();
  close_all({said_});
}

}  // namespace tessera::repl
