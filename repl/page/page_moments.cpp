#include "repl/page/page_moments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

using nlohmann::json;

constexpr std::int64_t kFirstDevices = 6;
constexpr std::int64_t kLastDevices = 2;

std::string range_text(std::int64_t least, std::int64_t most) {
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

// How one dimension is cut, over all devices.
std::string dimension_text(const Plan::Moment& moment, std::size_t d, std::int64_t extent) {
  std::set<std::pair<std::int64_t, std::int64_t>> sides;
  for (const Plan::Holding& device : moment.devices) sides.insert(device.box[d]);
  if (sides.size() == 1) return fmt::format("Dimension {}: {}, whole on every device.", d, extent);
  std::int64_t least = extent;
  std::int64_t most = 0;
  for (const auto& [begin, end] : sides) {
    least = std::min(least, end - begin);
    most = std::max(most, end - begin);
  }
  return fmt::format("Dimension {}: {} in {} tiles of {}.", d, extent, sides.size(), range_text(least, most));
}

// Says in words who holds what, for a picture that does not show all devices.
json pattern_of(const Plan::Moment& moment, const std::vector<std::int64_t>& shape, std::size_t shown) {
  json lines = json::array();
  if (shown == moment.devices.size()) return lines;
  for (std::size_t d = 0; d < shape.size(); ++d) lines.push_back(dimension_text(moment, d, shape[d]));
  std::map<std::pair<Box, std::int64_t>, std::int64_t> holders;
  for (const Plan::Holding& device : moment.devices) ++holders[{device.box, device.contribution}];
  std::int64_t least = static_cast<std::int64_t>(moment.devices.size());
  std::int64_t most = 0;
  for (const auto& [tile, count] : holders) {
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (most > 1) lines.push_back(fmt::format("Every tile is on {} devices.", range_text(least, most)));
  if (moment.contributions > 1) {
    lines.push_back(fmt::format("Every element is made of {} parts, on as many devices.", moment.contributions));
  }
  lines.push_back(fmt::format("Drawn are {} of {} devices: the first {} and the last {}.", shown, moment.devices.size(),
                              kFirstDevices, kLastDevices));
  return lines;
}

}  // namespace

std::vector<std::int64_t> shown_devices(std::int64_t count) {
  std::vector<std::int64_t> shown;
  for (std::int64_t device = 0; device < count; ++device) {
    if (count <= kDrawnDevicesMax || device < kFirstDevices || device >= count - kLastDevices) shown.push_back(device);
  }
  return shown;
}

json moment_of(const std::vector<std::int64_t>& shape, const Plan::Moment& moment) {
  const std::vector<std::int64_t> shown = shown_devices(static_cast<std::int64_t>(moment.devices.size()));
  json devices = json::array();
  for (const std::int64_t number : shown) {
    const Plan::Holding& held = moment.devices[static_cast<std::size_t>(number)];
    devices.push_back({{"number", held.device},
                       {"name", device_text(moment.mesh, number, held.device)},
                       {"box", held.box},
                       {"bytes", held.bytes},
                       {"contribution", held.contribution},
                       {"received_bytes", held.received_bytes}});
  }
  return {{"type", moment.type},
          {"mesh", mesh_text(moment.mesh)},
          {"contributions", moment.contributions},
          {"pattern", pattern_of(moment, shape, shown.size())},
          {"devices", std::move(devices)}};
}

json drawn_moves(const std::vector<Plan::Move>& moves) {
  json drawn = json::array();
  for (const Plan::Move& move : moves) {
    if (move.source != move.target)
      drawn.push_back({{"source", move.source}, {"target", move.target}, {"box", move.box}, {"hop", move.hop}});
  }
  return drawn;
}

}  // namespace tessera::repl
