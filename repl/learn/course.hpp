// The course as a conversation: pages, answers, replies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/console.hpp"
#include "repl/files.hpp"
#include "repl/learn/lesson.hpp"
#include "repl/learn/progress.hpp"

namespace tessera::repl {

// What the learner entered: a line, Ctrl-C, which forgets the statement begun, or the end of the input.
struct Entered {
  enum class Kind : std::uint8_t { line, interrupt, end };
  Kind kind = Kind::end;
  std::string line = {};
};
// The next of it, after this prompt.
using NextLine = std::function<Entered(std::string_view prompt)>;

enum class Keep : std::uint8_t { progress, nothing };

// Takes the learner through lessons from `first` on, until they end or the learner leaves. With Keep::progress what is
// done is saved as it happens. Gives the exit status.
int take_lessons(const std::vector<Lesson>& lessons, std::size_t first, Keep keep, Console& console,
                 const NextLine& next_line);

// The course of this executable: what `:learn` of a session calls. It begins at the lesson of that number; where the
// learner was if it is empty.
int take_course(Console& console, std::string_view lesson, const NextLine& next_line);

// The place of the lesson with that number.
Read<std::size_t> place_of(std::string_view number, std::size_t lessons);

// The place of the first lesson that the learner has yet to do; of the last one if all are done.
std::size_t lesson_to_resume(const std::vector<Lesson>& lessons, const CourseProgress& progress);

// A lesson's page: its text, what is given, its goal, and what to type.
std::string page_of(const Lesson& lesson, std::size_t number, std::size_t count);

}  // namespace tessera::repl
