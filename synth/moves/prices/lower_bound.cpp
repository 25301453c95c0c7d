// Lower bounds of a redistribution: bytes received in all, and seconds on a machine, for any algorithm.
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/wide.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/time_bound.hpp"
#include "synth/moves/prices/unit_bound.hpp"

namespace tessera::synth {

namespace {

// A change of layout, looked at device by device.
class DeviceChange {
 public:
  DeviceChange(const ArrayType& from, const ArrayType& to)
      : source_(from, run_devices(from, to)),
        target_(to, run_devices(from, to)),
        element_bytes_(bytes_of(to.element())),
        array_bytes_(array_bytes(to)) {}

  base::Wide least_bytes() const { return source_.contributors == 1 ? missing_bytes() : pending_bytes(); }

  // The most that a device has to receive.
  std::int64_t most_missing_bytes() const {
    std::int64_t most = 0;
    for (std::size_t device = 0; device < devices(); ++device) most = std::max(most, missing_bytes(device));
    return most;
  }

 private:
  std::size_t devices() const { return target_.tile_of.size(); }

  std::int64_t missing_bytes(std::size_t device) const {
    const std::int64_t held = source_.contributors == 1 ? shared_elements(source_, device, target_, device) : 0;
    return (target_.elements(device) - held) * element_bytes_;
  }
  base::Wide missing_bytes() const {
    base::Wide total = 0;
    for (std::size_t device = 0; device < devices(); ++device) total += missing_bytes(device);
    return total;
  }

  // An element with C > 1 contributors that H devices need costs C - 1 + H - 1 receives, and one more if none of the H
  // contributes.
  base::Wide pending_bytes() const {
    return array_bytes_ * (source_.contributors - 1 + target_.copies - 1) + array_bytes_ - contributed_where_needed();
  }

  // Bytes that some device both needs and contributes to, each counted once.
  base::Wide contributed_where_needed() const {
    std::set<std::pair<std::int32_t, std::int32_t>> met;
    base::Wide total = 0;
    for (std::size_t device = 0; device < devices(); ++device) {
      const std::int64_t count = shared_elements(source_, device, target_, device);
      if (count > 0 && met.emplace(source_.tile_of[device], target_.tile_of[device]).second)
        total += count * element_bytes_;
    }
    return total;
  }

  Tiling source_;
  Tiling target_;
  std::int64_t element_bytes_;
  base::Wide array_bytes_;
};

}  // namespace

LowerBound bound_of_devices(const RunMachine& machine, const ArrayType& from, const ArrayType& to) {
  LowerBound bound;
  if (!to.layout().pending().empty()) return bound;
  const DeviceChange change(from, to);
  constexpr base::Wide kMost = std::numeric_limits<std::int64_t>::max();
  bound.received_bytes_total = static_cast<std::int64_t>(std::min(change.least_bytes(), kMost));
  bound.seconds = static_cast<double>(change.most_missing_bytes()) / machine.levels.back().bandwidth_bytes_per_second;
  const double all_links = Cluster(machine).levels().back().bandwidth_of_all();
  if (!from.layout().pending().empty())
    bound.seconds = std::max(bound.seconds, static_cast<double>(change.least_bytes()) / all_links);
  return bound;
}

LowerBound lower_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to) {
  LowerBound bound = bound_of_devices(machine, from, to);
  if (!to.layout().pending().empty()) return bound;
  if (std::max(from.devices(), to.devices()) <= kExactDevicesMax) {
    bound.seconds = time_bound(machine, from, to);
    return bound;
  }
  bound.seconds =
      std::max({bound.seconds, first_units_bound(machine, from, to), sum_crossings_bound(machine, from, to)});
  return bound;
}

}  // namespace tessera::synth
