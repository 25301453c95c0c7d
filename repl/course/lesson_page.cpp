#include "repl/course/lesson_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "repl/course/trial.hpp"
#include "repl/course/values.hpp"
#include "repl/process/output_picture.hpp"
#include "repl/process/terminal.hpp"
#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

// The lesson's pictures, which stand before its text. A picture that cannot be drawn is left out; the tests see to it
// that each can.
std::string pictures_of(const Lesson& lesson, int columns) {
  const auto given = lesson.picture.empty() ? Result<Session>(Diagnostics{}) : given_session(lesson);
  if (!given) return "";
  std::string text;
  for (const std::string& expression : parts_of(lesson.picture, '\n')) {
    if (const auto array = value_of(*given, expression); array.value)
      text += picture_of(*array.value, expression, columns) + "\n";
  }
  return text;
}

// On a terminal of fewer rows nothing is gained by stopping.
constexpr int kRowsMin = 8;

// The bytes of as many lines as fit: up to the last gap between paragraphs in them, unless most would be left empty.
std::size_t screenful(std::string_view text, std::size_t rows) {
  std::size_t end = 0;
  std::size_t gap = 0;
  std::size_t gap_row = 0;
  for (std::size_t row = 1; row <= rows; ++row) {
    const std::size_t next = text.find('\n', end) + 1;
    if (next == end + 1) {
      gap = next;
      gap_row = row;
    }
    end = next;
  }
  return gap_row > rows / 2 ? gap : end;
}

}  // namespace

std::string listed_names(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string page_of(const Lesson& lesson, const LessonNumber& number, int columns) {
  std::string text = number.count > 1
                         ? fmt::format("\nLesson {} of {}: {}\n\n", number.at + 1, number.count, lesson.title)
                         : fmt::format("\n{}\n\n", lesson.title);
  text += pictures_of(lesson, columns) + lesson.text;
  if (!lesson.given.empty()) text += fmt::format("\nGiven:\n\n{}", indented(lesson.given));
  text += fmt::format("\nGoal: {}", lesson.goal);
  const std::vector<std::string> asked = asked_names(lesson);
  return text + fmt::format("\nBind {} with `let NAME = ...`; :help has the commands.\n\n", listed_names(asked));
}

void show_page(const Lesson& lesson, const LessonNumber& number, Console& console, const NextLine& next_line) {
  const std::string page = page_for_output(page_of(lesson, number, terminal_columns()));
  std::string_view rest = page;
  const int rows = is_conversation() ? terminal_rows() : 0;
  while (rows > kRowsMin && std::count(rest.begin(), rest.end(), '\n') >= rows) {
    const std::size_t end = screenful(rest, static_cast<std::size_t>(rows) - 1);
    console.out(rest.substr(0, end));
    rest.remove_prefix(end);
    const Entered entered = next_line({"Enter: the rest of the page ", nullptr});
    if (entered.kind != Entered::Kind::line) break;
    if (!entered.line.empty()) {
      console.out(rest);
      return;
    }
  }
  console.out(rest);
}

}  // namespace tessera::repl
