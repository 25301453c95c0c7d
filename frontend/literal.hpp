// The values of numbers, sizes and strings, and how they are spelled.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/diagnostic.hpp"
#include "base/source.hpp"

namespace tessera::frontend {

// A literal's worth, or why it has none.
template <class T>
using Worth = std::variant<T, base::Diagnostic>;

// Collects the values of literals, and keeps the first reason why one has none.
class FirstError {
 public:
  template <class T>
  T worth(Worth<T> literal) {
    if (auto* value = std::get_if<T>(&literal)) return std::move(*value);
    add(std::get<base::Diagnostic>(std::move(literal)));
    return T{};
  }
  void add(base::Diagnostic why) {
    if (!error_) error_ = std::move(why);
  }
  std::optional<base::Diagnostic> take() { return std::move(error_); }

 private:
  std::optional<base::Diagnostic> error_;
};

// Digits, perhaps with `_` between them.
Worth<std::int64_t> integer_value(std::string_view text, base::Span span);
// The operand of the minus in -9223372036854775808 does not fit by itself; it is an IntLiteral of this value, that of
// the whole expression.
inline constexpr std::int64_t kLeastInteger = std::numeric_limits<std::int64_t>::min();
// Are these the digits of 9223372036854775808?
bool is_least_integer(std::string_view text);
Worth<double> real_value(std::string_view text, base::Span span);
// `64MiB`, `1000`, `2KB`, in bytes.
Worth<std::int64_t> size_value(std::string_view text, base::Span span);
// A string as written, quotes included.
Worth<std::string> string_value(std::string_view text, base::Span span);

// Has it a `_`, and digits for two groups of three?
bool has_groups(std::string_view digits);
// With `_` between groups of three, from the right, or without: `1_000_000`.
std::string integer_text(std::uint64_t value, bool is_grouped);
// The shortest spelling of a size; a string with quotes and escapes.
std::string size_text(std::int64_t bytes);
std::string string_text(std::string_view value);

}  // namespace tessera::frontend
