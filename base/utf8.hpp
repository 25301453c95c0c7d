// The little of UTF-8 that spans and lexing need. Bytes that are not valid UTF-8 count as one code point each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::base {

// The characters of names; the bytes of other scripts count as letters.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

// Of names and numbers.
constexpr bool is_in_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// Length in bytes of the code point that starts at text[0]; 0 if text is empty or does not start with valid UTF-8
// (overlong forms, surrogates and values beyond U+10FFFF are invalid).
std::size_t valid_sequence_length(std::string_view text);

std::size_t count_code_points(std::string_view text);

// Offset of the first byte that is not valid UTF-8, if any.
std::optional<std::size_t> first_invalid_byte(std::string_view text);

// Appends the code point (a valid scalar value) to out.
void append_code_point(std::string& out, std::uint32_t code_point);

}  // namespace tessera::base
