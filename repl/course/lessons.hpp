// The course: the lessons of repl/course/lessons/, which the build makes part of the executable.
#pragma once

#include <string_view>
#include <vector>

#include "repl/course/lesson.hpp"

namespace tessera::repl {

struct LessonText {
  std::string_view file;  // `05-rows-become-columns.lesson`
  std::string_view text;
};

// In the order of their numbers.
std::vector<LessonText> lesson_texts();

// The same, parsed. The tests make sure that every one parses.
std::vector<Lesson> course_lessons();

// A course in a folder: its files `*.lesson`, in the order of their names.
Read<std::vector<Lesson>> lessons_in(const std::string& folder);
// The name under which its progress is kept: the folder's own.
std::string course_name(const std::string& folder);

}  // namespace tessera::repl
