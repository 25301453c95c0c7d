// SHA-256 (FIPS 180-4): what the files of compiled kernels are called by.
#pragma once

#include <string>
#include <string_view>

namespace tessera::device {

// 64 hexadecimal digits.
//
// Example: digest("abc") begins with "ba7816bf".
std::string digest(std::string_view bytes);

}  // namespace tessera::device
