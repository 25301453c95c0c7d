// Operations of a drawn page that move parts, carry values, or fetch and deliver rows.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// A program of more changes, or more such operations, shows the first ones.
inline constexpr std::size_t kDrawnChangesMax = 200;

// `parts` are the program's. Each is as page_data.hpp says.
nlohmann::json parts_of_page(const Program& program, const std::vector<PartsMoved>& parts);

}  // namespace tessera::repl
