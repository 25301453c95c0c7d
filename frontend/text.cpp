#include "frontend/text.hpp"

#include <algorithm>

#include "base/units_text.hpp"
#include "base/utf8.hpp"
#include "frontend/kinds.hpp"
#include "frontend/limits.hpp"

namespace tessera::frontend {

using base::make;

namespace {

base::Span span_at(base::SourceId source, std::size_t begin, std::size_t length) {
  return {source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + length)};
}

bool is_line_space(std::string_view rest) {
  return rest[0] == '\t' || rest[0] == '\n' || (rest[0] == '\r' && rest.size() > 1 && rest[1] == '\n');
}

base::Diagnostic invisible(std::uint32_t code_point, base::Span span) {
  auto why = make(Kind::control_character, code_point).at(span);
  if (code_point == '\r') return std::move(why).suggest("end lines with a line feed, or with both");
  return std::move(why).suggest(fmt::format("remove it; in a string it is written \\u{{{:x}}}", code_point));
}

}  // namespace

bool is_invisible_control(std::uint32_t code_point) {
  const auto between = [&](std::uint32_t first, std::uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point < 0x20U || between(0x7FU, 0x9FU) || between(0x200EU, 0x200FU) || between(0x2028U, 0x202EU) ||
         between(0x2066U, 0x2069U);
}

std::uint32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i])); };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t code_point = byte(0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  return code_point;
}

std::size_t byte_order_mark_length(std::string_view text) { return text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; }

std::string shortened(std::string_view text) {
  constexpr std::size_t kCharactersMax = 40;
  std::size_t end = 0;
  for (std::size_t count = 0; count < kCharactersMax && end < text.size(); ++count) {
    end += std::max<std::size_t>(1, base::valid_sequence_length(text.substr(end)));
  }
  if (end >= text.size()) return std::string(text);
  return std::string(text.substr(0, end)) + "...";
}

std::optional<base::Diagnostic> refuse_text(std::string_view text, base::SourceId source) {
  if (text.size() > kSourceBytesMax) {
    return make(Kind::source_too_large, base::exact_bytes_text(static_cast<std::int64_t>(text.size())),
                base::bytes_text(kSourceBytesMax))
        .at(span_at(source, kSourceBytesMax, 0));
  }
  for (std::size_t at = byte_order_mark_length(text); at < text.size();) {
    const auto rest = text.substr(at);
    const std::size_t length = base::valid_sequence_length(rest);
    if (length == 0) {
      return make(Kind::invalid_utf8, static_cast<unsigned char>(rest[0]))
          .at(span_at(source, at, 1))
          .suggest("save the text as UTF-8");
    }
    const std::uint32_t code_point = decode(rest.substr(0, length));
    if (is_invisible_control(code_point) && !is_line_space(rest))
      return invisible(code_point, span_at(source, at, length));
    at += length;
  }
  return std::nullopt;
}

}  // namespace tessera::frontend
