// Bytes and seconds for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// `96 B`, `1.5 KiB`, `20 MiB`: three digits that count.
std::string bytes_text(std::int64_t bytes);
// The same, with the exact number where the digits do not give it: `20 MiB`, `64 MiB (67108872 bytes)`.
std::string exact_bytes_text(std::int64_t bytes);
// `4.03 us`, `1.2 ms`, `3.5 s`
std::string seconds_text(double seconds);
// `25 GB/s`, or `5 to 10 GB/s` where links differ.
std::string bandwidth_text(const MachineLevel& level);
// The machine that modelled times are of, in a line: `modelled: links of 100 GB/s and 1 us, assumed; HELP`, or with a
// machine file's levels from the outside in: `modelled: node 25 GB/s and 5 us, device 200 GB/s and 1 us, as given`.
std::string modelled_line(const Machine& machine, std::string_view help);
// `8x16x4`; empty for a scalar.
std::string extents_text(const std::vector<std::int64_t>& extents);
// `1 copy`, `3 copies`
std::string counted(std::int64_t count, std::string_view one, std::string_view several);

}  // namespace tessera::repl
