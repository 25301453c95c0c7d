#include "repl/process/terminal.hpp"

#include <fcntl.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace tessera::repl {

namespace {

constexpr int kColumnsUsual = 80;
constexpr int kColumnsMax = 10'000;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_utf8() { return std::string_view(::nl_langinfo(CODESET)) == "UTF-8"; }

std::optional<int> columns_wanted() {
  const char* value = std::getenv("COLUMNS");
  if (value == nullptr) return std::nullopt;
  int columns = 0;
  const char* end = value + std::strlen(value);
  const auto [rest, error] = std::from_chars(value, end, columns);
  if (error != std::errc() || rest != end || columns < 1 || columns > kColumnsMax) return std::nullopt;
  return columns;
}

}  // namespace

// Open MPI gives rank 0 a terminal to write to, wherever the launcher writes what comes of it: to a file, say.
bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1 && !is_set("OMPI_COMM_WORLD_SIZE"); }

int terminal_columns() {
  if (const auto wanted = columns_wanted()) return *wanted;
  struct winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kColumnsUsual;
}

bool is_conversation() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

bool is_addressable_terminal() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && *terminal != '\0' && std::strcmp(terminal, "dumb") != 0;
}

TerminalInput::TerminalInput() : descriptor_(::open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (descriptor_ < 0) descriptor_ = STDIN_FILENO;
}

TerminalInput::~TerminalInput() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

bool takes_colour(int descriptor) {
  return is_terminal(descriptor) && !is_set("NO_COLOR") && is_addressable_terminal();
}

void use_unicode() {
  std::setlocale(LC_CTYPE, "");
  if (!is_utf8()) std::setlocale(LC_CTYPE, "C.UTF-8");
}

bool takes_box_characters(int descriptor) { return is_terminal(descriptor) && is_addressable_terminal() && is_utf8(); }

}  // namespace tessera::repl
