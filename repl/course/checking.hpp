// An answer from a file, judged in a process of its own: one that never ends, or takes all memory, ends with it.
#pragma once

#include <string>
#include <vector>

#include "repl/course/lesson.hpp"
#include "repl/course/trial.hpp"
#include "repl/process/files.hpp"

namespace tessera::repl {

struct Checked {
  enum class How : std::uint8_t {
    right,
    wrong,
    stopped,  // it took too long, which counts as wrong
    unfit,    // it could not be checked: the lesson's data make no sense, it is too long, or its process was killed
  };
  How how = How::unfit;
  std::string reply;  // lines
  std::string said;   // diagnostics of its statements, drawn for standard error
  std::vector<ScoreLine> scores = {};
};
std::string_view name(Checked::How how);

Checked check_answer(const Lesson& lesson, const Text& answer, int seconds);

}  // namespace tessera::repl
