#include "repl/course/progress.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "repl/course/values.hpp"
#include "repl/process/files.hpp"

namespace tessera::repl {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The XDG base directory rules: a path that is not absolute counts as none.
std::string progress_path() {
  const std::string data = variable("XDG_DATA_HOME");
  if (data.starts_with('/')) return data + "/tessera/lessons";
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.local/share/tessera/lessons" : "";
}

}  // namespace

CourseProgress CourseProgress::load(const std::string& course) {
  CourseProgress progress;
  progress.path_ = progress_path();
  if (!progress.path_.empty() && !course.empty()) progress.path_ += "-" + course;
  std::error_code error;
  if (progress.path_.empty() || !std::filesystem::is_regular_file(progress.path_, error)) return progress;
  const auto text = read_text(progress.path_);
  if (!text.value) return progress;
  for (const std::string& line : parts_of(text.value->text, '\n')) {
    if (line.starts_with("at ")) progress.at_ = trimmed(line.substr(3));
    if (line.starts_with("done ")) progress.done_.emplace(trimmed(line.substr(5)));
    if (line.starts_with("card ")) progress.best_card_ = Card::read(line.substr(5)).value_or(Card());
  }
  return progress;
}

std::optional<std::string> CourseProgress::save() const {
  if (!is_kept()) return std::nullopt;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  if (error) return fmt::format("cannot write {}: {}", path_, error.message());
  std::string text = at_.empty() ? "" : fmt::format("at {}\n", at_);
  for (const std::string& lesson : done_) text += fmt::format("done {}\n", lesson);
  if (const std::string card = best_card_.written(); !card.empty()) text += fmt::format("card {}\n", card);
  return replace_file(path_, text);
}

std::optional<std::string> CourseProgress::reset() {
  at_.clear();
  done_.clear();
  best_card_ = {};
  std::error_code error;
  if (is_kept()) std::filesystem::remove(path_, error);
  if (error) return fmt::format("cannot remove {}: {}", path_, error.message());
  return std::nullopt;
}

}  // namespace tessera::repl
