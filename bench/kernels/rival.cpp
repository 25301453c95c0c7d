#include "bench/kernels/rival.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace tessera::bench {

std::unique_ptr<Rival> Rival::start(const std::string& python, const std::string& script, const std::string& what,
                                    const std::string& clock) {
  int to[2];
  int from[2];
  if (pipe(to) != 0 || pipe(from) != 0) return nullptr;
  std::string words[] = {python, script, what, clock};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
  for (const int end : {to[0], to[1], from[0], from[1]}) posix_spawn_file_actions_addclose(&files, end);
  std::unique_ptr<Rival> rival(new Rival);
  const bool started = posix_spawnp(&rival->process_, python.c_str(), &files, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  close(to[0]);
  close(from[1]);
  rival->to_ = fdopen(to[1], "w");
  rival->from_ = fdopen(from[0], "r");
  if (!started) rival->process_ = 0;
  return started && rival->ask("hello") == "here" ? std::move(rival) : nullptr;
}

Rival::~Rival() {
  std::fclose(to_);
  std::fclose(from_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string Rival::ask(const std::string& line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  char answer[256];
  if (std::fgets(answer, sizeof answer, from_) == nullptr) return "";
  std::string text = answer;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool Rival::prepare(const Row& row) {
  if (row.python.empty()) return false;
  std::string line = fmt::format("{}\t{}\t{}", row.mesh, row.result, row.python);
  for (const RowInput& input : row.inputs) line += fmt::format("\t{} {} {}", input.name, input.type, input.below);
  return ask(line) == "ready";
}

std::optional<double> Rival::seconds() {
  const std::string answer = ask("go");
  char* end = nullptr;
  const double seconds = std::strtod(answer.c_str(), &end);
  if (end == answer.c_str()) return std::nullopt;
  return seconds;
}

}  // namespace tessera::bench
