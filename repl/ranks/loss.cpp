#include "repl/ranks/loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace tessera::repl {

namespace {

// How much of what a launcher says is passed on.
constexpr std::size_t kSaidBytesMax = 2000;
// A rank that waits notices a loss within a sixth of it, or later where many share a processor. The first ends all
// others when it has spoken, so that they wait as long only where it is the first that is gone.
constexpr std::chrono::milliseconds kForTheFirstToSpeak{2000};
// MPICH's launcher drops what it has not read when a rank ends all.
constexpr std::chrono::milliseconds kForTheLauncherToRead{100};

// The digits that follow a phrase; empty where there are none.
std::string_view digits_after(std::string_view text, std::string_view phrase) {
  const std::size_t at = text.find(phrase);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + phrase.size());
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// Open MPI says `process rank 1 with PID 200 on node n exited on signal 9 (Killed).` MPICH names a process, but not
// always the first that ended: it has ended the others itself.
constexpr std::string_view kRankByOpenMpi = "process rank ";
constexpr std::string_view kSomeRankByMpich = "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES";

// `, ended by signal 9`
std::string signal_text(std::string_view said) {
  for (const std::string_view phrase : {"exited on signal ", "(signal ", "KILLED BY SIGNAL: "}) {
    if (const auto signal = digits_after(said, phrase); !signal.empty())
      return fmt::format(", ended by signal {}", signal);
  }
  return "";
}

}  // namespace

bool is_hopeless(const Diagnostics& why) {
  return std::any_of(why.begin(), why.end(),
                     [](const Diagnostic& d) { return d.slug == "peer-lost" || d.slug == "mpi-failed"; });
}

void abandon(Launch& launch, int status) {
  std::this_thread::sleep_for(launch.rank() > 0 ? kForTheFirstToSpeak : kForTheLauncherToRead);
  launch.abort(status);
}

std::string why_lost(std::string_view launcher_says, const std::string& rank_says) {
  const std::string signal = signal_text(launcher_says);
  const std::string_view rank = digits_after(launcher_says, kRankByOpenMpi);
  if (!rank.empty()) return fmt::format("rank {} is gone{}", rank, signal);
  if (!rank_says.empty()) return rank_says;
  if (launcher_says.find(kSomeRankByMpich) != std::string_view::npos) return "a rank is gone" + signal;
  std::string_view said = launcher_says.substr(0, launcher_says.find_last_not_of(" \n\r\t") + 1);
  said.remove_prefix(std::min(said.find_first_not_of("\n\r "), said.size()));
  if (said.empty()) return "the ranks are gone";
  return fmt::format("the ranks are gone; their launcher says\n{}", said.substr(0, kSaidBytesMax));
}

}  // namespace tessera::repl
