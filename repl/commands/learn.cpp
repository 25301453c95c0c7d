// The course from the command line: a conversation, a list of its lessons, answers checked, a handout.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "repl/commands/commands.hpp"
#include "repl/course/checking.hpp"
#include "repl/course/course.hpp"
#include "repl/course/grading.hpp"
#include "repl/course/lessons.hpp"
#include "repl/page/handout.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/process/interrupt.hpp"
#include "repl/process/terminal.hpp"
#include "repl/typing/keyboard.hpp"

namespace tessera::repl {

namespace {

// Lessons to be taken, and where to begin.
struct Selection {
  std::vector<Lesson> lessons;
  std::size_t first = 0;
  std::optional<std::string> course;  // whose progress is kept (CourseProgress::load); none: of a lesson from a file
};

Read<Selection> from_file(const std::string& path) {
  const auto text = read_text(path);
  if (!text.value)
    return {std::nullopt,
            text.why + "\n  help: a lesson is its number, or a file; tessera learn --list has the numbers"};
  auto lesson = read_lesson(text.value->text, text.value->name);
  if (!lesson.value) return {std::nullopt, lesson.why};
  return {Selection{{std::move(*lesson.value)}, 0, std::nullopt}, {}};
}

// The course of the command line, from its beginning.
Read<Selection> course_of(const LearnOptions& options) {
  if (!options.course) return {Selection{course_lessons(), 0, ""}, {}};
  auto lessons = lessons_in(*options.course);
  if (!lessons.value) return {std::nullopt, lessons.why};
  return {Selection{std::move(*lessons.value), 0, course_name(*options.course)}, {}};
}

// `5` is a lesson of the course, anything else a lesson's file.
Read<Selection> select(const std::string& which, const LearnOptions& options) {
  if (which.find_first_not_of("0123456789") != std::string::npos) return from_file(which);
  auto selection = course_of(options);
  if (!selection.value) return selection;
  const Read<std::size_t> first = place_of(which, selection.value->lessons.size());
  if (!first.value) return {std::nullopt, first.why};
  selection.value->first = *first.value;
  return selection;
}

int tell(const Checked& checked, Console& console) {
  console.err(checked.said);
  switch (checked.how) {
    case Checked::How::right: console.out("right\n" + checked.reply); return kExitDone;
    case Checked::How::wrong:
    case Checked::How::stopped: console.out("wrong\n" + checked.reply); return kExitProgram;
    case Checked::How::unfit: return console.refuse(checked.reply.substr(0, checked.reply.find_last_not_of('\n') + 1));
  }
  return kExitOurBug;
}

int check_file(const LearnOptions& options, Console& console) {
  const auto selection = select(options.check->lesson, options);
  if (!selection.value) return console.refuse(selection.why);
  const Lesson& lesson = selection.value->lessons[selection.value->first];
  if (options.check->answer_file.empty())
    return tell(check_answer(lesson, {"answer", lesson.answer}, options.seconds), console);
  const auto answer = read_text(options.check->answer_file);
  if (!answer.value) return console.refuse(answer.why);
  return tell(check_answer(lesson, *answer.value, options.seconds), console);
}

// Lines of standard input, where nobody types.
NextLine piped_lines(LineReader& lines, Console& console) {
  return [&lines, &console](const Asked&) {
    std::string line;
    const LineReader::Outcome outcome = lines.next(line);
    if (outcome == LineReader::Outcome::line) return Entered{Entered::Kind::line, std::move(line)};
    if (outcome == LineReader::Outcome::failed)
      console.complain(fmt::format("cannot read standard input: {}", lines.why()));
    return Entered{Entered::Kind::end};
  };
}

int take(const Selection& selection, Console& console) {
  if (!is_conversation()) {
    LineReader lines(STDIN_FILENO);
    return take_lessons(selection.lessons, selection.first, selection.course, console, piped_lines(lines, console));
  }
  use_unicode();
  const InterruptibleReading interruptible;
  Keyboard keyboard(console, interruptible.descriptor(),
                    [](std::string_view line) { return Completion{line.size(), {}}; });
  return take_lessons(selection.lessons, selection.first, selection.course, console, course_lines(keyboard));
}

// Answers in a folder: of a course one folder for each student, of one lesson one file. A file that cannot be graded
// does not keep the others from it; the exit status tells of it.
int grade(const LearnOptions& options, Console& console) {
  const auto selection = options.lesson ? select(*options.lesson, options) : course_of(options);
  if (!selection.value) return console.refuse(selection.why);
  const std::optional<std::size_t> only = options.lesson ? std::optional(selection.value->first) : std::nullopt;
  const auto answers = answers_in(*options.grade, selection.value->lessons, only);
  if (!answers.value) return console.refuse(answers.why);
  for (const std::string& path : answers.value->strange)
    console.complain(fmt::format("{} answers no lesson: its name begins with no lesson's number", path));
  Grades grades;
  bool all_checked = answers.value->strange.empty();
  for (const AnswerFile& answer : answers.value->files) {
    const Grade one = grade_of(answer, selection.value->lessons[answer.lesson], options.seconds);
    console.out(options.json ? grade_json(one) : grade_text(one));
    grades.add(one);
    all_checked = all_checked && one.checked.how != Checked::How::unfit;
  }
  if (!options.json) console.out(grades.text());
  return all_checked ? kExitDone : kExitCommand;
}

int write_page(const LearnOptions& options, Console& console) {
  const auto selection = select(*options.page, options);
  if (!selection.value) return console.refuse(selection.why);
  OutputFile output(options.output, console);
  if (output.failed()) return kExitWorld;
  const auto page = handout(selection.value->lessons[selection.value->first],
                            {selection.value->first, selection.value->lessons.size()});
  return page ? output.write(*page) : failed(page.diagnostics(), console);
}

}  // namespace

int perform(const LearnOptions& options, Console& console) {
  if (options.check) return check_file(options, console);
  if (options.grade) return grade(options, console);
  if (options.page) return write_page(options, console);
  if (options.lesson) {
    const auto selection = select(*options.lesson, options);
    return selection.value ? take(*selection.value, console) : console.refuse(selection.why);
  }
  auto course = course_of(options);
  if (!course.value) return console.refuse(course.why);
  CourseProgress progress = CourseProgress::load(*course.value->course);
  if (options.list) {
    console.out(lesson_list(course.value->lessons, progress));
    return kExitDone;
  }
  if (options.reset) {
    if (const auto why = progress.reset()) return console.refuse(*why);
    console.out("The course begins again at lesson 1.\n");
    return kExitDone;
  }
  if (!progress.is_kept()) console.complain("neither XDG_DATA_HOME nor HOME is set, so progress is not kept");
  course.value->first = lesson_to_resume(course.value->lessons, progress);
  return take(*course.value, console);
}

}  // namespace tessera::repl
