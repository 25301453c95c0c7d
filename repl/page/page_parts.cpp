#include "repl/page/page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "repl/page/page_moments.hpp"
#include "repl/session/report.hpp"
#include "tessera/moved_boxes.hpp"

namespace tessera::repl {

namespace {

using nlohmann::json;

std::int64_t bytes_max(const Plan::Moment& moment) {
  std::int64_t most = 0;
  for (const Plan::Holding& device : moment.devices) most = std::max(most, device.bytes);
  return most;
}

// How many hops there are; one where no box is listed.
std::int64_t hops_of(const MovedBoxes& array) {
  std::int64_t hops = 1;
  for (const Plan::Move& move : array.moves) hops = std::max(hops, move.hop + 1);
  return hops;
}

// The moments before and after, each with the shape that the array has then.
json moments_of(const MovedBoxes& array) {
  json moments = json::array();
  moments.push_back(moment_of(array.from_shape, array.from));
  moments.back()["shape"] = array.from_shape;
  moments.push_back(moment_of(array.to_shape, array.to));
  moments.back()["shape"] = array.to_shape;
  return moments;
}

// An array on its way, as a change of layout in one step.
json drawn_array(const PartsMoved& part, const MovedBoxes& array) {
  const bool is_listed = std::ssize(array.to.devices) <= kDrawnDevicesMax;
  std::int64_t total = 0;
  std::int64_t most = 0;
  for (const Plan::Holding& device : array.to.devices) {
    total += device.received_bytes;
    most = std::max(most, device.received_bytes);
  }
  // Values alone say which boxes move.
  const bool is_unknown = array.moves.empty() && part.is_most;
  const json step = {{"op", part.op},
                     {"detail", array.what},
                     {"received_bytes_total", is_unknown ? part.received_bytes : total},
                     {"received_bytes_max", is_unknown ? part.received_bytes_max : most},
                     {"peak_bytes", part.peak_bytes},
                     {"at_most", part.is_most},
                     {"hops", hops_of(array)},
                     {"stretches", 1},
                     {"hop_lines", json::array()},
                     {"busy", ""},
                     {"moves", is_listed ? drawn_moves(array.moves) : json::array()}};
  json mesh = json::array();
  for (const MeshAxis& axis : array.to.mesh) mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  const std::int64_t largest = std::max(bytes_max(array.from), bytes_max(array.to));
  return {{"line", part.place.line},
          {"why", fmt::format("{} at line {}, column {} {}.", part.who, part.place.line, part.place.column,
                              what_it_does(part))},
          {"from", array.from.type},
          {"to", array.to.type},
          {"mesh", std::move(mesh)},
          {"shape", array.from_shape},
          {"received_bytes_total", step["received_bytes_total"]},
          {"local_bytes_max", largest},
          {"bound_bytes", largest},
          {"peak_bytes", part.peak_bytes},
          {"steps", json::array({step})},
          {"moments", moments_of(array)}};
}

// An array that nobody receives anything of is left out.
json drawn_arrays(const Program& program, std::size_t index, const PartsMoved& part) {
  json drawn = json::array();
  const auto arrays = program.moved_boxes(index);
  if (!arrays) return drawn;
  for (const MovedBoxes& array : *arrays) {
    if (!array.moves.empty() || part.is_most) drawn.push_back(drawn_array(part, array));
  }
  return drawn;
}

}  // namespace

json parts_of_page(const Program& program, const std::vector<PartsMoved>& parts) {
  json drawn = json::array();
  for (const PartsMoved& part : parts) {
    if (drawn.size() == kDrawnChangesMax) break;
    drawn.push_back({{"line", part.place.line},
                     {"who", part.who},
                     {"op", part.op},
                     {"does", what_it_does(part)},
                     {"received_bytes_total", part.received_bytes},
                     {"at_most", part.is_most},
                     {"arrays", drawn_arrays(program, drawn.size(), part)}});
  }
  return drawn;
}

}  // namespace tessera::repl
