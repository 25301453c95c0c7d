// Reads a text of another system from left to right, and knows the place of every mistake in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/source.hpp"

namespace tessera::interop {

// A text, what messages call it ("an HLO sharding"), and where it lies for their labels.
struct Text {
  std::string_view text;
  std::string_view what;
  base::SourceId source;
};

class Scanner {
 public:
  explicit Scanner(const Text& text) : text_(text) {}

  // Each skips blanks first, and then takes what it is asked for or nothing.
  bool take(std::string_view word);
  std::optional<std::int64_t> number();  // decimal, below 2^62
  // A name of letters, digits, `_`, `.` and `-`, which begins with a letter or `_`; empty if there is none.
  std::string_view name();
  // A name between quotes of either kind; nothing if there is no quote.
  std::optional<std::string> quoted();
  // Everything up to the bracket that closes the one just taken; false if there is none.
  bool skip_to_closing();

  // Looks without taking.
  bool sees(std::string_view word);
  bool at_end();

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_); }
  void go_back(std::uint32_t offset) { at_ = offset; }
  base::Span span(std::uint32_t begin) const;
  base::Span here();
  const Text& text() const { return text_; }

  // `interop-syntax` at the place that was reached.
  base::Diagnostic wrong(std::string_view why);
  // The same about what was read from `begin` on.
  base::Diagnostic wrong_from(std::uint32_t begin, std::string_view why) const;
  // `interop-unsupported` about what was read from `begin` on.
  base::Diagnostic unsupported(std::uint32_t begin, std::string_view what, std::string_view why) const;
  // Takes the word or fails.
  base::Status expect(std::string_view word);
  // Nothing may follow.
  base::Status expect_end();

 private:
  void skip_blanks();

  const Text& text_;
  std::size_t at_ = 0;
};

}  // namespace tessera::interop
