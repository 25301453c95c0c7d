#include "repl/interactive/history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "repl/files.hpp"

namespace tessera::repl {

namespace {

namespace fs = std::filesystem;

// Only who typed the lines may read them.
constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kPrivateFile = 0600;

// The value of a variable that holds an absolute path; empty otherwise.
std::string path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? value : "";
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
  for (std::string line; std::getline(in, line);) lines_.push_back(std::move(line));
  if (lines_.size() <= kLinesMax) return;
  // Cut only now and then, so that two sessions at once do not cut each other short.
  const bool cut = lines_.size() > 2 * kLinesMax;
  lines_.erase(lines_.begin(), lines_.end() - kLinesMax);
  if (!cut) return;
  std::string kept;
  for (const std::string& line : lines_) kept += line + "\n";
  (void)replace_file(path_, kept);
}

bool SessionHistory::add(const std::string& line) {
  if (line == latest_ || line.find_first_not_of(" \t") == std::string::npos) return false;
  latest_ = line;
  if (path_.empty()) return true;
  make_folder(fs::path(path_).parent_path());
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kPrivateFile);
  if (file < 0) return true;
  const std::string text = line + "\n";
  (void)!::write(file, text.data(), text.size());
  ::close(file);
  return true;
}

}  // namespace tessera::repl
