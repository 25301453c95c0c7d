#include "repl/course/lessons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tessera::repl {

std::vector<Lesson> course_lessons() {
  std::vector<Lesson> lessons;
  for (const LessonText& one : lesson_texts()) {
    auto lesson = read_lesson(one.text, std::string(one.file));
    if (!lesson.value) throw std::logic_error(lesson.why);
    lessons.push_back(std::move(*lesson.value));
  }
  return lessons;
}

Read<std::vector<Lesson>> lessons_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".lesson") paths.push_back(entry->path().string());
  }
  if (error) return {std::nullopt, fmt::format("cannot read the folder {}: {}", folder, error.message())};
  if (paths.empty()) return {std::nullopt, fmt::format("there is no file `*.lesson` in {}", folder)};
  std::sort(paths.begin(), paths.end());
  std::vector<Lesson> lessons;
  for (const std::string& path : paths) {
    const auto text = read_text(path);
    if (!text.value) return {std::nullopt, text.why};
    auto lesson = read_lesson(text.value->text, path);
    if (!lesson.value) return {std::nullopt, lesson.why};
    lessons.push_back(std::move(*lesson.value));
  }
  return {std::move(lessons), {}};
}

std::string course_name(const std::string& folder) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(folder, error);
  return (error ? std::filesystem::path(folder) : whole).filename().string();
}

}  // namespace tessera::repl
