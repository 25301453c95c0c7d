#include "repl/page/handout.hpp"

#include <fmt/format.h>

#include "repl/course/trial.hpp"
#include "repl/page/page.hpp"
#include "repl/page/page_data.hpp"

namespace tessera::repl {

Result<std::string> handout(const Lesson& lesson, const LessonNumber& number) {
  const auto given = given_session(lesson);
  if (!given) return given.diagnostics();
  const std::string title = number.count > 1 ? fmt::format("Lesson {}: {}", number.at + 1, lesson.title) : lesson.title;
  return page_with(lesson_data(lesson, title, *given));
}

}  // namespace tessera::repl
