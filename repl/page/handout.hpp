// A lesson as a page to print or to project.
#pragma once

#include <string>

#include "repl/course/lesson.hpp"
#include "repl/course/lesson_page.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// Its number, its text, what is given, its goal, and who holds what of the given arrays, drawn as in drawn_page. Fails
// where the lesson's program does.
Result<std::string> handout(const Lesson& lesson, const LessonNumber& number);

}  // namespace tessera::repl
