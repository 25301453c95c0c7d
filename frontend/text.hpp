// Checks a text before anything is read from it: it must not be too long, and be UTF-8 and visible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/source.hpp"

namespace tessera::frontend {

// The first reason not to read the text, if there is one.
std::optional<base::Diagnostic> refuse_text(std::string_view text, base::SourceId source);

// Control characters, and those that make a text look other than it is (bidirectional controls). A text holds none but
// tabs and line ends; a string may hold them as escapes.
bool is_invisible_control(std::uint32_t code_point);

// The code point of a valid sequence.
std::uint32_t decode(std::string_view sequence);

// Length of the byte order mark that some editors put before a text: 3 or 0.
std::size_t byte_order_mark_length(std::string_view text);

// For messages: a text of more than some forty characters is cut, and ends in `...`.
std::string shortened(std::string_view text);

}  // namespace tessera::frontend
