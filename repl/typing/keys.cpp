#include "repl/typing/keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "repl/render/text_cells.hpp"

namespace tessera::repl {

namespace {

constexpr char kEscape = '\x1B';
// The rest of a sequence follows its ESC at once; after this time ESC was a key of its own.
constexpr int kEscapeMilliseconds = 50;
constexpr std::size_t kSequenceBytesMax = 32;
constexpr std::string_view kPasteBegin = "\x1B[200~";
constexpr std::string_view kPasteEnd = "\x1B[201~";

struct Meaning {
  std::string_view bytes;
  Stroke stroke;
};

// As in Emacs and the shells. Terminals differ in what Home, End and the arrows with Ctrl or Alt send.
constexpr std::array kMeanings = {
    Meaning{"\x01", Stroke::line_begin},
    Meaning{"\x02", Stroke::left},
    Meaning{"\x04", Stroke::end_or_erase_right},
    Meaning{"\x05", Stroke::line_end},
    Meaning{"\x06", Stroke::right},
    Meaning{"\x07", Stroke::abort},
    Meaning{"\x08", Stroke::erase_left},
    Meaning{"\t", Stroke::complete},
    Meaning{"\n", Stroke::enter},
    Meaning{"\x0B", Stroke::erase_to_line_end},
    Meaning{"\x0C", Stroke::clear_screen},
    Meaning{"\r", Stroke::enter},
    Meaning{"\x0E", Stroke::later},
    Meaning{"\x10", Stroke::earlier},
    Meaning{"\x12", Stroke::search},
    Meaning{"\x14", Stroke::transpose},
    Meaning{"\x15", Stroke::erase_to_line_begin},
    Meaning{"\x17", Stroke::erase_blank_word_left},
    Meaning{"\x19", Stroke::yank},
    Meaning{"\x1F", Stroke::undo},
    Meaning{"\x7F", Stroke::erase_left},
    Meaning{"\x1B\r", Stroke::new_line},
    Meaning{"\x1B\n", Stroke::new_line},
    Meaning{"\x1B\x7F", Stroke::erase_word_left},
    Meaning{"\x1B\x08", Stroke::erase_word_left},
    Meaning{"\033b", Stroke::word_left},
    Meaning{"\033f", Stroke::word_right},
    Meaning{"\033d", Stroke::erase_word_right},
    Meaning{"\x1B[A", Stroke::up},
    Meaning{"\x1B[B", Stroke::down},
    Meaning{"\x1B[C", Stroke::right},
    Meaning{"\x1B[D", Stroke::left},
    Meaning{"\x1B[H", Stroke::line_begin},
    Meaning{"\x1B[F", Stroke::line_end},
    Meaning{"\x1BOA", Stroke::up},
    Meaning{"\x1BOB", Stroke::down},
    Meaning{"\x1BOC", Stroke::right},
    Meaning{"\x1BOD", Stroke::left},
    Meaning{"\x1BOH", Stroke::line_begin},
    Meaning{"\x1BOF", Stroke::line_end},
    Meaning{"\x1B[1~", Stroke::line_begin},
    Meaning{"\x1B[7~", Stroke::line_begin},
    Meaning{"\x1B[4~", Stroke::line_end},
    Meaning{"\x1B[8~", Stroke::line_end},
    Meaning{"\x1B[3~", Stroke::erase_right},
    Meaning{"\x1B[5~", Stroke::earlier},
    Meaning{"\x1B[6~", Stroke::later},
    Meaning{"\x1B[3;5~", Stroke::erase_word_right},
    Meaning{"\x1B[1;5C", Stroke::word_right},
    Meaning{"\x1B[1;5D", Stroke::word_left},
    Meaning{"\x1B[1;3C", Stroke::word_right},
    Meaning{"\x1B[1;3D", Stroke::word_left},
    Meaning{"\x1B[1;5A", Stroke::earlier},
    Meaning{"\x1B[1;5B", Stroke::later},
};

bool ends_sequence(std::string_view bytes) {
  const bool has_parameters = bytes.size() > 1 && bytes[1] == '[';
  if (bytes.size() < 2 || bytes.size() >= kSequenceBytesMax) return bytes.size() >= kSequenceBytesMax;
  if (has_parameters) return bytes.size() > 2 && bytes.back() >= '@' && bytes.back() <= '~';
  return bytes[1] != 'O' || bytes.size() == 3;
}

int length_of_code_point(unsigned char first) {
  if (first >= 0xF8U) return 1;  // no code point begins so
  if (first >= 0xF0U) return 4;
  if (first >= 0xE0U) return 3;
  return first >= 0xC0U ? 2 : 1;
}

// Line breaks as one `\n`, and nothing that would disturb the terminal.
std::string cleaned(std::string text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!is_pair) lines += text[i] == '\r' ? '\n' : text[i];
  }
  return printable(lines);
}

Key pasted(const NextByte& next_byte) {
  std::string text;
  while (!text.ends_with(kPasteEnd)) {
    const int byte = next_byte(-1);
    if (byte == kInterruptedThere) return {Stroke::interrupted};
    if (byte < 0) return {Stroke::input_ended};
    text += static_cast<char>(byte);
  }
  text.resize(text.size() - kPasteEnd.size());
  return {Stroke::paste, cleaned(std::move(text))};
}

Key after_escape(const NextByte& next_byte) {
  std::string bytes(1, kEscape);
  while (!ends_sequence(bytes)) {
    const int byte = next_byte(kEscapeMilliseconds);
    if (byte == kInterruptedThere) return {Stroke::interrupted};
    if (byte < 0) return {bytes.size() == 1 ? Stroke::abort : Stroke::unknown};
    bytes += static_cast<char>(byte);
  }
  if (bytes == kPasteBegin) return pasted(next_byte);
  const auto known =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& m) { return m.bytes == bytes; });
  return {known == kMeanings.end() ? Stroke::unknown : known->stroke};
}

}  // namespace

Key next_key(const NextByte& next_byte) {
  const int first = next_byte(-1);
  if (first == kInterruptedThere) return {Stroke::interrupted};
  if (first < 0) return {Stroke::input_ended};
  if (first == kEscape) return after_escape(next_byte);
  std::string bytes(1, static_cast<char>(first));
  if (first < ' ' || first == 0x7F) {
    const auto known =
        std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& m) { return m.bytes == bytes; });
    return {known == kMeanings.end() ? Stroke::unknown : known->stroke};
  }
  const int length = length_of_code_point(static_cast<unsigned char>(first));
  while (static_cast<int>(bytes.size()) < length) {
    const int byte = next_byte(kEscapeMilliseconds);
    if (byte == kInterruptedThere) return {Stroke::interrupted};
    if (byte < 0) break;
    bytes += static_cast<char>(byte);
  }
  return {Stroke::text, cleaned(std::move(bytes))};
}

}  // namespace tessera::repl
