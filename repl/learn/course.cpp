#include "repl/learn/course.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "repl/exit.hpp"
#include "repl/learn/attempt.hpp"
#include "repl/learn/lessons.hpp"
#include "repl/learn/trial.hpp"
#include "repl/learn/values.hpp"
#include "repl/render/picture.hpp"
#include "repl/terminal.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kCourseHelp =
    "Type statements; a line goes on while a bracket is open. An expression alone is shown, so try things out:\n"
    "only the names that are asked for count, and each may be bound again; given names stay as they are.\n"
    "  :hint       a hint, then the next one\n"
    "  :answer?    an answer that is right\n"
    "  :page       this lesson's page once more\n"
    "  :skip       on to the next lesson\n"
    "  :back       back to the one before\n"
    "  :quit       leave (or Ctrl-D); the next `tessera learn` goes on here\n";

// Where a lesson was left.
enum class Leave { next, back, quit };

// `shape, bytes and copies`
std::string listed(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// What a program shows and what a reply draws, as the terminal takes it.
std::string painted_for_output(std::string_view text) {
  const Colour colour = takes_colour(STDOUT_FILENO) ? Colour::yes : Colour::no;
  return paint_picture(text, colour, takes_box_characters(STDOUT_FILENO));
}

// One lesson, from its page to the right answer or until the learner leaves it.
class Sitting {
 public:
  Sitting(const Lesson& lesson, Session session, Console& console, const NextLine& next_line)
      : lesson_(lesson), attempt_(lesson, std::move(session)), console_(console), next_line_(next_line) {}

  bool is_done() const { return done_; }

  Leave run() {
    while (true) {
      const Entered entered = next_line_(open_.empty() ? "learn> " : "     . ");
      switch (entered.kind) {
        case Entered::Kind::line:
          if (const auto leave = take(entered.line)) return *leave;
          break;
        case Entered::Kind::interrupt: open_.take(); break;
        case Entered::Kind::end: return Leave::quit;
      }
    }
  }

 private:
  std::optional<Leave> take(const std::string& line) {
    ++line_number_;
    const std::string_view shown = trimmed(line);
    if (open_.empty() && (shown.empty() || shown.front() == '#')) return std::nullopt;
    if (open_.empty() && shown.front() == ':') return command(shown);
    if (open_.empty() && (shown == "help" || shown == "?")) return say(kCourseHelp);
    if (open_.empty()) first_line_ = line_number_;
    if (open_.add(line)) return evaluate(open_.take());
    if (open_.size() > kAnswerBytesMax) {
      open_.take();
      console_.complain("a statement of more than 64 KiB is no answer");
    }
    return std::nullopt;
  }

  std::optional<Leave> command(std::string_view word) {
    if (word == ":hint") return hint();
    if (word == ":answer?" || word == ":answer") return say(indented(lesson_.answer));
    if (word == ":page") return say(page_of(lesson_, 0, 0));
    if (word == ":skip") return Leave::next;
    if (word == ":back") return Leave::back;
    if (word == ":quit") return Leave::quit;
    if (word != ":help") console_.complain(fmt::format("there is no command `{}` here", word));
    return say(kCourseHelp);
  }

  std::optional<Leave> say(std::string_view text) {
    console_.out(text);
    return std::nullopt;
  }

  std::optional<Leave> hint() {
    if (lesson_.hints.empty()) return say("This lesson has no hints; :answer? shows an answer.\n");
    if (hints_given_ == lesson_.hints.size()) return say("That was the last hint; :answer? shows an answer.\n");
    return say(lesson_.hints[hints_given_++]);
  }

  std::optional<Leave> evaluate(const std::string& statement) {
    if (const auto given = attempt_.rebound_name(statement)) {
      console_.complain(name_is_given(*given));
      return std::nullopt;
    }
    const std::vector<std::string> asked = asked_names(lesson_);
    const auto report = attempt_.add(statement, "input", first_line_);
    if (!report) console_.report(report.diagnostics());
    std::vector<std::string> touched = report ? std::vector<std::string>() : names_let_in(statement);
    if (report) {
      for (const Binding& binding : report->bindings) {
        touched.push_back(binding.name);
        console_.out(fmt::format("{} : {}\n", binding.name, binding.type));
      }
    }
    const auto is_asked = [&](const std::string& name) {
      return std::find(asked.begin(), asked.end(), name) != asked.end();
    };
    if (std::none_of(touched.begin(), touched.end(), is_asked)) return std::nullopt;
    if (!report && !expects_refusal(touched)) return std::nullopt;
    if (!attempt_.settles(asked)) return say(fmt::format("Still to bind: {}.\n", listed(missing(asked))));
    return tell(judge(lesson_, attempt_));
  }

  std::vector<std::string> missing(std::vector<std::string> asked) const {
    std::erase_if(asked, [&](const std::string& name) { return attempt_.settles({name}); });
    return asked;
  }

  // Has the diagnostic said all there is to say about a statement that failed?
  bool expects_refusal(const std::vector<std::string>& names) const {
    return std::any_of(lesson_.checks.begin(), lesson_.checks.end(), [&](const Check& check) {
      return check.kind == CheckKind::error &&
             std::find(names.begin(), names.end(), check.value("name")) != names.end();
    });
  }

  std::optional<Leave> tell(const Verdict& verdict) {
    done_ = verdict.outcome == Outcome::right;
    console_.out(fmt::format("\n{}{}", done_ ? "Right.\n" : "Not yet.\n", painted_for_output(verdict.reply)));
    if (done_) return Leave::next;
    return say("\nTry again; :hint helps.\n");
  }

  const Lesson& lesson_;
  Attempt attempt_;
  Console& console_;
  const NextLine& next_line_;
  OpenStatement open_;
  std::uint32_t line_number_ = 0;
  std::uint32_t first_line_ = 1;
  std::size_t hints_given_ = 0;
  bool done_ = false;
};

// A session for trying things out: it shows expressions.
Result<Session> trying_session(const Lesson& lesson, Console& console) {
  Config config;
  config.output = [&console](std::string_view text) { console.out(painted_for_output(text)); };
  config.log = [&console](const Diagnostic& diagnostic) { console.report(diagnostic); };
  config.bare_expressions = true;
  Session session(std::move(config));
  const auto done = session.run(lesson.given, "lesson");
  if (!done) return done.diagnostics();
  return session;
}

void keep_progress(const CourseProgress& progress, Keep keep, Console& console) {
  if (keep == Keep::nothing) return;
  if (const auto why = progress.save()) console.complain(*why);
}

// What is said after the last lesson: that the course is done, or which lessons are still open.
std::string farewell(const std::vector<Lesson>& lessons, const CourseProgress& progress) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (!progress.is_done(lessons[i].name)) open.push_back(i + 1);
  }
  if (open.empty()) return "\nThat was the last lesson. `tessera learn --list` shows them all.\n";
  return fmt::format(
      "\nThe course ends here, but lessons are still open: {}.\n`tessera learn --lesson {}` takes one.\n",
      fmt::join(open, ", "), open.front());
}

}  // namespace

std::string page_of(const Lesson& lesson, std::size_t number, std::size_t count) {
  std::string text = count > 1 ? fmt::format("\nLesson {} of {}: {}\n\n", number + 1, count, lesson.title)
                               : fmt::format("\n{}\n\n", lesson.title);
  text += lesson.text;
  if (!lesson.given.empty()) text += fmt::format("\nGiven:\n\n{}", indented(lesson.given));
  text += fmt::format("\nGoal: {}", lesson.goal);
  const std::vector<std::string> asked = asked_names(lesson);
  const char* how = asked.size() > 1 ? ", each with `let NAME = ...`" : " with `let NAME = ...`";
  return text + fmt::format("\nBind {}{}. :help lists the commands.\n\n", listed(asked), how);
}

std::size_t lesson_to_resume(const std::vector<Lesson>& lessons, const CourseProgress& progress) {
  const auto there =
      std::find_if(lessons.begin(), lessons.end(), [&](const Lesson& lesson) { return lesson.name == progress.at(); });
  if (there != lessons.end()) return static_cast<std::size_t>(there - lessons.begin());
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (!progress.is_done(lessons[i].name)) return i;
  }
  return lessons.empty() ? 0 : lessons.size() - 1;
}

int take_lessons(const std::vector<Lesson>& lessons, std::size_t first, Keep keep, Console& console,
                 const NextLine& next_line) {
  CourseProgress progress = keep == Keep::progress ? CourseProgress::load() : CourseProgress();
  std::size_t at = first;
  while (at < lessons.size()) {
    const Lesson& lesson = lessons[at];
    progress.go_to(lesson.name);
    keep_progress(progress, keep, console);
    auto session = trying_session(lesson, console);
    if (!session) {
      console.report(session.diagnostics());
      return kExitCommand;
    }
    console.out(page_of(lesson, at, lessons.size()));
    Sitting sitting(lesson, std::move(*session), console, next_line);
    const Leave leave = sitting.run();
    if (sitting.is_done()) progress.finish(lesson.name);
    if (leave == Leave::quit) return kExitDone;
    if (leave == Leave::next) ++at;
    if (leave == Leave::back && at > 0) --at;
  }
  progress.go_to("");
  keep_progress(progress, keep, console);
  if (lessons.size() > 1) console.out(farewell(lessons, progress));
  return kExitDone;
}

Read<std::size_t> place_of(std::string_view number, std::size_t lessons) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc{} && end == number.data() + number.size() && value >= 1 && value <= lessons)
    return {value - 1, {}};
  return {std::nullopt, fmt::format("there is no lesson {}; the course has lessons 1 to {}", number, lessons)};
}

int take_course(Console& console, std::string_view lesson, const NextLine& next_line) {
  const std::vector<Lesson> lessons = course_lessons();
  const Read<std::size_t> first = lesson.empty()
                                      ? Read<std::size_t>{lesson_to_resume(lessons, CourseProgress::load()), {}}
                                      : place_of(lesson, lessons.size());
  if (first.value) return take_lessons(lessons, *first.value, Keep::progress, console, next_line);
  console.complain(first.why);
  return kExitCommand;
}

}  // namespace tessera::repl
