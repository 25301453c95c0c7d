#include "repl/interactive/traffic.hpp"

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
