// The course as a conversation, lesson by lesson.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/course/lesson.hpp"
#include "repl/course/lesson_page.hpp"
#include "repl/course/progress.hpp"
#include "repl/process/console.hpp"
#include "repl/process/files.hpp"
#include "repl/typing/keyboard.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

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

}  // namespace tessera::repl
