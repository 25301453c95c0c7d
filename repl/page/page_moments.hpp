// Moments of a drawn page: what devices hold between two steps, for a change of layout as for parts that move.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// Larger meshes are shown by their first and last devices, and without the boxes that travel.
inline constexpr std::int64_t kDrawnDevicesMax = 32;
// The numbers of those that are shown.
std::vector<std::int64_t> shown_devices(std::int64_t count);

nlohmann::json moment_of(const std::vector<std::int64_t>& shape, const Plan::Moment& moment);
// Boxes that stay where they are left out.
nlohmann::json drawn_moves(const std::vector<Plan::Move>& moves);

}  // namespace tessera::repl
