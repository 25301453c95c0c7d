// A lesson's page, and how it is shown.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/course/lesson.hpp"
#include "repl/process/console.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// The learner's input: a line or several at once, Ctrl-C, which forgets the statement begun, or the end of the
// input.
struct Entered {
  enum class Kind : std::uint8_t { line, interrupt, end };
  Kind kind = Kind::end;
  std::string line = {};
};
struct Asked {
  std::string_view prompt;
  const Session* names = nullptr;  // that Tab completes; none: a question is asked, which one line answers
  bool begins = false;             // a statement, which may go on for several lines
};
// The next of it.
using NextLine = std::function<Entered(const Asked& asked)>;

// The place of a lesson in its course; a lesson on its own has no number.
struct LessonNumber {
  std::size_t at = 0;  // from 0
  std::size_t count = 1;
};

// A lesson's page: pictures, its text, what is given, its goal, and what to type.
std::string page_of(const Lesson& lesson, const LessonNumber& number, int columns);
// As the terminal takes it: one that is longer than the terminal goes on when Enter is pressed.
void show_page(const Lesson& lesson, const LessonNumber& number, Console& console, const NextLine& next_line);

// `shape, bytes and copies`
std::string listed_names(std::vector<std::string> names);

}  // namespace tessera::repl
