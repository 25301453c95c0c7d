#include "repl/ranks/inbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "repl/process/exit.hpp"
#include "repl/process/interrupt.hpp"

namespace tessera::repl {

namespace {

// For what runs to put its files in order after it was stopped.
constexpr std::chrono::seconds kToTidyUp{2};

}  // namespace

Outbox::Outbox() : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

void Outbox::send(const Frame& frame) {
  const std::scoped_lock lock(mutex_);
  write_bytes(descriptor_, to_bytes(frame));  // that nobody reads it any more, the inbox sees
}

Frame Inbox::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !frames_.empty(); });
  if (frames_.front().kind == FrameKind::leave) return frames_.front();
  Frame frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

void Inbox::put(Frame frame) {
  {
    const std::scoped_lock lock(mutex_);
    frames_.push_back(std::move(frame));
  }
  changed_.notify_one();
}

void Inbox::read() {
  FrameReader frames;
  std::size_t unsaid = 0;
  while (const std::size_t bytes = read_frames(STDIN_FILENO, frames)) {
    for (unsaid += bytes; unsaid >= kWindowStepBytes; unsaid -= kWindowStepBytes) outbox_.send({FrameKind::more, {}});
    while (auto frame = frames.next()) {
      const bool is_last = frame->kind == FrameKind::leave;
      if (frame->kind == FrameKind::stop) {
        stop_what_runs();
      } else {
        put(std::move(*frame));
      }
      if (is_last) return;
    }
  }
  // The front end is gone. The launcher ends the other ranks when this one has ended.
  stop_what_runs();
  std::this_thread::sleep_for(kToTidyUp);
  std::_Exit(kExitWorld);
}

}  // namespace tessera::repl
