// The course as a conversation: pages, answers, replies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/course/lesson.hpp"
#include "repl/course/progress.hpp"
#include "repl/process/console.hpp"
#include "repl/process/files.hpp"
#include "repl/typing/keyboard.hpp"
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
// Reads what somebody types at a terminal.
NextLine course_lines(Keyboard& keyboard);

// Takes the learner through lessons from `first` on, until they end or the learner leaves. Progress in a course is
// saved as it happens (CourseProgress::load has its name); without a course nothing is saved. Returns the exit status.
int take_lessons(const std::vector<Lesson>& lessons, std::size_t first, const std::optional<std::string>& course,
                 Console& console, const NextLine& next_line);

// The built-in course, as `:learn` of a session opens it. It begins at the lesson with that number, or, if that is
// empty, where the learner was.
int take_course(Console& console, std::string_view lesson, const NextLine& next_line);

// The place of the lesson with that number.
Read<std::size_t> place_of(std::string_view number, std::size_t lessons);

// A line for each lesson, with its number and whether it is done.
std::string lesson_list(const std::vector<Lesson>& lessons, const CourseProgress& progress);

// The place of the first lesson that the learner has yet to do; of the last one if all are done.
std::size_t lesson_to_resume(const std::vector<Lesson>& lessons, const CourseProgress& progress);

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
