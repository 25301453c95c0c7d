// Texts between double quotes. `"` and `\` have a backslash before them, and the end of a line is `\n`; the two differ
// in control characters and in bytes that are not UTF-8.
//
// Example: of a tabulator and a byte FF json_quoted makes `"\u0009` and the replacement character, hex_quoted
// `"\x09\xff"`.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

std::string json_quoted(std::string_view text);
// Every byte can be read back.
std::string hex_quoted(std::string_view text);

}  // namespace tessera::base
