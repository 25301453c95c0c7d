#include "base/utf8.hpp"

#include "base/check.hpp"

namespace tessera::base {

namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead <= 0xDFU) return 2;
  if (lead >= 0xE0U && lead <= 0xEFU) return 3;
  if (lead >= 0xF0U && lead <= 0xF4U) return 4;
  return 0;
}

// The second byte's range is narrower after four lead bytes: no overlong forms, no surrogates, nothing past U+10FFFF.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0U: return second >= 0xA0U;
    case 0xEDU: return second <= 0x9FU;
    case 0xF0U: return second >= 0x90U;
    case 0xF4U: return second <= 0x8FU;
    default: return true;
  }
}

}  // namespace

std::size_t valid_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = announced_length(lead);
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  if (length > 1 && !second_byte_fits(lead, static_cast<unsigned char>(text[1]))) return 0;
  return length;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t length = valid_sequence_length(text);
    text.remove_prefix(length == 0 ? 1 : length);
    ++count;
  }
  return count;
}

std::optional<std::size_t> first_invalid_byte(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t length = valid_sequence_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

void append_code_point(std::string& out, std::uint32_t code_point) {
  TESSERA_CHECK(code_point <= 0x10FFFFU, "not a Unicode scalar value");
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80U) {
    put(code_point);
  } else if (code_point < 0x800U) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000U) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

}  // namespace tessera::base
