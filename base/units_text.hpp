// Bytes and seconds for people: in the greatest unit that leaves at least 1, with four digits that count.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::base {

// `1023 B`, `4 KiB`, `1.5 MiB`
std::string bytes_text(std::int64_t bytes);
// The same, with the exact number where the digits do not give it: `4 KiB`, `64 MiB (67108872 bytes)`.
std::string exact_bytes_text(std::int64_t bytes);

// `0 s`, `0.16 ns`, `3.015 us`, `12.5 ms`, `2.5 s`
std::string seconds_text(double seconds);

}  // namespace tessera::base
