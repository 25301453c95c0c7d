#include "bench/startup/startup_bench.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "bench/report.hpp"
#include "bench/timing.hpp"

namespace tessera::bench {

namespace {

struct Command {
  std::string name;
  std::vector<std::string> words;
  std::string input = "/dev/null";
};

// Runs it without its output; whether it ended well.
bool succeeds(const Command& command) {
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, command.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  int status = -1;
  const bool ran = posix_spawnp(&process, words[0], &files, nullptr, words.data(), environ) == 0 &&
                   waitpid(process, &status, 0) == process;
  posix_spawn_file_actions_destroy(&files);
  return ran && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A file with these lines, for as long as it lives.
class Script {
 public:
  explicit Script(const std::string& text) {
    const int descriptor = mkstemp(name_);
    if (descriptor < 0) return;
    close(descriptor);
    std::ofstream(name_) << text;
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  ~Script() { unlink(name_); }
  std::string name() const { return name_; }

 private:
  char name_[32] = "/tmp/tessera-bench-XXXXXX";
};

}  // namespace

int run(const StartupBench& options) {
  const Script line("print 1 + 1\n");
  const Script sharded("mesh m = [x: 4]\nlet a = iota(f32[16@x, 8])\nlet b = a as [16, 8@x]\nprint sum(b)\n");
  const std::vector<Command> commands = {
      {"a process that does nothing", {"true"}},
      {"tessera --version", {options.tessera, "--version"}},
      {"tessera run, one line", {options.tessera, "run", line.name()}},
      {"tessera run, a change of layout", {options.tessera, "run", sharded.name()}},
      {"tessera, a session of one line", {options.tessera}, line.name()},
  };
  const Report report("from start to end", {"best_ms", "median_ms"}, options.json);
  for (const Command& command : commands) {
    std::vector<double> times;
    bool well = true;
    for (int go = 0; go <= options.goes && well; ++go) times.push_back(seconds_of([&] { well = succeeds(command); }));
    if (!well) {
      fmt::print(stderr, "{} failed\n", fmt::join(command.words, " "));
      return 3;
    }
    std::sort(times.begin(), times.end());
    report.row(command.name, {times.front() * 1e3, times[times.size() / 2] * 1e3});
  }
  return 0;
}

}  // namespace tessera::bench
