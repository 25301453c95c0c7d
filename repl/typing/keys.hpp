// Keys of a terminal, told by their bytes. A terminal sends bytes: a letter as UTF-8, other keys as sequences that
// mostly begin with ESC, and what is pasted between two such sequences if it was asked to (bracketed paste).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tessera::repl {

enum class Stroke : std::uint8_t {
  text,   // a character that was typed
  paste,  // a text that was pasted, which may have several lines
  enter,
  new_line,  // a line that is begun although the text is complete
  complete,
  left,
  right,
  word_left,
  word_right,
  line_begin,
  line_end,
  up,
  down,
  earlier,  // in the history, wherever the cursor is
  later,
  erase_left,
  erase_right,
  erase_blank_word_left,  // to a blank
  erase_word_left,
  erase_word_right,
  erase_to_line_begin,
  erase_to_line_end,
  yank,  // what was erased last
  transpose,
  undo,
  search,
  clear_screen,
  end_or_erase_right,  // Ctrl-D
  abort,
  unknown,
  input_ended,
  interrupted,
};

struct Key {
  Stroke stroke = Stroke::unknown;
  std::string text = {};  // of `text` and `paste`, as valid UTF-8 without control characters but line breaks and tabs
};

// A source of bytes. Returns a byte (0 to 255) or one of the values below.
using NextByte = std::function<int(int milliseconds)>;  // negative: waits for ever
inline constexpr int kNoByteInTime = -1;
inline constexpr int kBytesEnded = -2;
inline constexpr int kInterruptedThere = -3;

// Waits for the next key.
Key next_key(const NextByte& next_byte);

}  // namespace tessera::repl
