// The answers of a class: which files there are, and what comes of each.
//
//     answers/anna/05-transpose.tess    anna's answer to lesson 5, because its name begins with 5
//     answers/anna/11.tess
//     answers/bea/5.tess
//
// If everybody answers the same lesson, each student has one file: `answers/anna.tess`.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "repl/course/checking.hpp"
#include "repl/course/lesson.hpp"
#include "repl/process/files.hpp"

namespace tessera::repl {

struct AnswerFile {
  std::string student;
  std::size_t lesson = 0;  // its place in the course
  std::string path;
};

struct AnswerFiles {
  std::vector<AnswerFile> files;     // by student, then by lesson
  std::vector<std::string> strange;  // `.tess` files that answer no lesson
};

// `only`: all answer this lesson.
Read<AnswerFiles> answers_in(const std::string& folder, const std::vector<Lesson>& lessons,
                             std::optional<std::size_t> only);

struct Grade {
  AnswerFile answer;
  std::string title;
  Checked checked;
};
Grade grade_of(const AnswerFile& answer, const Lesson& lesson, int seconds);

// `anna, lesson 5: right (05-transpose.tess)`, or with the first line of what was wrong.
std::string grade_text(const Grade& grade);
// {"student", "lesson", "title", "file", "outcome", "scores": [{"name", "own", "par"}], "reply", "diagnostics"} in one
// line.
std::string grade_json(const Grade& grade);

// What students got right, each lesson once however many files answer it, and who failed which lesson.
class Grades {
 public:
  void add(const Grade& grade);
  std::string text() const;

 private:
  std::map<std::string, std::map<std::size_t, bool>> by_student_;  // of each lesson: is an answer right?
};

}  // namespace tessera::repl
