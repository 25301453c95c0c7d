#include "repl/draw/handout.hpp"

#include "repl/draw/page.hpp"
#include "repl/draw/page_data.hpp"
#include "repl/learn/trial.hpp"

namespace tessera::repl {

Result<std::string> handout(const Lesson& lesson) {
  const auto given = given_session(lesson);
  if (!given) return given.diagnostics();
  return page_with(lesson_data(lesson, *given));
}

}  // namespace tessera::repl
