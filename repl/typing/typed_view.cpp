#include "repl/typing/typed_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

// Puts cells into rows.
class RowMaker {
 public:
  RowMaker(int width, Colour colour) : width_(std::max(width, 2)), colour_(colour) {}

  // Text of one ink without line breaks.
  void add(std::string_view text, Ink ink) {
    std::string run;
    for (const Cell& cell : cells(text)) {
      if (row().columns + cell.columns > width_) {
        paint(run, ink);
        run.clear();
        wrap();
      }
      run += cell.text;
      row().columns += cell.columns;
    }
    paint(run, ink);
  }

  void break_line() { made_.rows.emplace_back(); }

  // A cursor behind the last column stands at the begin of the next row.
  void put_cursor() {
    if (row().columns >= width_) wrap();
    made_.cursor_row = made_.rows.size() - 1;
    made_.cursor_column = row().columns;
  }

  ScreenRows take() { return std::move(made_); }

 private:
  ScreenRow& row() { return made_.rows.back(); }

  void wrap() {
    row().goes_on = true;
    made_.rows.emplace_back();
  }

  void paint(const std::string& run, Ink ink) { row().painted += painted(run, ink, colour_); }

  int width_;
  Colour colour_;
  ScreenRows made_{{ScreenRow{}}};
};

// The end of the piece that begins there and has one ink, no line break, and the cursor nowhere inside.
std::size_t piece_end(const Typed& typed, std::size_t begin) {
  std::size_t end = begin + 1;
  const auto ink = [&](std::size_t at) { return typed.inks.empty() ? Ink::plain : typed.inks[at]; };
  while (end < typed.text.size() && typed.text[end] != '\n' && end != typed.cursor && ink(end) == ink(begin)) ++end;
  return end;
}

}  // namespace

ScreenRows rows_of(const Typed& typed, int width) {
  RowMaker maker(width, typed.colour);
  std::size_t line = 0;
  maker.add(typed.prompt(line), Ink::gutter);
  for (std::size_t at = 0; at < typed.text.size();) {
    if (at == typed.cursor) maker.put_cursor();
    if (typed.text[at] == '\n') {
      maker.break_line();
      maker.add(typed.prompt(++line), Ink::gutter);
      ++at;
      continue;
    }
    const std::size_t end = piece_end(typed, at);
    maker.add(typed.text.substr(at, end - at), typed.inks.empty() ? Ink::plain : typed.inks[at]);
    at = end;
  }
  if (typed.cursor >= typed.text.size()) maker.put_cursor();
  return maker.take();
}

void TypedView::draw(const Typed& typed, int width, int height) {
  ScreenRows all = rows_of(typed, width);
  const auto shown_max = static_cast<std::size_t>(std::max(height, 1));
  const std::size_t first = all.cursor_row >= shown_max ? all.cursor_row - shown_max + 1 : 0;
  const std::size_t end = std::min(all.rows.size(), first + shown_max);
  std::string bytes;
  if (drawn_rows_above_ > 0) bytes += fmt::format("\x1B[{}A", drawn_rows_above_);
  bytes += "\r\x1B[J";
  for (std::size_t i = first; i < end; ++i) {
    bytes += all.rows[i].painted;
    // A full row is left by the next character, so that the terminal knows that the line goes on.
    const bool is_left_by_itself =
        all.rows[i].goes_on && all.rows[i].columns >= width && i + 1 < end && !all.rows[i + 1].painted.empty();
    if (i + 1 < end && !is_left_by_itself) bytes += "\r\n";
  }
  const std::size_t below = end - 1 - all.cursor_row;
  if (below > 0) bytes += fmt::format("\x1B[{}A", below);
  const int from = std::min(all.rows[end - 1].columns, width - 1);
  if (from > all.cursor_column) bytes += fmt::format("\x1B[{}D", from - all.cursor_column);
  if (from < all.cursor_column) bytes += fmt::format("\x1B[{}C", all.cursor_column - from);
  drawn_rows_above_ = all.cursor_row - first;
  write_(bytes);
}

void TypedView::leave(Typed typed, int width, int height) {
  typed.cursor = typed.text.size();
  draw(typed, width, height);
  write_("\r\n");
  begin();
}

void TypedView::wrapped(const Typed& typed, int width) { drawn_rows_above_ = rows_of(typed, width).cursor_row; }

void TypedView::clear_screen() {
  write_("\x1B[H\x1B[2J");
  begin();
}

}  // namespace tessera::repl
