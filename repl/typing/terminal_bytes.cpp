#include "repl/typing/terminal_bytes.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "repl/typing/keys.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kPastesBetweenMarks = "\x1B[?2004h";
constexpr std::string_view kPastesAsTyped = "\x1B[?2004l";
constexpr int kRowsUsual = 24;
constexpr std::size_t kReadBytes = 4096;

// While an object lives, a signal that ends nothing ends waiting: the terminal has another size, or is ours again.
class SignalsSeen {
 public:
  SignalsSeen() {
    struct sigaction seen = {};
    seen.sa_handler = [](int) {};
    sigemptyset(&seen.sa_mask);
    sigaction(SIGWINCH, &seen, &resized_before_);
    sigaction(SIGCONT, &seen, &continued_before_);
  }
  SignalsSeen(const SignalsSeen&) = delete;
  SignalsSeen& operator=(const SignalsSeen&) = delete;
  ~SignalsSeen() {
    sigaction(SIGWINCH, &resized_before_, nullptr);
    sigaction(SIGCONT, &continued_before_, nullptr);
  }

 private:
  struct sigaction resized_before_;
  struct sigaction continued_before_;
};

}  // namespace

TypingMode::TypingMode() : is_terminal_(::tcgetattr(STDIN_FILENO, &before_) == 0) { resume(); }

TypingMode::~TypingMode() {
  write_to_terminal(std::string(kPastesAsTyped));
  if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

void TypingMode::resume() const {
  if (is_terminal_) {
    struct termios modes = before_;
    modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    modes.c_lflag |= ISIG;
    modes.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
    modes.c_oflag |= OPOST | ONLCR;
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
  }
  write_to_terminal(std::string(kPastesBetweenMarks));
}

TerminalBytes::Event TerminalBytes::wait(int milliseconds) {
  const SignalsSeen seen;
  std::array<struct pollfd, 2> wanted = {{{input_, POLLIN, 0}, {interrupt_, POLLIN, 0}}};
  int ready = 0;
  while ((ready = ::poll(wanted.data(), wanted.size(), milliseconds)) < 0) {
    if (errno != EINTR) return Event::input;  // reading will say why
    if (::poll(wanted.data(), wanted.size(), 0) > 0) break;
    changed_();
  }
  if (ready == 0) return Event::nothing;
  if ((wanted[1].revents & POLLIN) == 0) return Event::input;
  std::array<char, 64> forgotten;
  (void)!::read(interrupt_, forgotten.data(), forgotten.size());
  return Event::interrupt;
}

int TerminalBytes::next(int milliseconds) {
  while (taken_ == read_.size()) {
    switch (wait(milliseconds)) {
      case Event::interrupt: return kInterruptedThere;
      case Event::nothing: return kNoByteInTime;
      case Event::input: break;
    }
    if (!fill()) return kBytesEnded;
  }
  return static_cast<unsigned char>(read_[taken_++]);
}

bool TerminalBytes::fill() {
  read_.resize(kReadBytes);
  const ssize_t count = ::read(input_, read_.data(), read_.size());
  const int error = errno;
  read_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  taken_ = 0;
  return count > 0 || (count < 0 && (error == EINTR || error == EAGAIN));
}

bool TerminalBytes::has_more() {
  if (taken_ < read_.size()) return true;
  struct pollfd input = {input_, POLLIN, 0};
  if (::poll(&input, 1, 0) > 0) fill();
  return taken_ < read_.size();
}

void write_to_terminal(const std::string& bytes) {
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

int terminal_rows() {
  struct winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return kRowsUsual;
}

}  // namespace tessera::repl
