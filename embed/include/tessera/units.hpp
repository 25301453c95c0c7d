// Figures as Tessera's own messages write them. Printed: `3 MiB in 10.86 us`.
//
//     auto plan = tessera::make_plan({.mesh = "x:4", .from = "f32[1024@x, 1024]", .to = "f32[1024, 1024@x]"});
//     std::cout << tessera::bytes_text(plan->received_bytes_total()) << " in "
//               << tessera::seconds_text(plan->seconds());
#pragma once

#include <cstdint>
#include <string>

#include "tessera/tessera.hpp"

namespace tessera {

// In the greatest unit that leaves at least 1, with four digits that count: `96 B`, `1.5 KiB`, `20 MiB`.
TESSERA_API std::string bytes_text(std::int64_t bytes);
// The same, with the exact number where the digits do not give it: `20 MiB`, `64 MiB (67108872 bytes)`.
TESSERA_API std::string exact_bytes_text(std::int64_t bytes);
// `0.16 ns`, `3.015 us`, `12.5 ms`, `2.5 s`
TESSERA_API std::string seconds_text(double seconds);
// `25 GB/s`, or `5 to 10 GB/s` if the links of the level differ.
TESSERA_API std::string bandwidth_text(const MachineLevel& level);
// The machine that modelled times belong to: `modelled: links of 100 GB/s and 1 us, assumed` without levels, or all of
// them from the outside in, `modelled: node 25 GB/s and 5 us, device 200 GB/s and 1 us, as given`.
TESSERA_API std::string modelled_text(const Machine& machine);

}  // namespace tessera
