// The course from the command line: a conversation, a list of its lessons, or one answer checked.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/interrupt.hpp"
#include "repl/learn/attempt.hpp"
#include "repl/learn/course.hpp"
#include "repl/learn/lessons.hpp"
#include "repl/learn/trial.hpp"
#include "repl/work_apart.hpp"

namespace tessera::repl {

namespace {

// Lessons to be taken, and where to begin.
struct Selection {
  std::vector<Lesson> lessons;
  std::size_t first = 0;
  Keep keep = Keep::nothing;
};

Read<Selection> from_file(const std::string& path) {
  const auto text = read_text(path);
  if (!text.value) return {std::nullopt, text.why};
  auto lesson = read_lesson(text.value->text, text.value->name);
  if (!lesson.value) return {std::nullopt, lesson.why};
  return {Selection{{std::move(*lesson.value)}, 0, Keep::nothing}, {}};
}

// `5` is a lesson of the course, anything else a lesson's file.
Read<Selection> select(const std::string& which) {
  if (which.find_first_not_of("0123456789") != std::string::npos) return from_file(which);
  Selection selection{course_lessons(), 0, Keep::progress};
  const Read<std::size_t> first = place_of(which, selection.lessons.size());
  if (!first.value) return {std::nullopt, first.why};
  selection.first = *first.value;
  return {std::move(selection), {}};
}

int list_lessons(Console& console) {
  const CourseProgress progress = CourseProgress::load();
  const std::vector<Lesson> lessons = course_lessons();
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const bool is_here = lessons[i].name == progress.at();
    const char* mark = progress.is_done(lessons[i].name) ? "done" : is_here ? "here" : "";
    console.out(fmt::format("{:>3}  {:<4}  {}\n", i + 1, mark, lessons[i].title));
  }
  return kExitDone;
}

// Runs the statements of an answer up to one that binds a given name again, whose name it gives. Statements that fail
// are reported where no check expects it.
std::optional<std::string> run_answer(const Lesson& lesson, const Text& answer, Attempt& attempt, Console& console) {
  for (const StatementText& statement : statements_of(answer.text)) {
    if (auto given = attempt.rebound_name(statement.text)) return given;
    const auto report = attempt.add(statement.text, answer.name, statement.line);
    if (report) continue;
    const std::vector<std::string> names = names_let_in(statement.text);
    const bool is_expected = std::any_of(lesson.checks.begin(), lesson.checks.end(), [&](const Check& check) {
      return check.kind == CheckKind::error &&
             std::find(names.begin(), names.end(), check.value("name")) != names.end();
    });
    if (!is_expected) console.report(report.diagnostics());
  }
  return std::nullopt;
}

int tell(const Verdict& verdict, Console& console) {
  switch (verdict.outcome) {
    case Outcome::right: console.out("right\n" + verdict.reply); return kExitDone;
    case Outcome::wrong: console.out("wrong\n" + verdict.reply); return kExitProgram;
    case Outcome::unfit: return console.refuse(verdict.reply.substr(0, verdict.reply.find_last_not_of('\n') + 1));
  }
  return kExitOurBug;
}

int check_answer(const Lesson& lesson, const Text& answer, Console& console) {
  if (answer.text.size() > kAnswerBytesMax)
    return console.refuse(answer.name + " is no answer: it is longer than 64 KiB");
  auto session = given_session(lesson);
  if (!session) return failed(session.diagnostics(), console);
  Attempt attempt(lesson, std::move(*session));
  if (const auto given = run_answer(lesson, answer, attempt, console)) {
    return tell(wrong(name_is_given(*given) + "\n"), console);
  }
  for (const std::string& name : asked_names(lesson)) {
    if (attempt.settles({name})) continue;
    return tell(wrong(fmt::format("The answer does not bind `{0}`: it needs `let {0} = ...`.\n", name)), console);
  }
  return tell(judge(lesson, attempt), console);
}

// An answer is checked in a process of its own: one that never ends, or takes all memory, ends with it.
int check_apart(const Lesson& lesson, const Text& answer, int seconds, Console& console) {
  const EndOfWork end =
      work_apart(std::chrono::seconds(seconds), [&] { return console.finish(check_answer(lesson, answer, console)); });
  switch (end.how) {
    case EndOfWork::How::finished: return end.status;
    case EndOfWork::How::too_slow:
      return tell(wrong(fmt::format("The answer was stopped after {} s: does a loop in it take too many rounds? More "
                                    "time is given with --seconds.\n",
                                    seconds)),
                  console);
    case EndOfWork::How::killed:
      return console.refuse(fmt::format("{} ended its check by signal {}", answer.name, end.status));
  }
  return kExitOurBug;
}

int check_file(const LearnOptions& options, Console& console) {
  const auto selection = select(options.check->lesson);
  if (!selection.value) return console.refuse(selection.why);
  const Lesson& lesson = selection.value->lessons[selection.value->first];
  if (options.check->answer_file.empty())
    return check_apart(lesson, {"answer", lesson.answer}, options.seconds, console);
  const auto answer = read_text(options.check->answer_file);
  if (!answer.value) return console.refuse(answer.why);
  return check_apart(lesson, *answer.value, options.seconds, console);
}

// Lines of standard input.
class StandardInput {
 public:
  StandardInput(Console& console, int interrupt, bool prompting)
      : console_(console), lines_(STDIN_FILENO, interrupt), prompting_(prompting) {}

  Entered next(std::string_view prompt) {
    std::string line;
    if (prompting_) console_.out(prompt);
    switch (lines_.next(line)) {
      case LineReader::Outcome::line: return {Entered::Kind::line, std::move(line)};
      case LineReader::Outcome::interrupted:
        lines_.drop();
        console_.out("\n");
        return {Entered::Kind::interrupt};
      case LineReader::Outcome::end:
        if (prompting_) console_.out("\n");
        return {Entered::Kind::end};
      case LineReader::Outcome::failed:
        console_.complain(fmt::format("cannot read standard input: {}", lines_.why()));
        return {Entered::Kind::end};
    }
    return {Entered::Kind::end};
  }

 private:
  Console& console_;
  LineReader lines_;
  bool prompting_;
};

int take(const Selection& selection, Console& console) {
  const auto talk = [&](int interrupt, bool prompting) {
    StandardInput input(console, interrupt, prompting);
    return take_lessons(selection.lessons, selection.first, selection.keep, console,
                        [&](std::string_view prompt) { return input.next(prompt); });
  };
  if (::isatty(STDIN_FILENO) != 1) return talk(-1, false);
  const InterruptibleReading interruptible;
  return talk(interruptible.descriptor(), true);
}

}  // namespace

int perform(const LearnOptions& options, Console& console) {
  if (options.list) return list_lessons(console);
  if (options.check) return check_file(options, console);
  if (options.reset) {
    if (const auto why = CourseProgress::load().reset()) return console.refuse(*why);
    console.out("The course begins again at lesson 1.\n");
    return kExitDone;
  }
  if (options.lesson) {
    const auto selection = select(*options.lesson);
    return selection.value ? take(*selection.value, console) : console.refuse(selection.why);
  }
  const CourseProgress progress = CourseProgress::load();
  if (!progress.is_kept()) console.complain("neither XDG_DATA_HOME nor HOME is set, so progress is not kept");
  Selection course{course_lessons(), 0, Keep::progress};
  course.first = lesson_to_resume(course.lessons, progress);
  return take(course, console);
}

}  // namespace tessera::repl
