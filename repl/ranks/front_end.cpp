#include "repl/ranks/front_end.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sstream>
#include <utility>

#include "repl/process/interrupt.hpp"
#include "repl/ranks/greeting.hpp"
#include "repl/ranks/loss.hpp"

namespace tessera::repl {

namespace {

// A stop may come between two runs of a command, which hears the next one.
constexpr int kStopAgainMilliseconds = 100;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool is_readable(const struct pollfd& descriptor) { return (descriptor.revents & (POLLIN | POLLHUP)) != 0; }

}  // namespace

FrontEnd::FrontEnd(int ranks, const std::vector<std::string>& options, Screen screen, const std::string& name,
                   int interrupt)
    : screen_(std::move(screen)), interrupt_(interrupt), launcher_(std::make_unique<Launcher>(ranks, options)) {
  if (launcher_->ok()) {
    request(greeting(screen_, name));
  } else {
    lost_ = launcher_->why();
  }
}

FrontEnd::~FrontEnd() { send({FrameKind::leave, {}}); }

void FrontEnd::take(const std::string& line) { request({FrameKind::take, {line, std::to_string(screen_.columns())}}); }

Completion FrontEnd::complete(std::string_view before_cursor) {
  completion_ = {before_cursor.size(), {}};
  request({FrameKind::complete, {std::string(before_cursor)}});
  return std::exchange(completion_, {});
}

void FrontEnd::request(const Frame& frame) {
  done_ = false;
  stopping_ = false;
  send(frame);
  if (interrupt_ >= 0) return show_until_done(interrupt_);
  const InterruptibleReading interruptible;
  show_until_done(interruptible.descriptor());
}

void FrontEnd::show_until_done(int interrupt) {
  while (!done_ && !lost_) {
    if (const auto frame = frames_.next()) {
      show(*frame);
    } else {
      wait(interrupt);
    }
  }
}

void FrontEnd::wait(int interrupt) {
  std::array<struct pollfd, 2> wanted = {{{launcher_->from_ranks(), POLLIN, 0}, {interrupt, POLLIN, 0}}};
  const int ready = ::poll(wanted.data(), wanted.size(), stopping_ ? kStopAgainMilliseconds : -1);
  if (ready < 0) return;  // a signal, which has made `interrupt` readable if it is ours
  if (is_readable(wanted[1])) {
    std::array<char, 64> forgotten;
    (void)!::read(interrupt, forgotten.data(), forgotten.size());
    stopping_ = true;
  }
  if (is_readable(wanted[0])) {
    if (read_frames(launcher_->from_ranks(), frames_) == 0 || frames_.is_nonsense()) give_up();
  } else if (launcher_->has_ended()) {
    give_up();
  } else if (stopping_) {
    send({FrameKind::stop, {}});
  }
}

void FrontEnd::show(const Frame& frame) {
  const std::string text = frame.texts.empty() ? "" : frame.texts[0];
  switch (frame.kind) {
    case FrameKind::more: unread_bytes_ -= std::min(unread_bytes_, kWindowStepBytes); break;
    case FrameKind::out: screen_.out(text); break;
    case FrameKind::err: screen_.err(text); break;
    case FrameKind::ask: answer(screen_.ask && screen_.ask(text) ? "yes" : "no"); break;
    case FrameKind::open_lesson:
      if (screen_.open_lesson) screen_.open_lesson(text);
      answer("over");
      break;
    case FrameKind::candidates:
      std::from_chars(text.data(), text.data() + text.size(), completion_.begin);
      completion_.candidates = split(frame.texts.back(), kBetween.front());
      break;
    case FrameKind::done:
      in_statement_ = text.find(kInStatement) != std::string::npos;
      left_ = text.find(kLeft) != std::string::npos;
      any_failed_ = text.find(kAnyFailed) != std::string::npos;
      done_ = true;
      break;
    case FrameKind::lost:
      rank_says_ = text;
      give_up();
      break;
    case FrameKind::greet:
    case FrameKind::take:
    case FrameKind::end:
    case FrameKind::forget:
    case FrameKind::complete:
    case FrameKind::answer:
    case FrameKind::stop:
    case FrameKind::leave: break;  // our own
  }
}

// Answers a question that came meanwhile; the rank that asked it goes on.
void FrontEnd::answer(const std::string& text) {
  done_ = false;
  send({FrameKind::answer, {text}});
}

// A long frame goes in pieces, as the ranks read them.
void FrontEnd::send(const Frame& frame) {
  const std::string bytes = to_bytes(frame);
  for (std::string_view rest = bytes; !rest.empty() && !lost_;) {
    const std::string_view piece = rest.substr(0, kWindowStepBytes);
    if (unread_bytes_ + piece.size() > kWindowBytes) {
      wait_for_window();
    } else if (write_bytes(launcher_->to_ranks(), piece)) {
      unread_bytes_ += piece.size();
      rest.remove_prefix(piece.size());
    } else {
      give_up();
    }
  }
}

// Nothing else comes meanwhile but what was on its way: nobody is asked anything while a long line is sent.
void FrontEnd::wait_for_window() {
  if (const auto frame = frames_.next()) {
    show(*frame);
  } else if (read_frames(launcher_->from_ranks(), frames_) == 0 || frames_.is_nonsense()) {
    give_up();
  }
}

// The launcher is the one who knows which rank has ended first; it says so at its end, Open MPI's on standard error,
// MPICH's among the frames.
void FrontEnd::give_up() {
  if (lost_) return;
  const std::string last = frames_.rest() + launcher_->finish();
  lost_ = "the session has ended: " + why_lost(launcher_->said() + last, rank_says_);
}

}  // namespace tessera::repl
