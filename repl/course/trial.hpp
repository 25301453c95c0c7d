// An answer on trial: the lesson's program and the learner's, run from the beginning, and what is said of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/course/attempt.hpp"
#include "repl/course/lesson.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

enum class Outcome : std::uint8_t {
  right,
  wrong,
  unfit,  // the lesson's own data make no sense
};

// One score of an answer, beside the planner's.
struct ScoreLine {
  std::string name;  // `bytes`
  std::int64_t own = 0;
  std::int64_t par = 0;
};

struct Verdict {
  Outcome outcome = Outcome::right;
  std::string reply;  // lines; of a wrong answer with the smallest counterexample
  std::vector<ScoreLine> scores = {};
  int line = 0;  // of the lesson's file, where that is unfit; 0: where its check begins
};

struct Trial {
  const Lesson& lesson;
  const Attempt& attempt;
  Session given;   // after the lesson's program
  Session start;   // the same with the data that the answer is judged with
  Session shown;   // `given`, and then the answer
  Session judged;  // `start`, and then the answer
};

// The cost of some of an answer's names: of the statements that they are made of, and no others, as run.
struct Costs {
  std::vector<Redistribution> changes;  // in the answer's order
  std::vector<PartsMoved> parts;        // likewise
  std::int64_t received_bytes = 0;      // by all devices
  std::int64_t launches = 0;
};
Costs costs_of(const Trial& trial, const std::vector<std::string>& names);

// The names that the lesson asks for and the answer binds: those that were refused are no part of what is run.
std::vector<std::string> bound_names(const Lesson& lesson, const Attempt& attempt);

Verdict wrong(std::string reply);
// The verdict if the lesson itself is wrong, at `where`. `judge` puts the file and the line before it.
Verdict unfit(const std::string& where, const std::string& why, int line = 0);
// The lesson's words about a wrong answer that it knows, or nothing. `same` says whether a mistake's value is the
// answer's.
template <class Same>
std::string known_mistake(const Lesson& lesson, std::string_view subject, Same&& same) {
  for (const Mistake& mistake : lesson.mistakes) {
    if (mistake.subject == subject && same(mistake.value)) return mistake.reply;
  }
  return "";
}

// A session that prints nothing, after the lesson's program. Fails where the lesson's program does.
Result<Session> given_session(const Lesson& lesson);

// The reply to an answer that binds a given name again.
std::string name_is_given(const std::string& name);

}  // namespace tessera::repl
