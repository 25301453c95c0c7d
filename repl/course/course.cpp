#include "repl/course/course.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "repl/course/lesson_talk.hpp"
#include "repl/course/lessons.hpp"
#include "repl/course/trial.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/terminal.hpp"
#include "repl/typing/terminal_bytes.hpp"

namespace tessera::repl {

namespace {

void keep_progress(const CourseProgress& progress, Console& console) {
  if (const auto why = progress.save()) console.complain(*why);
}

// Numbers in ascending order, with what follows each other as one: `1-3, 5`.
std::string runs_text(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    runs.push_back(last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

// The last words: that the course is done, or which lessons are still open. `command` opens the course.
std::string farewell(const std::vector<Lesson>& lessons, const CourseProgress& progress, std::string_view command) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (!progress.is_done(lessons[i].name)) open.push_back(i + 1);
  }
  if (open.empty()) return fmt::format("\nThat was the last lesson. `{} --list` shows them all.\n", command);
  return fmt::format("\nThe course ends here, but lessons are still open: {}.\n`{} --lesson {}` takes one.\n",
                     runs_text(open), command, open.front());
}

// The reply to the right answer stays on the screen until the reader goes on. Gives whether they do; what is typed
// instead of Enter belongs to the next lesson.
bool goes_on(const NextLine& next_line) {
  return !is_conversation() || next_line({"Enter: the next lesson ", nullptr}).kind != Entered::Kind::end;
}

}  // namespace

std::string lesson_list(const std::vector<Lesson>& lessons, const CourseProgress& progress) {
  std::string text;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const bool is_here = lessons[i].name == progress.at();
    const char* mark = progress.is_done(lessons[i].name) ? "done" : is_here ? "here" : "";
    text += fmt::format("{:>3}  {:<4}  {}\n", i + 1, mark, lessons[i].title);
  }
  return text;
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

NextLine course_lines(Keyboard& keyboard) {
  return [&keyboard](const Asked& asked) {
    const std::string first(asked.prompt);
    Typing typing{[first](std::size_t line) {
      return line == 0 ? first : std::string(first.size() - std::min<std::size_t>(first.size(), 2), ' ') + ". ";
    }};
    if (const Session* names = asked.names) {
      typing.is_complete = [begins = asked.begins](std::string_view text) { return !begins || is_complete(text); };
      typing.completer = [names](std::string_view before_cursor) { return complete(before_cursor, *names); };
    }
    std::string text;
    switch (keyboard.next(typing, text)) {
      case LineReader::Outcome::line: break;
      case LineReader::Outcome::interrupted: keyboard.drop(); return Entered{Entered::Kind::interrupt};
      case LineReader::Outcome::end:
      case LineReader::Outcome::failed: return Entered{Entered::Kind::end};
    }
    if (asked.names != nullptr) keyboard.remember(text);
    if (asked.names == nullptr && !text.empty()) keyboard.give_back(text);
    return Entered{Entered::Kind::line, text};
  };
}

int take_lessons(const std::vector<Lesson>& lessons, std::size_t first, const std::optional<std::string>& course,
                 Console& console, const NextLine& next_line) {
  CourseProgress progress = course ? CourseProgress::load(*course) : CourseProgress();
  std::size_t at = first;
  while (at < lessons.size()) {
    const Lesson& lesson = lessons[at];
    progress.go_to(lesson.name);
    keep_progress(progress, console);
    auto session = given_session(lesson);
    if (!session) {
      console.report(session.diagnostics());
      return kExitCommand;
    }
    const LessonNumber number{at, lessons.size()};
    show_page(lesson, number, console, next_line);
    LessonTalk talk(
        lesson, number, std::move(*session), console, next_line, [&] { return lesson_list(lessons, progress); },
        progress.best_card());
    if (!talk.begin()) return kExitCommand;
    const Leave leave = talk.run();
    if (talk.is_done()) {
      progress.finish(lesson.name);
      progress.keep_card(talk.best_card());
      keep_progress(progress, console);
    }
    if (leave == Leave::quit) return kExitDone;
    if (leave == Leave::next) ++at;
    if (leave == Leave::back && at > 0) --at;
    if (leave == Leave::elsewhere) at = talk.destination();
    if (talk.is_done() && leave == Leave::next && at < lessons.size()) {
      progress.go_to(lessons[at].name);
      keep_progress(progress, console);
      if (!goes_on(next_line)) return kExitDone;
    }
  }
  progress.go_to("");
  keep_progress(progress, console);
  const bool is_built_in = course && course->empty();
  if (lessons.size() > 1)
    console.out(farewell(lessons, progress, is_built_in ? "tessera learn" : "tessera learn --course DIR"));
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
                                      ? Read<std::size_t>{lesson_to_resume(lessons, CourseProgress::load("")), {}}
                                      : place_of(lesson, lessons.size());
  if (first.value) return take_lessons(lessons, *first.value, "", console, next_line);
  console.complain(first.why);
  return kExitCommand;
}

}  // namespace tessera::repl
