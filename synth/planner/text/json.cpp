#include "synth/planner/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace tessera::synth::json {

namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 20U;
constexpr int kDepthMax = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Every function reads one thing at the position and says whether it was there; the first failure stays in error_.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Parsed run() {
    Value value;
    if (text_.size() > kBytesMax) return Parsed{std::nullopt, "it is larger than 64 MiB"};
    if (!read(value)) return Parsed{std::nullopt, error_};
    skip();
    if (at_ != text_.size()) return Parsed{std::nullopt, fmt::format("something follows it, at byte {}", at_ + 1)};
    return Parsed{std::move(value), ""};
  }

 private:
  bool fail(std::string_view why) {
    if (error_.empty()) error_ = fmt::format("{}, at byte {}", why, at_ + 1);
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  bool accept(char wanted) {
    skip();
    if (at_ >= text_.size() || peek() != wanted) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return fail("a value is missing");
    at_ += wanted.size();
    return true;
  }

  bool read(Value& out) {
    skip();
    switch (peek()) {
      case '{': return nested(out, &Reader::object);
      case '[': return nested(out, &Reader::array);
      case '"': return string(out.content.emplace<std::string>());
      case 't': out.content = true; return word("true");
      case 'f': out.content = false; return word("false");
      case 'n': out.content = Null{}; return word("null");
      default: return number(out.content.emplace<Number>());
    }
  }

  bool nested(Value& out, bool (Reader::*part)(Value&)) {
    if (++depth_ > kDepthMax) return fail("it is nested too deeply");
    ++at_;
    const bool read_all = (this->*part)(out);
    --depth_;
    return read_all;
  }

  bool array(Value& out) {
    auto& items = out.content.emplace<Array>();
    if (accept(']')) return true;
    do {
      if (!read(items.emplace_back())) return false;
    } while (accept(','));
    return accept(']') || fail("`,` or `]` is missing");
  }

  bool object(Value& out) {
    auto& members = out.content.emplace<Object>();
    if (accept('}')) return true;
    do {
      skip();
      Member one;
      if (!string(one.name)) return false;
      if (member(members, one.name) != nullptr) return fail("a name is there twice");
      if (!accept(':')) return fail("`:` is missing");
      if (!read(one.value)) return false;
      if (members.size() >= kMembersMax) return fail("an object has too many members");
      members.push_back(std::move(one));
    } while (accept(','));
    return accept('}') || fail("`,` or `}` is missing");
  }

  bool digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool number(Number& out) {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    if (!digits()) return fail("a value is missing");
    if (zero && at_ - begin > (text_[begin] == '-' ? 2U : 1U)) return fail("a number begins with 0");
    if (peek() == '.') {
      ++at_;
      if (!digits()) return fail("a digit is missing");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("a digit is missing");
    }
    out.text = text_.substr(begin, at_ - begin);
    return true;
  }

  bool string(std::string& out) {
    if (peek() != '"') return fail("a string is missing");
    ++at_;
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\' ? !escape(out) : !plain(out)) return false;
    }
    if (at_ == text_.size()) return fail("a string does not end");
    ++at_;
    return true;
  }

  bool plain(std::string& out) {
    const std::size_t length = base::valid_sequence_length(text_.substr(at_));
    if (length == 0 || static_cast<unsigned char>(peek()) < 0x20U) return fail("a string holds a byte it may not");
    out += text_.substr(at_, length);
    at_ += length;
    return true;
  }

  bool escape(std::string& out) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    const std::size_t which = at_ < text_.size() ? kEscapes.find(peek()) : std::string_view::npos;
    if (which != std::string_view::npos) {
      out.push_back(kMeanings[which]);
      ++at_;
      return true;
    }
    return unicode_escape(out);
  }

  bool unicode_escape(std::string& out) {
    std::uint32_t unit = 0;
    if (!code_unit(unit)) return false;
    const bool high = unit >= 0xD800U && unit < 0xDC00U;
    if (high) {
      std::uint32_t low = 0;
      if (!word("\\") || !code_unit(low)) return false;
      if (low < 0xDC00U || low > 0xDFFFU) return fail("half a surrogate pair");
      unit = 0x10000U + ((unit - 0xD800U) << 10U) + (low - 0xDC00U);
    } else if (unit >= 0xDC00U && unit <= 0xDFFFU) {
      return fail("half a surrogate pair");
    }
    base::append_code_point(out, unit);
    return true;
  }

  // `uXXXX`.
  bool code_unit(std::uint32_t& out) {
    constexpr std::size_t kLength = 5;
    const std::string_view text = text_.substr(at_, kLength);
    if (text.size() < kLength || text[0] != 'u') return fail("an unknown escape");
    const char* end = text.data() + kLength;
    const auto read = std::from_chars(text.data() + 1, end, out, 16);
    if (read.ec != std::errc{} || read.ptr != end) return fail("an escape needs four hexadecimal digits");
    at_ += kLength;
    return true;
  }

  static constexpr std::size_t kMembersMax = 64;

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

Parsed parse(std::string_view text) { return Reader(text).run(); }

const Value* member(const Object& object, std::string_view name) {
  const auto found = std::find_if(object.begin(), object.end(), [&](const Member& m) { return m.name == name; });
  return found == object.end() ? nullptr : &found->value;
}

std::optional<std::int64_t> as_integer(const Value& value) {
  const auto* number = std::get_if<Number>(&value.content);
  if (number == nullptr) return std::nullopt;
  std::int64_t result = 0;
  const char* end = number->text.data() + number->text.size();
  const auto read = std::from_chars(number->text.data(), end, result);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return result;
}

std::optional<double> as_double(const Value& value) {
  const auto* number = std::get_if<Number>(&value.content);
  if (number == nullptr) return std::nullopt;
  double result = 0;
  const char* end = number->text.data() + number->text.size();
  const auto read = std::from_chars(number->text.data(), end, result);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace tessera::synth::json
