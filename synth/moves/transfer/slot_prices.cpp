#include "synth/moves/transfer/slot_prices.hpp"

#include <algorithm>

#include "base/sorted.hpp"

namespace tessera::synth {

SlotPrices::SlotPrices(const std::vector<double>& seconds_per_byte, std::span<const SlotBytes> slots)
    : together_(slots.size() * slots.size()) {
  for (const SlotBytes& slot : slots) latencies_.push_back(slot.latency);
  for (std::size_t lane = 0; lane < seconds_per_byte.size(); ++lane) {
    std::vector<std::int64_t> until{0};
    for (const SlotBytes& slot : slots) until.push_back(until.back() + (*slot.bytes)[lane]);
    if (until.back() > 0) lanes_.emplace_back(std::move(until), seconds_per_byte[lane]);
  }
  base::keep_one_of_each(lanes_);
}

double SlotPrices::seconds(std::int64_t stretches) {
  const auto count = std::ssize(latencies_);
  double total = 0;
  std::int64_t full = 0;
  for (std::int64_t t = 0; t < stretches + count - 1; ++t) {
    const std::int64_t begin = std::max<std::int64_t>(0, t - stretches + 1);
    const std::int64_t end = std::min(count, t + 1);
    if (begin == 0 && end == count)
      ++full;
    else
      total += of(begin, end, stretches);
  }
  return full == 0 ? total : total + static_cast<double>(full) * of(0, count, stretches);
}

// The slot in which the hops of places begin to end - 1 work, each on a stretch of its own.
double SlotPrices::of(std::int64_t begin, std::int64_t end, std::int64_t stretches) {
  const auto first = static_cast<std::size_t>(begin);
  const auto last = static_cast<std::size_t>(end);
  auto& known = together_[first * latencies_.size() + last - 1];
  if (!known) {
    known.emplace();
    for (std::size_t i = first; i < last; ++i) known->latency = std::max(known->latency, latencies_[i]);
    for (const auto& [until, seconds_per_byte] : lanes_)
      known->busiest = std::max(known->busiest, static_cast<double>(until[last] - until[first]) * seconds_per_byte);
  }
  return known->latency + known->busiest / static_cast<double>(stretches);
}

}  // namespace tessera::synth
