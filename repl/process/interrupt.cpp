#include "repl/process/interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

namespace tessera::repl {

namespace {

// A signal handler is given nothing but the signal's number, so what it works on has to be global.
std::atomic<Session*> running = nullptr;
std::atomic<StopToken*> running_by_token = nullptr;
std::atomic<bool> has_been_stopped = false;
std::atomic<int> handlers_at_work = 0;  // the signal may arrive on any thread
std::atomic<int> reader_to_tell = -1;   // the writing end of a pipe
int told_reader = -1;                   // its reading end
constexpr char kInterrupt = 'i';
constexpr char kChild = 'c';
static_assert(std::atomic<Session*>::is_always_lock_free && std::atomic<StopToken*>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

struct sigaction install(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &before);
  return before;
}

void stop_running(int) {
  if (stop_what_runs() || reader_to_tell.load() >= 0) return;  // a conversation goes on, however impatient
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
}

void tell_reader(int signal) {
  const int error = errno;
  const char what = signal == SIGINT ? kInterrupt : kChild;
  (void)!::write(reader_to_tell.load(), &what, 1);
  errno = error;
}

// Has the reader been told of a Ctrl-C that it has not looked at? Forgets it, but not that a process has ended.
bool take_interrupt() {
  bool interrupted = false;
  bool child_ended = false;
  char what = 0;
  while (told_reader >= 0 && ::read(told_reader, &what, 1) == 1)
    (what == kInterrupt ? interrupted : child_ended) = true;
  if (child_ended) tell_reader(SIGCHLD);
  return interrupted;
}

}  // namespace

bool stop_what_runs() {
  handlers_at_work.fetch_add(1);
  Session* session = running.load();
  // A run that had not quite begun does not hear of it: whoever asks again is heard.
  if (session != nullptr) session->stop();
  StopToken* token = running_by_token.load();
  if (token != nullptr) token->stop();
  const bool first = (session != nullptr || token != nullptr) && !has_been_stopped.exchange(true);
  handlers_at_work.fetch_sub(1);
  return first;
}

void StoppableRun::begin() {
  has_been_stopped.store(false);
  before_ = install(SIGINT, stop_running, SA_RESTART);
}

StoppableRun::StoppableRun(StopToken& token) {
  running_by_token.store(&token);
  begin();
  if (take_interrupt()) token.stop();
}

StoppableRun::StoppableRun(Session& session) {
  running.store(&session);
  begin();
  if (!take_interrupt()) return;
  // A session hears only while it runs, which begins after this.
  insistent_ = std::jthread([&session](const std::stop_token& over) {
    for (; !over.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(1))) session.stop();
  });
}

StoppableRun::~StoppableRun() {
  sigaction(SIGINT, &before_, nullptr);
  running.store(nullptr);
  running_by_token.store(nullptr);
  while (handlers_at_work.load() != 0) std::this_thread::yield();
}

Result<RunReport> run_stoppable(Session& session, std::string_view text, std::string_view name,
                                std::uint32_t first_line) {
  const StoppableRun stoppable(session);
  return session.run(text, name, first_line);
}

InterruptibleReading::InterruptibleReading() {
  if (::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0) ends_ = {-1, -1};
  told_reader = ends_[0];
  reader_to_tell.store(ends_[1]);
  before_ = install(SIGINT, tell_reader, 0);
  child_before_ = install(SIGCHLD, tell_reader, SA_NOCLDSTOP);
}

InterruptibleReading::~InterruptibleReading() {
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigaction(SIGINT, &before_, nullptr);
  reader_to_tell.store(-1);
  told_reader = -1;
  for (const int end : ends_) {
    if (end >= 0) ::close(end);
  }
}

void let_writes_fail() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_with_the_terminal() {
  struct sigaction present = {};
  sigaction(SIGHUP, nullptr, &present);
  if (present.sa_handler != SIG_IGN) std::signal(SIGHUP, SIG_DFL);
}

}  // namespace tessera::repl
