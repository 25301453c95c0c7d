#include "synth/moves/prices/cut_cost.hpp"

#include <algorithm>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

namespace {

using Message = std::function<void(std::int32_t, std::int32_t, std::int64_t)>;

// Samples to each searcher, or answers from it, of all lines in one round; or how much goes where.
void for_told(const SortCuts& cuts, std::int64_t samples, std::int64_t answers, std::int64_t counts, const Message& f) {
  for (std::int32_t device = 0; device < cuts.type().devices(); ++device) {
    const std::int64_t own = cuts.own_tile(device);
    const std::int64_t lines = cuts.lines(device);
    if (cuts.positions(own).length() == 0 || lines == 0) continue;
    for (const std::int64_t tile : cuts.filled()) {
      if (tile == own) continue;
      const std::int64_t searched = own == cuts.filled().front() ? 0 : samples;  // by this device
      const std::int64_t asked = tile == cuts.filled().front() ? 0 : answers;    // by the other one
      const std::int64_t bytes = lines * (searched + asked + counts);
      if (bytes > 0) f(cuts.member(device, tile), device, bytes);
    }
  }
}

void for_elements(const SortCuts& cuts, const Message& f) {
  for (std::int32_t device = 0; device < cuts.type().devices(); ++device) {
    const std::int64_t own = cuts.own_tile(device);
    const std::int64_t most = cuts.run_bytes_at_most(device);
    const std::int64_t others = cuts.positions(cuts.tiles() - 1).end - cuts.positions(own).length();
    std::int64_t before = 0;  // elements of tiles that were gone through
    for (const std::int64_t tile : cuts.filled()) {
      if (tile == own || others == 0) continue;
      const std::int64_t until = before + cuts.positions(tile).length();
      const std::int64_t bytes = scaled(most, until, others) - scaled(most, before, others);
      before = until;
      if (bytes > 0) f(cuts.member(device, tile), device, bytes);
    }
  }
}

StepCost cost_of(const RunMachine& machine, const SortCuts& cuts, const std::function<void(const Message&)>& messages) {
  std::vector<BoxCopy> copies;  // as boxes of as many bytes
  messages([&](std::int32_t source, std::int32_t target, std::int64_t bytes) {
    copies.push_back({source, target, {{0, bytes}}});
  });
  return cost_of_copies(machine, cuts.type().mesh(), copies, 1);
}

}  // namespace

void for_cut_messages(const SortCuts& cuts, const Message& told, const Message& elements) {
  const std::int64_t rounds = SortCuts::rounds_at_most(cuts.positions(cuts.tiles() - 1).end);
  for_told(cuts, rounds * cuts.sample_bytes(), rounds * cuts.answer_bytes(), cuts.number_bytes(), told);
  for_elements(cuts, elements);
}

StepCost cost_of_cuts(const RunMachine& machine, const SortCuts& cuts) {
  const std::int64_t devices = cuts.type().devices();
  const std::int64_t most = cut_bytes_at_most(cuts);
  if (cuts.filled().size() < 2 || most == 0) return {};
  const std::int64_t rounds = SortCuts::rounds_at_most(cuts.positions(cuts.tiles() - 1).end);
  std::int64_t received_max = 0;
  for (std::int32_t device = 0; device < devices; ++device)
    received_max = std::max(received_max, cuts.search_bytes_at_most(device) + cuts.run_bytes_at_most(device));
  if (devices * cuts.tiles() > kExactMessagesMax) {  // every device's own link is what counts
    const double seconds = static_cast<double>(2 * rounds + 2) * slowest_delay(machine).of(1) +
                           static_cast<double>(received_max) / Cluster(machine).levels().back().bandwidth;
    return {most, received_max, 0, seconds};
  }
  const StepCost samples =
      cost_of(machine, cuts, [&](const Message& f) { for_told(cuts, cuts.sample_bytes(), 0, 0, f); });
  const StepCost answers =
      cost_of(machine, cuts, [&](const Message& f) { for_told(cuts, 0, cuts.answer_bytes(), 0, f); });
  const StepCost counts =
      cost_of(machine, cuts, [&](const Message& f) { for_told(cuts, 0, 0, cuts.number_bytes(), f); });
  const StepCost elements = cost_of(machine, cuts, [&](const Message& f) { for_elements(cuts, f); });
  const auto turns = static_cast<double>(rounds);
  return {most, received_max, samples.peers + elements.peers,
          turns * (samples.seconds + answers.seconds) + counts.seconds + elements.seconds};
}

}  // namespace tessera::synth
