// Numbers of bytes for people.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::base {

// `1023 B`, `4 KiB`, `1.5 MiB`: four digits that count.
std::string bytes_text(std::int64_t bytes);
// The same, with the exact number where the digits do not give it: `4 KiB`, `64 MiB (67108872 bytes)`.
std::string exact_bytes_text(std::int64_t bytes);

}  // namespace tessera::base
