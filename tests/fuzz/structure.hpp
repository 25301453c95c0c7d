// Changes to a text that know where its lists, strings and numbers begin and end: bytes changed at random hardly ever
// leave a nested text readable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::fuzz {

struct Piece {
  std::size_t begin = 0;
  std::size_t length = 0;
};

inline bool is_number_byte(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; }

// The end of what begins with a bracket or a quotation mark there.
inline std::size_t end_of_nested(std::string_view text, std::size_t begin) {
  if (text[begin] == '"') return std::min(text.find('"', begin + 1), text.size() - 1) + 1;
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '[' || text[at] == '{' || text[at] == '(') ++depth;
    if ((text[at] == ']' || text[at] == '}' || text[at] == ')') && --depth == 0) return at + 1;
  }
  return text.size();
}

// The list, object, string or number that begins next, from there on and around.
inline Piece piece_from(std::string_view text, std::size_t from) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t at = (from + i) % text.size();
    if (std::string_view("[{(\"").find(text[at]) != std::string_view::npos) return {at, end_of_nested(text, at) - at};
    const bool begins = is_number_byte(text[at]) && (at == 0 || !is_number_byte(text[at - 1]));
    if (!begins) continue;
    std::size_t end = at;
    while (end < text.size() && is_number_byte(text[end])) ++end;
    return {at, end - at};
  }
  return {from, 0};
}

// One piece emptied, left out, put in place of another, or there once or very often more; or a number that is extreme.
// `below(n)` is a random number below n.
template <class Below>
void change_structure(std::string& text, Below&& below) {
  constexpr std::array<std::string_view, 9> kNumbers = {
      "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "1e308", "65536", "4294967296", "0.5"};
  constexpr std::size_t kOften = 20'000;
  constexpr std::size_t kBytesMax = std::size_t{4} << 20U;
  if (text.empty()) return;
  const Piece one = piece_from(text, below(text.size()));
  const Piece other = piece_from(text, below(text.size()));
  const std::string whole = text.substr(one.begin, one.length);
  switch (below(6)) {
    case 0: {
      const bool is_nested = whole.size() > 1 && !is_number_byte(whole[0]);
      text.replace(one.begin, one.length, is_nested ? std::string{whole.front(), whole.back()} : std::string());
      break;
    }
    case 1: {
      const bool is_followed = one.begin + one.length < text.size() && text[one.begin + one.length] == ',';
      text.erase(one.begin, one.length + (is_followed ? 1 : 0));
      break;
    }
    case 2: text.replace(one.begin, one.length, text.substr(other.begin, other.length)); break;
    case 3: text.insert(one.begin, whole + ", "); break;
    case 4: {
      std::string many;
      const std::size_t times = std::min(kOften, kBytesMax / (whole.size() + 2));
      for (std::size_t i = 0; i < times; ++i) many += whole + ", ";
      text.insert(one.begin, many);
      break;
    }
    default:
      if (!whole.empty() && is_number_byte(whole[0]))
        text.replace(one.begin, one.length, kNumbers[below(kNumbers.size())]);
  }
}

}  // namespace tessera::fuzz
