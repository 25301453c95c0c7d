// The text that is being typed, which may have several lines, and the cursor in it.
//
// Moving and erasing are the same thing twice: a motion says where the cursor would go, move() goes there, and erase()
// takes away what lies between. In `let a = 12` with the cursor at the end, Motion::word_left leads before `12`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

enum class Motion : std::uint8_t {
  left,  // by one character, with the marks that are drawn over it
  right,
  word_left,  // to the beginning of a word, a run of letters, digits and `_`
  word_right,
  blank_word_left,  // to the blank before a word
  line_begin,
  line_end,
  up,  // to the line above, in the same column if it is long enough
  down,
};

class EditedText {
 public:
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }  // a byte of the text, or its end
  std::string_view before_cursor() const { return std::string_view(text_).substr(0, cursor_); }
  bool is_at_end() const { return cursor_ == text_.size(); }

  // Another text, with the cursor at its end.
  void set(std::string text);
  void insert(std::string_view what);
  // False: there is nowhere to go.
  bool move(Motion motion);
  // Takes away what lies between the cursor and where the motion leads, and returns it.
  std::string erase(Motion motion);
  // Exchanges the two characters around the cursor, or the last two of the line.
  void transpose();
  // Goes back to what was there before the last change; a run of insertions is one change.
  void undo();

 private:
  struct Earlier {
    std::string text;
    std::size_t cursor;
  };

  std::size_t target(Motion motion) const;
  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;
  // A place in the line that begins there, in so many columns from its begin.
  std::size_t in_column(std::size_t begin, int column) const;
  void remember(bool is_insertion);

  std::string text_;
  std::size_t cursor_ = 0;
  std::vector<Earlier> earlier_;
  bool inserting_ = false;  // the last change was an insertion
};

}  // namespace tessera::repl
