#include "repl/render/snippet.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kCut = "...";
constexpr int kCutColumns = 3;

// The part of a line that is shown, in its columns.
struct Window {
  int begin = 0;
  int end = 0;
};

std::string one_line(std::string_view text) {
  std::string result = printable(text);
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

// Gives the column at which each cell begins, then the one at which the line ends.
std::vector<int> offsets(const std::vector<Cell>& line) {
  std::vector<int> result = {0};
  for (const Cell& cell : line) result.push_back(result.back() + cell.columns);
  return result;
}

// The label in columns of the whole line.
Mark mark_of(const Label& label, std::uint32_t first_column, const std::vector<int>& offsets) {
  const std::size_t last = offsets.size() - 1;
  const std::size_t before = label.place.column < first_column ? 0 : label.place.column - first_column;
  const std::size_t begin = std::min<std::size_t>(before, last);
  const std::size_t end = std::min<std::size_t>(begin + label.place.length, last);
  const int begin_column = offsets[begin];
  return Mark{begin_column, std::max(offsets[end], begin_column + 1), label.primary, one_line(label.text)};
}

// Around all marks if they fit, else around the first one's beginning.
Window choose_window(const std::vector<Mark>& marks, int line_columns, int columns_max) {
  int begin = marks.front().begin;
  int end = marks.front().end;
  for (const Mark& mark : marks) {
    const int wider_begin = std::min(begin, mark.begin);
    const int wider_end = std::max(end, mark.end);
    if (wider_end - wider_begin > columns_max) continue;
    begin = wider_begin;
    end = wider_end;
  }
  const int middle = end - begin > columns_max ? begin : begin + (end - begin) / 2;
  const int first = std::clamp(middle - columns_max / 2, 0, std::max(0, line_columns - columns_max));
  return {first, std::min(line_columns, first + columns_max)};
}

// The cells of the window; its borders move inwards to where cells begin and end.
std::string cut_line(const std::vector<Cell>& line, const std::vector<int>& offsets, Window& window) {
  std::string text;
  int begin = window.end;
  int end = window.begin;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (offsets[i] < window.begin || offsets[i + 1] > window.end) continue;
    begin = std::min(begin, offsets[i]);
    end = std::max(end, offsets[i + 1]);
    text += line[i].text;
  }
  window = {std::min(begin, end), end};
  return text;
}

// Blanks up to the column; `column` is what the row has so far.
void pad_to(std::string& row, int& column, int target) {
  if (target > column) row.append(static_cast<std::size_t>(target - column), ' ');
  column = std::max(column, target);
}

Ink ink_of(const Mark& mark, Ink primary) { return mark.primary ? primary : Ink::secondary; }

// The row of `^` and `-`. If marks overlap the shorter one is seen, if they are equally long the primary one.
std::string mark_row(const std::vector<Mark>& marks, Ink primary, Colour colour) {
  std::vector<const Mark*> order;
  for (const Mark& mark : marks) order.push_back(&mark);
  std::stable_sort(order.begin(), order.end(), [](const Mark* a, const Mark* b) {
    const int length_a = a->end - a->begin;
    const int length_b = b->end - b->begin;
    return length_a != length_b ? length_a > length_b : a->primary < b->primary;
  });
  std::vector<const Mark*> seen;
  for (const Mark* mark : order) {
    if (static_cast<std::size_t>(mark->end) > seen.size()) seen.resize(static_cast<std::size_t>(mark->end), nullptr);
    std::fill(seen.begin() + mark->begin, seen.begin() + mark->end, mark);
  }
  std::string row;
  for (auto begin = seen.begin(); begin != seen.end();) {
    const auto end = std::find_if(begin, seen.end(), [&](const Mark* mark) { return mark != *begin; });
    const char symbol = *begin == nullptr ? ' ' : (*begin)->primary ? '^' : '-';
    const Ink ink = *begin == nullptr ? Ink::plain : ink_of(**begin, primary);
    row += painted(std::string(static_cast<std::size_t>(end - begin), symbol), ink, colour);
    begin = end;
  }
  return row;
}

// The label whose text stands right behind the marks: the rightmost one.
const Mark* inline_mark(const std::vector<Mark>& marks) {
  const Mark* best = &marks.front();
  for (const Mark& mark : marks) {
    if (mark.end > best->end || (mark.end == best->end && mark.begin > best->begin)) best = &mark;
  }
  return best;
}

// A row of `|` under the marks given, but for those at `until` or right of it.
std::string connectors(const std::vector<const Mark*>& marks, int until, int& column, Ink primary, Colour colour) {
  std::vector<const Mark*> order(marks.rbegin(), marks.rend());
  std::string row;
  for (const Mark* mark : order) {
    if (mark->begin >= until || mark->begin < column) continue;
    pad_to(row, column, mark->begin);
    row += painted("|", ink_of(*mark, primary), colour);
    ++column;
  }
  return row;
}

// A label's text in its rows, and the column in which they begin: below the mark, or as far left of it as the text
// needs. A text that is longer than the room for all is broken at words.
struct HangingText {
  int begin = 0;
  std::vector<std::string> rows;
};
HangingText hanging_text(const Mark& mark, int columns_left) {
  constexpr int kPartOfRoom = 4;  // a broken text begins in the first quarter
  if (columns_left == 0) return {mark.begin, {mark.text}};
  const int room = columns_left - columns(mark.text);
  if (room >= 0) return {std::min(mark.begin, room), {mark.text}};
  HangingText text{std::min(mark.begin, columns_left / kPartOfRoom), {}};
  std::istringstream broken(wrapped_at_words(mark.text, columns_left - text.begin));
  for (std::string row; std::getline(broken, row);) text.rows.push_back(row);
  return text;
}

}  // namespace

ShownLine show_line(const std::vector<const Label*>& labels, int columns_left) {
  const Place& place = labels.front()->place;
  const std::vector<Cell> line = cells(place.line_text);
  const std::vector<int> ends = offsets(line);
  std::vector<Mark> marks;
  for (const Label* label : labels) marks.push_back(mark_of(*label, place.line_text_column, ends));
  const bool cut_before = place.line_text_column > 1;
  const bool is_short = ends.back() <= (columns_left > 0 ? columns_left : kLineColumnsMax);
  const int columns_max = columns_left > 0 ? columns_left - 2 * kCutColumns : kLineColumnsMax;
  Window window = is_short && !cut_before ? Window{0, ends.back()} : choose_window(marks, ends.back(), columns_max);
  std::string text = cut_line(line, ends, window);
  const bool left_out = window.begin > 0 || cut_before;
  const bool right_out = window.end < ends.back();
  const int shift = (left_out ? kCutColumns : 0) - window.begin;
  const int last = shift + window.end + (right_out ? kCutColumns : 1);
  for (Mark& mark : marks) {
    mark.begin = std::clamp(mark.begin + shift, 0, last - 1);
    mark.end = std::clamp(mark.end + shift, mark.begin + 1, last);
  }
  if (left_out) text.insert(0, kCut);
  if (right_out) text += kCut;
  const std::size_t blank = text.find_last_not_of(' ');
  text.erase(blank == std::string::npos ? 0 : blank + 1);
  return {std::move(text), std::move(marks)};
}

std::vector<std::string> draw_marks(const std::vector<Mark>& marks, Ink primary, Colour colour, int columns_left) {
  const Mark* beside = inline_mark(marks);
  if (columns_left > 0 && beside->end + 1 + columns(beside->text) > columns_left) beside = nullptr;
  std::vector<const Mark*> hanging;
  for (const Mark& mark : marks) {
    if (&mark != beside && !mark.text.empty()) hanging.push_back(&mark);
  }
  std::stable_sort(hanging.begin(), hanging.end(), [](const Mark* a, const Mark* b) { return a->begin > b->begin; });
  std::vector<std::string> rows = {mark_row(marks, primary, colour)};
  if (beside != nullptr && !beside->text.empty())
    rows.front() += ' ' + painted(beside->text, ink_of(*beside, primary), colour);
  int column = 0;
  if (!hanging.empty()) rows.push_back(connectors(hanging, hanging.front()->begin + 1, column, primary, colour));
  for (std::size_t i = 0; i < hanging.size(); ++i) {
    const Mark& mark = *hanging[i];
    const std::vector<const Mark*> below(hanging.begin() + static_cast<std::ptrdiff_t>(i), hanging.end());
    const HangingText text = hanging_text(mark, columns_left);
    for (const std::string& part : text.rows) {
      column = 0;
      std::string row = connectors(below, text.begin, column, primary, colour);
      pad_to(row, column, text.begin);
      rows.push_back(row + painted(part, ink_of(mark, primary), colour));
    }
  }
  return rows;
}

}  // namespace tessera::repl
