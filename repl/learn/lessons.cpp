#include "repl/learn/lessons.hpp"

#include <stdexcept>
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

}  // namespace tessera::repl
