#include "base/diagnostic.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace tessera::base {

namespace {

bool continues_sequence(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The text with every word of more than 100 bytes cut: names and numbers may be as long as a program.
std::string with_short_words(std::string text) {
  constexpr std::size_t kWordMax = 100;
  if (text.size() <= kWordMax) return text;
  std::string result;
  for (auto at = text.cbegin(); at != text.cend();) {
    const auto end = std::find_if(at, text.cend(), [](char c) { return !is_in_word(c); });
    auto kept = end;
    if (static_cast<std::size_t>(end - at) > kWordMax) {
      kept = at + kWordMax;
      while (continues_sequence(*kept)) --kept;
    }
    result.append(at, kept);
    if (kept != end) result += "...";
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
