#include "repl/process/work_apart.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "repl/process/files.hpp"

namespace tessera::repl {

namespace {

using Clock = std::chrono::steady_clock;

// Reads until the other end is closed; false: not in time.
bool read_all(int descriptor, Clock::time_point deadline, std::string& text) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    struct pollfd wanted = {descriptor, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::max<long long>(left, 0)));
    if (ready == 0) return false;
    if (ready < 0) continue;  // a signal
    std::array<char, 4096> piece;
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count <= 0) return true;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

EndOfWork end_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {EndOfWork::How::killed, WTERMSIG(status)};
  return {};
}

}  // namespace

EndOfWork work_apart(std::chrono::milliseconds time, const std::function<std::string()>& work, std::string& result) {
  result.clear();
  std::array<int, 2> ends = {-1, -1};
  const pid_t parent = ::getpid();
  const pid_t child = ::pipe(ends.data()) == 0 ? ::fork() : -1;
  if (child < 0) {
    for (const int end : ends) ::close(end);
    result = work();
    return {};
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(ends[0]);
    if (::getppid() == parent) write_all(ends[1], work());
    std::_Exit(0);
  }
  ::close(ends[1]);
  const bool in_time = read_all(ends[0], Clock::now() + time, result);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  const EndOfWork end = end_of(child);
  return in_time ? end : EndOfWork{EndOfWork::How::too_slow, 0};
}

}  // namespace tessera::repl
