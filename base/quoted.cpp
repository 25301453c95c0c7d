#include "base/quoted.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace tessera::base {

namespace {

constexpr char kDelete = '\x7f';

// other(c, length) writes what is no printable character: a control character, or a byte of length 0.
template <class Other>
std::string quoted(std::string_view text, const Other& other) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = valid_sequence_length(text);
    const char c = text[0];
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (length == 0 || (length == 1 && (c < ' ' || c == kDelete))) {
      out += other(c, length);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

}  // namespace

std::string json_quoted(std::string_view text) {
  return quoted(text, [](char c, std::size_t length) -> std::string {
    if (length == 0) return "\xEF\xBF\xBD";
    return c == kDelete ? std::string(1, c) : fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  });
}

std::string hex_quoted(std::string_view text) {
  return quoted(text, [](char c, std::size_t) { return fmt::format("\\x{:02x}", static_cast<unsigned char>(c)); });
}

}  // namespace tessera::base
