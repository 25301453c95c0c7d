// One lesson as a conversation, from its page to the right answer or until the learner leaves it. Inputs run in an
// interpreter, so that everything works that works in a session. Statements that bind something also belong to the
// answer, which is judged name by name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/course/attempt.hpp"
#include "repl/course/card.hpp"
#include "repl/course/lesson.hpp"
#include "repl/course/lesson_page.hpp"
#include "repl/course/trial.hpp"
#include "repl/process/console.hpp"
#include "repl/session/interpreter.hpp"

namespace tessera::repl {

// The way in which a lesson was left.
enum class Leave : std::uint8_t { next, back, elsewhere, quit };

class LessonTalk {
 public:
  // `given` is a session after the lesson's program; `list` gives the lessons and which are done.
  // `best` is the learner's best card so far, in a lesson of golf.
  LessonTalk(const Lesson& lesson, const LessonNumber& number, Session given, Console& console,
             const NextLine& next_line, std::function<std::string()> list, Card best);
  LessonTalk(const LessonTalk&) = delete;
  LessonTalk& operator=(const LessonTalk&) = delete;

  // Shows what is given as the session does: nothing where that fails, which has been reported.
  bool begin();
  Leave run();
  bool is_done() const { return done_; }
  const Card& best_card() const { return best_card_; }
  // The lesson to go on with, from 0: where it was left for elsewhere.
  std::size_t destination() const { return destination_; }

 private:
  Screen screen();
  std::optional<Leave> take(const std::string& text);
  std::optional<Leave> command(const std::string& text, std::uint32_t first_line);
  std::optional<Leave> own_command(std::string_view name);
  std::optional<Leave> other_lesson(std::string_view number);
  std::optional<Leave> evaluate(const std::string& statement, std::uint32_t first_line);
  std::optional<Leave> judge_now(const std::vector<std::string>& bound);
  void say_what_is_known_of(const Diagnostics& refusal);
  bool judged_alone(const std::vector<std::string>& names) const;
  std::optional<Leave> count(const Verdict& verdict);
  bool is_golf() const;
  std::optional<Leave> hint();
  std::optional<Leave> say(std::string_view text);
  std::vector<std::string> missing() const;
  bool expects_refusal(const std::vector<std::string>& names) const;
  std::string reply_text(const std::string& reply);

  const Lesson& lesson_;
  LessonNumber number_;
  std::vector<std::string> asked_;
  Console& console_;
  const NextLine& next_line_;
  std::function<std::string()> list_;
  Interpreter interpreter_;
  Attempt attempt_;
  Input open_;
  std::uint32_t line_number_ = 0;
  std::size_t hints_given_ = 0;
  std::string latest_reply_;
  std::size_t destination_ = 0;
  bool done_ = false;
  Card best_card_;
};

}  // namespace tessera::repl
