#include "repl/work_apart.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace tessera::repl {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{2};

EndOfWork end_of(int status) {
  if (WIFSIGNALED(status)) return {EndOfWork::How::killed, WTERMSIG(status)};
  return {EndOfWork::How::finished, WEXITSTATUS(status)};
}

}  // namespace

EndOfWork work_apart(std::chrono::milliseconds time, const std::function<int()>& work) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return {EndOfWork::How::finished, work()};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::_Exit(::getppid() == parent ? work() : 1);
  }
  const auto deadline = std::chrono::steady_clock::now() + time;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return {EndOfWork::How::too_slow, 0};
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return end_of(status);
}

}  // namespace tessera::repl
