// Private to typed: where something stands, in words.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/source.hpp"

namespace tessera::typeck {

using FirstLine = std::function<std::uint32_t(base::SourceId)>;

// ` at line 3, column 9`; nothing where that is not known. `first_line` gives the number of a text's first line; empty:
// 1.
inline std::string place(const base::SourceMap& sources, const FirstLine& first_line, base::Span span) {
  if (!span.known()) return "";
  const base::Position at = sources[span.source].position(span.begin);
  const std::uint32_t before = first_line ? first_line(span.source) - 1 : 0;
  return fmt::format(" at line {}, column {}", at.line + before, at.column);
}

}  // namespace tessera::typeck
