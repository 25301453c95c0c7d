#include "synth/planner/figures.hpp"

#include <algorithm>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/planner/round_peaks.hpp"

namespace tessera::synth {

namespace {

using BytesByDevice = std::vector<std::int64_t>;  // by device of the run, as far as there are any

BytesByDevice of_run(const Mesh& mesh, const BytesByDevice& by_number) {
  BytesByDevice bytes(static_cast<std::size_t>(mesh.devices_end()), 0);
  for (std::size_t i = 0; i < by_number.size(); ++i)
    bytes[mesh.device_of_run(static_cast<std::int64_t>(i)).value] = by_number[i];
  return bytes;
}

BytesByDevice tiles_bytes(const ArrayType& type) {
  BytesByDevice bytes(static_cast<std::size_t>(type.devices()), bytes_of(type.element()));
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const Cuts tiles = cuts(type, d);
    std::vector<std::int64_t> lengths;  // of every tile
    for (std::int64_t t = 0; t < tiles.tiles(); ++t) lengths.push_back(tiles.tile(t).length());
    const std::vector<std::int32_t> place = positions(type.mesh(), type.layout().split(d));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] *= lengths[static_cast<std::size_t>(place[i])];
  }
  return type.mesh().devices_end() == type.devices() ? bytes : of_run(type.mesh(), bytes);
}

std::int64_t largest(const BytesByDevice& bytes) { return *std::max_element(bytes.begin(), bytes.end()); }

BytesByDevice sums(BytesByDevice a, const BytesByDevice& b) {
  a.resize(std::max(a.size(), b.size()), 0);
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  return a;
}

// The bytes of a device's input. A slice is a view, so its source stays. The first of an exchange's rounds also says
// with how many bytes the other rounds begin.
class LiveBytes {
 public:
  explicit LiveBytes(const ArrayType& from, Source source = Source::dies)
      : bytes_(tiles_bytes(from)), kept_(source == Source::lives_on ? bytes_ : BytesByDevice(bytes_.size(), 0)) {}

  // The peak of a step, whose output is the next step's input.
  std::int64_t peak_of(const Collective& step, const ArrayType& before, const ArrayType& after) {
    if (std::holds_alternative<Slice>(step.effect)) return largest(bytes_);
    const BytesByDevice output = tiles_bytes(after);
    const Round* round = round_of(step);
    const std::int64_t peak =
        round != nullptr ? peak_of(*round, before, after) : largest(sums(bytes_, output)) + beside(step, before, after);
    bytes_ = sums(output, kept_);
    return peak;
  }

 private:
  static std::int64_t beside(const Collective& step, const ArrayType& before, const ArrayType& after) {
    if (const auto wide = EvenSum::of(step, before, after)) return wide->beside_bytes();
    const auto programmed = ProgrammedReduction::of(step, before, after);
    return programmed ? programmed->beside_bytes() : 0;
  }
  std::int64_t peak_of(const Round& round, const ArrayType& before, const ArrayType& after) {
    if (round.dimension >= std::min(before.rank(), after.rank()))
      return 0;  // of a plan that was read, and will not verify
    if (round.index == 0) round_peaks_ = RoundPeaks(before, after, round.dimension).peaks(round.count);
    const auto index = static_cast<std::size_t>(round.index);
    return index < round_peaks_.size() ? round_peaks_[index] : 0;
  }

  BytesByDevice bytes_;  // of the next step's input, and of a source that lives on beside it
  BytesByDevice kept_;
  std::vector<std::int64_t> round_peaks_;
};

base::Result<PlanStep> priced_step(const Collective& collective, const ArrayType& before, Prices& prices,
                                   LiveBytes& live) {
  TESSERA_TRY(after, apply(collective, before));
  const StepCost price = prices.of(collective, before, after);
  PlanStep step;
  step.collective = collective;
  step.after = after;
  step.local_bytes_max = tile_bytes_max(after);
  step.received_bytes_total = price.received_bytes_total;
  step.received_bytes_max = price.received_bytes_max;
  step.seconds = price.seconds;
  step.peak_bytes = live.peak_of(collective, before, after);
  const bool is_of_all = target_of(collective) != nullptr;
  step.group_size = is_of_all ? devices_of_both(before.mesh(), after.mesh()) : group_size(collective, after.devices());
  step.groups = is_of_all ? 1 : after.devices() / step.group_size;
  return step;
}

}  // namespace

base::Result<Plan> priced(Prices& prices, const ArrayType& from, const ArrayType& to, Planner planner,
                          const Chain& chain) {
  Plan plan;
  plan.from = from;
  plan.to = to;
  plan.planner = planner;
  plan.bound_bytes = std::max(tile_bytes_max(from), tile_bytes_max(to));
  plan.local_bytes_max = plan.bound_bytes;
  plan.peak_bytes = chain.empty() ? plan.bound_bytes : 0;
  LiveBytes live(from);
  ArrayType type = from;
  for (const Collective& collective : chain) {
    TESSERA_TRY(step, priced_step(collective, type, prices, live));
    // All rounds are between the devices of the first.
    const Round* round = round_of(collective);
    if (round != nullptr && round->index > 0) step.group_size = plan.steps.back().group_size;
    type = step.after;
    plan.received_bytes_total += step.received_bytes_total;
    plan.local_bytes_max = std::max(plan.local_bytes_max, step.local_bytes_max);
    plan.peak_bytes = std::max(plan.peak_bytes, step.peak_bytes);
    plan.seconds += step.seconds;
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

void set_step_peaks(Plan& plan) {
  LiveBytes live(plan.from);
  ArrayType before = plan.from;
  for (PlanStep& step : plan.steps) {
    step.peak_bytes = live.peak_of(step.collective, before, step.after);
    before = step.after;
  }
}

base::Result<std::vector<std::int64_t>> step_peaks(const Chain& chain, const ArrayType& from, Source source) {
  LiveBytes live(from, source);
  ArrayType before = from;
  std::vector<std::int64_t> peaks;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, before));
    peaks.push_back(live.peak_of(step, before, after));
    before = after;
  }
  return peaks;
}

}  // namespace tessera::synth
