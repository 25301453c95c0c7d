#include "frontend/literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

#include "base/utf8.hpp"
#include "frontend/kinds.hpp"
#include "frontend/text.hpp"

namespace tessera::frontend {

using base::make;
using base::Span;

namespace {

std::string without_underscores(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
}

template <class T>
std::optional<T> parse_whole(std::string_view digits) {
  T value{};
  const char* first = digits.data();
  const char* last = first + digits.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc{} || end != last || (std::is_floating_point_v<T> && value > std::numeric_limits<T>::max())) {
    return std::nullopt;
  }
  return value;
}

// True if a number that no double comes near is too small, rather than too large.
bool is_nearly_zero(const std::string& digits) {
  std::istringstream stream(digits);
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  return std::abs(value) < 1;
}

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};
// Units of equal use come with the larger first: the shortest spelling of a size takes the first that divides it.
constexpr std::array<Unit, 6> kUnits = {{{"GiB", 1024 * 1024 * 1024},
                                         {"GB", 1000 * 1000 * 1000},
                                         {"MiB", 1024 * 1024},
                                         {"MB", 1000 * 1000},
                                         {"KiB", 1024},
                                         {"KB", 1000}}};

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string size_help(std::string_view digits, std::string_view unit) {
  for (const Unit& known : kUnits) {
    const bool whole = digits.find('.') == std::string_view::npos;
    if (whole && upper_case(known.name) == upper_case(unit))
      return fmt::format("write `{}{}`", shortened(digits), known.name);
  }
  return "a size is a whole number of bytes, or one with KB, MB, GB (powers of 1000) or KiB, MiB, GiB (of 1024)";
}

}  // namespace

Worth<std::int64_t> integer_value(std::string_view text, Span span) {
  const std::string digits = without_underscores(text);
  if (digits.size() > 1 && digits[0] == '0') {
    const auto first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return make(Kind::bad_number, shortened(text))
        .at(span, "it begins with 0")
        .suggest(fmt::format("write `{}`; there are decimal numbers only", shortened(digits.substr(first))));
  }
  if (const auto value = parse_whole<std::int64_t>(digits)) return *value;
  return make(Kind::number_too_large, shortened(text), "64 bits")
      .at(span)
      .suggest("integers go from -9223372036854775808 to 9223372036854775807");
}

bool is_least_integer(std::string_view text) { return without_underscores(text) == "9223372036854775808"; }

Worth<double> real_value(std::string_view text, Span span) {
  const std::string digits = without_underscores(text);
  if (const auto value = parse_whole<double>(digits)) return *value;
  if (is_nearly_zero(digits)) return 0.0;
  return make(Kind::number_too_large, shortened(text), "an f64").at(span).suggest("the largest f64 is about 1.8e308");
}

Worth<std::int64_t> size_value(std::string_view text, Span span) {
  const auto unit_at = std::min(text.find_first_not_of("0123456789_."), text.size());
  const std::string digits = without_underscores(text.substr(0, unit_at));
  const auto unit = text.substr(unit_at);
  if (unit.empty() && digits.find('.') == std::string::npos) return integer_value(text, span);
  const auto known = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == unit; });
  const auto count = parse_whole<std::int64_t>(digits);
  const bool only_digits = digits.find_first_not_of("0123456789") == std::string::npos;
  if (known == kUnits.end() || (!count && !only_digits)) {
    return make(Kind::bad_size, shortened(text)).at(span).suggest(size_help(digits, unit));
  }
  if (!count || *count > std::numeric_limits<std::int64_t>::max() / known->bytes) {
    return make(Kind::number_too_large, shortened(text), "64 bits").at(span);
  }
  return *count * known->bytes;
}

namespace {

constexpr std::size_t kGroup = 3;

}  // namespace

bool has_groups(std::string_view digits) {
  return digits.find('_') != std::string_view::npos && without_underscores(digits).size() > kGroup;
}

std::string integer_text(std::uint64_t value, bool is_grouped) {
  const std::string digits = fmt::format("{}", value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (is_grouped && i > 0 && (digits.size() - i) % kGroup == 0) text.push_back('_');
    text.push_back(digits[i]);
  }
  return text;
}

std::string size_text(std::int64_t bytes) {
  const std::string plain = fmt::format("{}", bytes);
  std::string shortest;
  for (const Unit& unit : kUnits) {
    if (bytes == 0 || bytes % unit.bytes != 0) continue;
    std::string text = fmt::format("{}{}", bytes / unit.bytes, unit.name);
    if (shortest.empty() || text.size() < shortest.size()) shortest = std::move(text);
  }
  return shortest.empty() || shortest.size() > plain.size() ? plain : shortest;
}

namespace {

// Reads the escapes of one string.
class StringReader {
 public:
  StringReader(std::string_view text, Span span) : text_(text), span_(span) {}

  Worth<std::string> read() {
    at_ = 1;
    while (at_ + 1 < text_.size()) {
      if (text_[at_] != '\\') {
        value_.push_back(text_[at_++]);
      } else if (auto error = read_escape()) {
        return std::move(*error);
      }
    }
    return std::move(value_);
  }

 private:
  // Each reads one escape, or says what is wrong with it.
  std::optional<base::Diagnostic> read_escape() {
    const char letter = text_[at_ + 1];
    if (letter == 'u') return read_code_point();
    constexpr std::string_view kLetters = "nt\"\\";
    constexpr std::string_view kMeanings = "\n\t\"\\";
    const auto which = kLetters.find(letter);
    if (which == std::string_view::npos) {
      return fail(1 + base::valid_sequence_length(text_.substr(at_ + 1)),
                  "the escapes are \\n \\t \\\" \\\\ and \\u{..}; a backslash itself is written \\\\");
    }
    value_.push_back(kMeanings[which]);
    at_ += 2;
    return std::nullopt;
  }

  std::optional<base::Diagnostic> read_code_point() {
    const auto rest = text_.substr(at_, text_.size() - 1 - at_);
    const auto close = rest.find('}');
    constexpr std::string_view kHelp = "write the code point in hexadecimal, as in \\u{e9}";
    if (rest.size() < 3 || rest[2] != '{' || close == std::string_view::npos) return fail(2, std::string(kHelp));
    const auto digits = rest.substr(3, close - 3);
    std::uint32_t code_point = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code_point, 16);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      return fail(close + 1, std::string(kHelp));
    }
    const bool surrogate = code_point >= 0xD800U && code_point <= 0xDFFFU;
    if (error != std::errc{} || code_point > 0x10FFFFU || surrogate) {
      return fail(close + 1, "code points go from 0 to 10ffff, without d800 to dfff");
    }
    base::append_code_point(value_, code_point);
    at_ += close + 1;
    return std::nullopt;
  }

  base::Diagnostic fail(std::size_t length, std::string help) const {
    const auto begin = span_.begin + static_cast<std::uint32_t>(at_);
    const Span where{span_.source, begin, begin + static_cast<std::uint32_t>(length)};
    return make(Kind::bad_escape, shortened(text_.substr(at_, length))).at(where).suggest(std::move(help));
  }

  std::string_view text_;
  Span span_;
  std::size_t at_ = 0;
  std::string value_;
};

}  // namespace

Worth<std::string> string_value(std::string_view text, Span span) { return StringReader(text, span).read(); }

std::string string_text(std::string_view value) {
  std::string out = "\"";
  while (!value.empty()) {
    const auto sequence = value.substr(0, std::max<std::size_t>(1, base::valid_sequence_length(value)));
    const std::uint32_t code_point = decode(sequence);
    if (code_point == '"' || code_point == '\\') {
      out += fmt::format("\\{}", sequence);
    } else if (code_point == '\n' || code_point == '\t') {
      out += code_point == '\n' ? "\\n" : "\\t";
    } else if (is_invisible_control(code_point)) {
      out += fmt::format("\\u{{{:x}}}", code_point);
    } else {
      out += sequence;
    }
    value.remove_prefix(sequence.size());
  }
  return out + "\"";
}

}  // namespace tessera::frontend
