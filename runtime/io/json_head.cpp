#include "runtime/io/json_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/utf8.hpp"
#include "runtime/io/file.hpp"

namespace tessera::runtime {

void fail_head(std::string why) { throw BadHead{std::move(why)}; }

JsonText::JsonText(std::string_view text) : text_(text) {
  if (const auto byte = base::first_invalid_byte(text))
    fail_head(fmt::format("byte {} of its head is not UTF-8", *byte));
}

void JsonText::fail_here(std::string_view wanted) const {
  fail_head(fmt::format("{} is expected at byte {} of its head", wanted, at_));
}

void JsonText::blanks() {
  constexpr std::string_view kBlanks = " \n\t\r";
  while (at_ < text_.size() && kBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
}

bool JsonText::take(char wanted) {
  blanks();
  if (at_ >= text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

void JsonText::expect(char wanted) {
  if (!take(wanted)) fail_here(fmt::format("`{}`", wanted));
}

void JsonText::object(const std::function<void(const std::string& key)>& member) {
  expect('{');
  std::set<std::string> seen;
  if (take('}')) return;
  do {
    const std::string key = string();
    if (!seen.insert(key).second) fail_head(fmt::format("{} is there twice", in_quotes(key)));
    expect(':');
    member(key);
  } while (take(','));
  expect('}');
}

std::string JsonText::string() {
  expect('"');
  std::string result;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\')
      escape(result);
    else
      result += text_[at_++];
  }
  if (at_ >= text_.size()) fail_head("a string in its head has no end");
  ++at_;
  return result;
}

std::int64_t JsonText::number() {
  blanks();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc{} || value < 0) fail_here("a number from 0 on, below 2^63,");
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::vector<std::int64_t> JsonText::numbers() {
  std::vector<std::int64_t> result;
  expect('[');
  if (take(']')) return result;
  do result.push_back(number());
  while (take(','));
  expect(']');
  return result;
}

std::string_view JsonText::skip() {
  blanks();
  const std::size_t begin = at_;
  std::int64_t open = 0;
  do {
    blanks();
    if (at_ >= text_.size()) fail_head("its head is cut off");
    const char c = text_[at_];
    if (c == '"') {
      (void)string();
    } else if (c == '{' || c == '[') {
      ++open;
      ++at_;
    } else if (c == '}' || c == ']') {
      if (--open < 0) fail_here("a value");
      ++at_;
    } else if (open > 0 && (c == ',' || c == ':')) {
      ++at_;
    } else {
      plain();
    }
  } while (open > 0);
  return text_.substr(begin, at_ - begin);
}

void JsonText::end() {
  blanks();
  if (at_ != text_.size()) fail_head("there is more after its head's object");
}

// A number, true, false or null.
void JsonText::plain() {
  constexpr std::string_view kEnds = ",]} \n\t\r:[{\"";
  const std::size_t begin = at_;
  while (at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) ++at_;
  if (at_ == begin) fail_here("a value");
}

// The four digits of `\u0041`.
std::uint32_t JsonText::code_unit() {
  constexpr std::size_t kDigits = 4;
  std::uint32_t code = 0;
  if (text_.size() - at_ < kDigits) fail_head("an escape in its head is cut off");
  const char* const last = text_.data() + at_ + kDigits;
  const auto [end, error] = std::from_chars(text_.data() + at_, last, code, 16);
  if (error != std::errc{} || end != last) fail_here("a code point");
  at_ += kDigits;
  return code;
}

void JsonText::escape(std::string& result) {
  constexpr std::string_view kWritten = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  at_ = std::min(at_ + 2, text_.size());
  const std::size_t plain = kWritten.find(c);
  if (plain != std::string_view::npos) {
    result += kMeant[plain];
    return;
  }
  if (c != 'u') fail_here("an escape of JSON");
  std::uint32_t code = code_unit();
  const bool is_half = code >= 0xD800U && code < 0xE000U;
  if (is_half) {
    const bool is_first = code < 0xDC00U && text_.substr(at_, 2) == "\\u";
    if (is_first) at_ += 2;
    const std::uint32_t second = is_first ? code_unit() : 0;
    if (second < 0xDC00U || second >= 0xE000U) fail_head("half of a code point stands alone in its head");
    code = 0x10000U + ((code - 0xD800U) << 10U) + (second - 0xDC00U);
  }
  base::append_code_point(result, code);
}

}  // namespace tessera::runtime
