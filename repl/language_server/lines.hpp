// Places of a text as the protocol counts them: lines from 0, and in a line UTF-16 code units, or bytes if the client
// asked for these.
//
// Example: in `a𝕏b` the letter b is at byte 5 and at unit 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tessera/analysis.hpp"

namespace tessera::repl {

enum class Units : std::uint8_t { utf8, utf16 };

struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t unit = 0;
  friend auto operator<=>(const TextPosition&, const TextPosition&) = default;
};

class Lines {
 public:
  // The text outlives this object.
  Lines(std::string_view text, Units units);

  // Positions beyond a line's end are at its end, those beyond the text at the text's.
  std::uint32_t offset(TextPosition position) const;
  TextPosition position(std::uint32_t offset) const;
  // The range of a Place: its line and column count from 1, in code points.
  TextRange range(const Place& place) const;
  std::size_t count() const { return begins_.size(); }
  // Without its line end.
  std::string_view line(std::uint32_t number) const;

  std::uint32_t offset(const nlohmann::json& position) const;
  nlohmann::json json(std::uint32_t offset) const;
  nlohmann::json json(TextRange range) const;

 private:
  std::string_view text_;
  Units units_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace tessera::repl
