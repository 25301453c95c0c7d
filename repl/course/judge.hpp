// Answers judged.
#pragma once

#include "repl/course/attempt.hpp"
#include "repl/course/lesson.hpp"
#include "repl/course/trial.hpp"

namespace tessera::repl {

// Judges an answer that settles all names that the lesson asks for.
Verdict judge(const Lesson& lesson, const Attempt& attempt);

}  // namespace tessera::repl
