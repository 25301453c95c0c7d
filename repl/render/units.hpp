// Figures of machines and arrays for people; tessera/units.hpp has those of bytes and seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"
#include "tessera/units.hpp"

namespace tessera::repl {

// modelled_text as a line. If the links are only assumed, `help` says how to name others.
std::string modelled_line(const Machine& machine, std::string_view help);
// `8x16x4`; empty for a scalar.
std::string extents_text(const std::vector<std::int64_t>& extents);
// How many steps a plan takes; `0` where every device holds its part already.
std::string steps_text(const Plan& plan);
// `1 copy`, `3 copies`
std::string counted(std::int64_t count, std::string_view one, std::string_view several);

}  // namespace tessera::repl
