#include "repl/session/history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "repl/process/files.hpp"

namespace tessera::repl {

namespace {

namespace fs = std::filesystem;

// Only who typed the texts may read them.
constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kPrivateFile = 0600;

// The value of a variable that holds an absolute path; empty otherwise.
std::string path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? value : "";
}

constexpr char kGoesOn = '\t';

std::string as_lines(std::string_view text) {
  std::string lines;
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += kGoesOn;
  }
  return lines + "\n";
}

void make_folder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored)) return;
  make_folder(folder.parent_path());
  ::mkdir(folder.c_str(), kPrivateFolder);
}

}  // namespace

std::string SessionHistory::usual_path() {
  const std::string state = path_in("XDG_STATE_HOME");
  if (!state.empty()) return state + "/tessera/history";
  const std::string home = path_in("HOME");
  return home.empty() ? "" : home + "/.local/state/tessera/history";
}

SessionHistory::SessionHistory(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) read();
}

void SessionHistory::read() {
  struct stat status = {};
  if (::stat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto text = read_text(path_);
  if (!text.value) return;
  std::istringstream in(text.value->text);
  for (std::string line; std::getline(in, line);) {
    const bool goes_on = line.starts_with(kGoesOn) && !texts_.empty();
    if (goes_on) texts_.back() += "\n" + line.substr(1);
    if (!goes_on) texts_.push_back(std::move(line));
  }
  if (texts_.size() <= kTextsMax) return;
  // Cut only now and then, so that two sessions at once do not cut each other short.
  const bool cut = texts_.size() > 2 * kTextsMax;
  texts_.erase(texts_.begin(), texts_.end() - kTextsMax);
  if (!cut) return;
  std::string kept;
  for (const std::string& one : texts_) kept += as_lines(one);
  (void)replace_file(path_, kept);
}

bool SessionHistory::add(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (text == latest_ || begin == std::string::npos) return false;
  latest_ = text;
  if (path_.empty()) return true;
  make_folder(fs::path(path_).parent_path());
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kPrivateFile);
  if (file < 0) return true;
  const std::string lines = as_lines(text.substr(begin));
  (void)!::write(file, lines.data(), lines.size());
  ::close(file);
  return true;
}

}  // namespace tessera::repl
