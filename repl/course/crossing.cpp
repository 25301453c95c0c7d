#include "repl/course/crossing.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace tessera::repl {

namespace {

std::int64_t elements_of(const Box& box) {
  std::int64_t elements = 1;
  for (const auto& [begin, end] : box) elements *= std::max(begin, end) - begin;
  return elements;
}

// An array of the plan, as a device has it that holds something.
std::int64_t element_bytes_of(const Plan& plan) {
  const auto start = plan.moment(0);
  if (!start) return 0;
  for (const Plan::Holding& held : start->devices) {
    if (elements_of(held.box) > 0) return held.bytes / elements_of(held.box);
  }
  return 0;
}

}  // namespace

std::int64_t crossing_bytes(const std::vector<Plan>& plans, std::int64_t node_devices) {
  std::map<std::int64_t, std::int64_t> into;  // of every node
  for (const Plan& plan : plans) {
    const std::int64_t element_bytes = element_bytes_of(plan);
    for (std::size_t step = 0; step < plan.steps().size(); ++step) {
      const auto moves = plan.moves(step);
      if (!moves) continue;
      for (const Plan::Move& move : *moves) {
        const std::int64_t node = move.target / node_devices;
        if (move.source / node_devices != node) into[node] += elements_of(move.box) * element_bytes;
      }
    }
  }
  std::int64_t most = 0;
  for (const auto& [node, bytes] : into) most = std::max(most, bytes);
  return most;
}

Read<Crossing> read_crossing(std::string_view text) {
  constexpr std::string_view kOver = " over nodes of ";
  const std::size_t over = text.rfind(kOver);
  if (over == std::string_view::npos) return {std::nullopt, "it needs `CHANGE over nodes of NUMBER`"};
  const std::string_view number = trimmed(text.substr(over + kOver.size()));
  Crossing crossing{std::string(trimmed(text.substr(0, over))), 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), crossing.node_devices);
  if (error != std::errc{} || end != number.data() + number.size() || crossing.node_devices < 1)
    return {std::nullopt, "a node has a number of devices"};
  return {std::move(crossing), {}};
}

}  // namespace tessera::repl
