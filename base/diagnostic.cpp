#include "base/diagnostic.hpp"

#include <algorithm>
#include <string_view>

#include "base/utf8.hpp"

namespace tessera::base {

namespace {

constexpr std::size_t kCodePointBytesMax = 4;

bool continues_sequence(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// As much of a word as ends with a whole code point, at most `most` bytes. What is not UTF-8 is cut anywhere.
std::string_view beginning_of(std::string_view word, std::size_t most) {
  if (word.size() <= most) return word;
  std::size_t end = most;
  while (end > most - kCodePointBytesMax && continues_sequence(word[end])) --end;
  return word.substr(0, continues_sequence(word[end]) ? most : end);
}

// The text with every word of more than 100 bytes cut: names and numbers may be as long as a program.
std::string with_short_words(std::string text) {
  constexpr std::size_t kWordMax = 100;
  if (text.size() <= kWordMax) return text;
  std::string result;
  for (auto at = text.cbegin(); at != text.cend();) {
    const auto end = std::find_if(at, text.cend(), [](char c) { return !is_in_word(c); });
    const std::string_view kept = beginning_of({at, end}, kWordMax);
    result += kept;
    if (kept.size() < static_cast<std::size_t>(end - at)) result += "...";
    at = end;
    if (at != text.cend()) result += *at++;
  }
  return result;
}

}  // namespace

Diagnostic Diagnostic::at(Span span, std::string text) && {
  message = with_short_words(std::move(message));
  labels.insert(labels.begin(), Label{span, with_short_words(std::move(text)), true});
  return std::move(*this);
}

Diagnostic Diagnostic::also(Span span, std::string text) && {
  labels.push_back(Label{span, with_short_words(std::move(text)), false});
  return std::move(*this);
}

Diagnostic Diagnostic::suggest(std::string text) && {
  help = with_short_words(std::move(text));
  return std::move(*this);
}

Diagnostic Diagnostic::from_step(std::uint32_t step_origin) && {
  origin = step_origin;
  return std::move(*this);
}

bool has_error(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.kind.severity == Severity::error; });
}

}  // namespace tessera::base
