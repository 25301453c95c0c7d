// One program on several machines, with several values and on several numbers of devices: how does it scale?
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/line/options.hpp"
#include "tessera/estimate.hpp"

namespace tessera::repl {

// What differs from row to row.
struct SweepPoint {
  std::optional<std::string> machine_file;
  std::map<std::string, std::string> defines;
  std::int64_t devices = 0;                               // 0: as the program says
  std::vector<std::pair<std::string, std::string>> told;  // names and values of what differs, in order
};

struct SweptEstimate {
  SweepPoint point;
  std::optional<Estimate> estimate;
  std::string why;  // there is none
};

// Every combination of the lists that the options give, or, if they go `together`, the first of each, the second of
// each and so on. Nothing where lists that go together differ in length; `why` then says so.
std::vector<SweepPoint> sweep_points(const EstimateOptions& options, std::string& why);

// The text with the outermost axis of its one mesh as long as so many devices need; nothing, and why, where it has
// another number of meshes, or the other axes do not divide the devices.
std::optional<std::string> with_devices(const std::string& text, std::int64_t devices, std::string& why);

std::string sweep_text(const std::vector<SweptEstimate>& all);

}  // namespace tessera::repl
