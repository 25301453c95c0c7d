// The characters of words in a program; the bytes of other scripts count as letters.
#pragma once

namespace tessera::repl {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

constexpr bool is_in_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

}  // namespace tessera::repl
