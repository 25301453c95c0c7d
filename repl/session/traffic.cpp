#include "repl/session/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

const BusyLink& busiest(const PlanSlot& slot) {
  const auto less = [](const BusyLink& a, const BusyLink& b) { return a.seconds < b.seconds; };
  return *std::max_element(slot.links.begin(), slot.links.end(), less);
}

// `stretch 3 at hop 0, 2 at hop 1`.
std::string stretches_text(const PlanTraffic& traffic, std::int64_t slot) {
  std::vector<std::string> moving;
  for (std::int64_t hop = 0; hop < traffic.hops; ++hop) {
    const std::int64_t stretch = slot - hop;
    if (stretch < 0 || stretch >= traffic.stretches) continue;
    moving.push_back(fmt::format("{}{} at hop {}", moving.empty() ? "stretch " : "", stretch + 1, hop));
  }
  return fmt::format("{}", fmt::join(moving, ", "));
}

// All hops are at work, as in the slot before, on as many bytes.
bool is_like_the_one_before(const PlanTraffic& traffic, std::size_t slot) {
  const auto at = static_cast<std::int64_t>(slot);
  return at >= traffic.hops && at < traffic.stretches &&
         traffic.slots[slot].received_bytes == traffic.slots[slot - 1].received_bytes;
}

// `16 devices`, `4 to 6 others`.
std::string range_text(std::int64_t least, std::int64_t most, std::string_view one, std::string_view several) {
  const std::string_view what = most == 1 ? one : several;
  return least == most ? fmt::format("{} {}", most, what) : fmt::format("{} to {} {}", least, most, what);
}

std::string list_text(const std::vector<std::int64_t>& devices) {
  constexpr std::size_t kShownMax = 4;
  const std::vector<std::int64_t> shown(
      devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(std::min(devices.size(), kShownMax)));
  const std::size_t left = devices.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), left > 0 ? fmt::format(" and {} more", left) : "");
}

// `64 devices receive 894 MiB each from 15 others, device 0 from 1, 2, 3, 4 and 11 more; gpu links are busy 3.5 ms;
// ...`.
std::string hop_text(const PlanHop& hop) {
  const std::string bytes =
      hop.received_bytes_min == hop.received_bytes_max
          ? bytes_text(hop.received_bytes_max)
          : fmt::format("{} to {}", bytes_text(hop.received_bytes_min), bytes_text(hop.received_bytes_max));
  return fmt::format("{} receive{} {}{} from {}, device {} from {}; {}",
                     range_text(hop.receivers, hop.receivers, "device", "devices"), hop.receivers == 1 ? "s" : "",
                     bytes, hop.receivers == 1 ? "" : " each",
                     range_text(hop.senders_min, hop.senders_max, "other", "others"), hop.receiver,
                     list_text(hop.senders), busy_text(hop.load));
}

}  // namespace

bool has_levels(const PlanTraffic& traffic) { return traffic.all.links.size() > 1; }

std::string busy_text(const PlanSlot& slot) {
  std::vector<std::string> levels;
  for (const BusyLink& link : slot.links) {
    levels.push_back(
        fmt::format("{} links {}{}", link.level, levels.empty() ? "are busy " : "", seconds_text(link.seconds)));
  }
  const BusyLink& most = busiest(slot);
  return fmt::format("{}; the busiest is {} {} {}", fmt::join(levels, ", "), most.out ? "out of" : "into", most.level,
                     most.unit);
}

std::vector<std::string> hop_lines(const PlanTraffic& traffic) {
  std::vector<std::string> lines;
  for (std::size_t number = 0; number < traffic.each_hop.size(); ++number) {
    const PlanHop& hop = traffic.each_hop[number];
    if (hop.receivers == 0) continue;
    lines.push_back(fmt::format("hop {}{}: {}", number, hop.step.empty() ? "" : ", " + hop.step, hop_text(hop)));
  }
  return lines;
}

std::string hops_text(const PlanTraffic& traffic, std::string_view margin) {
  std::string text;
  for (const std::string& line : hop_lines(traffic)) text += fmt::format("{}{}\n", margin, line);
  return text;
}

std::string links_text(const Plan& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const auto traffic = traffic_of(plan, i);
    if (!traffic || traffic->all.links.empty() || !has_levels(*traffic)) continue;
    text += fmt::format("  {}: {}", plan.steps()[i].op, busy_text(traffic->all));
    if (traffic->exchange_seconds > 0)
      text += fmt::format("; a direct exchange takes {}", seconds_text(traffic->exchange_seconds));
    text += "\n";
  }
  return text;
}

std::string slots_text(const PlanTraffic& traffic) {
  std::string text;
  std::size_t alike = 0;
  const auto end_alike = [&] {
    if (alike > 0) text += fmt::format("  {} more slot{} like this\n", alike, alike == 1 ? "" : "s");
    alike = 0;
  };
  for (std::size_t slot = 0; slot < traffic.slots.size(); ++slot) {
    if (is_like_the_one_before(traffic, slot)) {
      ++alike;
      continue;
    }
    end_alike();
    const PlanSlot& here = traffic.slots[slot];
    text += fmt::format("  slot {}: {}, {}; {}\n", slot + 1, stretches_text(traffic, static_cast<std::int64_t>(slot)),
                        bytes_text(here.received_bytes), busy_text(here));
  }
  end_alike();
  return text;
}

}  // namespace tessera::repl
