#include "synth/planner/floors.hpp"

#include <algorithm>
#include <memory_resource>
#include <span>

#include "base/scratch.hpp"
#include "base/sorted.hpp"
#include "base/stop_scope.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/unit_bound.hpp"

namespace tessera::synth {

namespace {

// Devices of a unit, one for each different tile and pending position.
std::pmr::vector<std::size_t> different(const Tiling& tiling, std::int64_t begin, std::int64_t count,
                                        std::pmr::memory_resource* memory) {
  std::pmr::vector<std::size_t> devices(memory);
  devices.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = begin; i < begin + count; ++i) {
    if (tiling.has(static_cast<std::size_t>(i))) devices.push_back(static_cast<std::size_t>(i));
  }
  const auto key = [&](std::size_t device) { return std::pair(tiling.tile_of[device], tiling.contributor[device]); };
  std::sort(devices.begin(), devices.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const auto same = [&](std::size_t a, std::size_t b) { return key(a) == key(b); };
  devices.erase(std::unique(devices.begin(), devices.end(), same), devices.end());
  return devices;
}

// What the different devices of a unit hold. Mostly that is all combinations of some contributors and some intervals of
// each dimension: then it is looked at dimension by dimension, and not device by device.
class HeldTogether {
 public:
  HeldTogether(const Tiling& tiling, std::span<const std::size_t> devices, std::pmr::memory_resource* memory)
      : tiling_(tiling), devices_(devices), contributors_(memory), holders_(memory) {
    std::size_t combinations =
        take_different(contributors_, [&](std::size_t device) { return tiling.contributor[device]; });
    std::pmr::vector<std::int64_t> places(memory);
    for (std::size_t d = 0; d < tiling.rank(); ++d) {
      combinations *= take_different(places, [&](std::size_t device) { return tiling.place(d, device); });
      for (const std::int64_t place : places) holders_.push_back(tiling.cuts(d)[static_cast<std::size_t>(place)]);
      ends_.push_back(holders_.size());
    }
    are_combinations_ = combinations == devices.size();
  }

  // The elements of a device's tile that they hold.
  std::int64_t shared(const Tiling& wanted, std::size_t needer) const {
    const std::int64_t contributor = wanted.contributor[needer];
    if (!are_combinations_) {
      std::int64_t sum = 0;
      for (const std::size_t holder : devices_) {
        if (tiling_.contributor[holder] == contributor) sum += shared_elements(tiling_, holder, wanted, needer);
      }
      return sum;
    }
    std::int64_t count = std::binary_search(contributors_.begin(), contributors_.end(), contributor) ? 1 : 0;
    for (std::size_t d = 0, at = 0; d < wanted.rank() && count > 0; ++d) {
      const Interval& tile = wanted.interval(d, needer);
      std::int64_t covered = 0;
      for (; at < ends_[d]; ++at)
        covered +=
            std::max<std::int64_t>(0, std::min(tile.end, holders_[at].end) - std::max(tile.begin, holders_[at].begin));
      count *= covered;
    }
    return count;
  }

 private:
  template <class F>
  std::size_t take_different(std::pmr::vector<std::int64_t>& all, const F& of) const {
    all.clear();
    for (const std::size_t device : devices_) all.push_back(static_cast<std::int64_t>(of(device)));
    base::keep_one_of_each(all);
    return all.size();
  }

  const Tiling& tiling_;
  std::span<const std::size_t> devices_;
  std::pmr::vector<std::int64_t> contributors_;
  std::pmr::vector<Interval> holders_;  // of the dimensions in turn
  base::FixedVector<std::size_t, kRankMax> ends_;
  bool are_combinations_ = false;
};

// The device that lacks most of its tile, over its own link.
double missing_seconds(const Tiling& held, const Tiling& wanted, std::int64_t element_bytes, double bandwidth) {
  std::int64_t most = 0;
  for (std::size_t device = 0; device < wanted.tile_of.size(); ++device) {
    const std::int64_t needed = wanted.elements(device);
    if (needed > most) most = std::max(most, needed - shared_elements(held, device, wanted, device));
  }
  return static_cast<double>(most * element_bytes) / bandwidth;
}

// The most tiles that one wanted tile meets: each but the device's own comes from another sender.
std::int64_t cells_met(const Tiling& held, const Tiling& wanted) {
  base::Scratch scratch;
  std::pmr::vector<std::int64_t> met(scratch.memory());  // by dimension and place
  base::FixedVector<std::size_t, kRankMax> first_met;
  for (std::size_t d = 0; d < wanted.rank(); ++d) {
    first_met.push_back(met.size());
    const std::span<const Interval> cells = held.cuts(d);
    const auto is_single = [](const Interval& cell) { return cell.length() <= 1; };
    const bool single = std::all_of(cells.begin(), cells.end(), is_single);
    for (const Interval& tile : wanted.cuts(d)) {
      const auto ends_before = [](const Interval& cell, std::int64_t at) { return cell.end <= at; };
      const auto begins_before = [](const Interval& cell, std::int64_t at) { return cell.begin < at; };
      const auto first = std::lower_bound(cells.begin(), cells.end(), tile.begin, ends_before);
      const auto last = std::lower_bound(first, cells.end(), tile.end, begins_before);
      met.push_back(single ? tile.length() : last - first);
    }
  }
  std::int64_t most = 1;
  for (std::size_t device = 0; device < wanted.tile_of.size(); ++device) {
    std::int64_t cells = 1;
    if (!wanted.has(device)) continue;
    for (std::size_t d = 0; d < wanted.rank(); ++d) cells *= met[first_met[d] + wanted.place(d, device)];
    most = std::max(most, cells);
  }
  return most;
}

}  // namespace

std::shared_ptr<const Tiling> Floors::tiles_of(const ArrayType& from, const ArrayType& to) {
  return std::make_shared<const Tiling>(to, synth::run_devices(from, to));
}

Floors::Floors(const ArrayType& from, const ArrayType& to, const RunMachine& machine)
    : Floors(from, to, machine, tiles_of(from, to)) {}

Floors::Floors(const ArrayType& from, const ArrayType& to, const RunMachine& machine,
               std::shared_ptr<const Tiling> target)
    : machine_(machine),
      element_bytes_(bytes_of(to.element())),
      run_devices_(std::ssize(target->tile_of)),
      source_(from, run_devices_),
      shared_target_(std::move(target)),
      target_(*shared_target_),
      device_bandwidth_(machine.levels.back().bandwidth_bytes_per_second),
      near_latency_(least_delay(machine)),
      far_{near_latency_, near_latency_} {
  const Cluster cluster(machine);
  for (const Cluster::Level& level : cluster.levels()) unit_sizes_.push_back(level.unit_devices);
  const bool is_small = std::max(from.devices(), to.devices()) <= kExactDevicesMax;
  units_ = is_small ? into_units() : first_units_bound(machine, from, to);
  look_at_devices();
}

std::int64_t Floors::work(const ArrayType& to, const RunMachine& machine) {
  constexpr std::int64_t kNanosecondsOfDevice = 80;
  const bool is_small = to.devices() <= kExactDevicesMax;
  return to.devices() * kNanosecondsOfDevice * (is_small ? std::ssize(machine.levels) : 1);
}

void Floors::look_at_devices() {
  std::int64_t most = 0;
  for (std::size_t device = 0; device < target_.tile_of.size(); ++device) {
    const std::int64_t needed = target_.elements(device);
    const std::int64_t missing = needed - shared_elements(source_, device, target_, device);
    most = std::max(most, missing);
    least_bytes_ += missing * element_bytes_;
    holds_a_target_ = holds_a_target_ || (missing == 0 && needed > 0);
  }
  links_ = std::max(units_, static_cast<double>(most * element_bytes_) / device_bandwidth_);
}

// A device keeps only what lies in its tile of the refinement.
std::int64_t Floors::bytes_of_refinement(const ArrayType& refined) const {
  base::Scratch scratch;
  const Tiling middle(refined, run_devices_, scratch.memory());
  std::int64_t elements = 0;
  for (std::size_t device = 0; device < target_.tile_of.size(); ++device) {
    elements += target_.elements(device) - shared_elements(source_, device, middle, device);
  }
  return elements * element_bytes_;
}

// Seconds for the elements that a unit's devices need and none of them holds, each once over the unit's link, of the
// unit that takes longest.
double Floors::into_units() {
  double longest = 0;
  const auto devices = static_cast<std::int64_t>(target_.tile_of.size());
  for (std::size_t l = 0; l < unit_sizes_.size(); ++l) {
    if (unit_sizes_[l] == 1) continue;
    for (std::int64_t begin = 0; begin < devices; begin += unit_sizes_[l]) {
      base::look_for_stop();
      base::Scratch scratch;
      const std::int64_t count = std::min(unit_sizes_[l], devices - begin);
      const auto held = different(source_, begin, count, scratch.memory());
      const HeldTogether together(source_, held, scratch.memory());
      std::int64_t missing = 0;
      for (const std::size_t needed : different(target_, begin, count, scratch.memory()))
        missing += target_.elements(needed) - together.shared(target_, needed);
      if (missing > 0) far_ = std::max(far_, delay_of(machine_.levels[l]));
      longest = std::max(longest,
                         static_cast<double>(missing * element_bytes_) / machine_.levels[l].bandwidth_bytes_per_second);
    }
  }
  return longest;
}

// In one move each device fetches for itself: what all devices of a unit lack and none of them holds, over the unit's
// link. On every level the first unit and the last.
double Floors::each_into_units(const Tiling& held, const Tiling& wanted) const {
  constexpr std::int64_t kUnitMax = 64;  // devices of a unit; more take longer to look at than they spare
  base::look_for_stop();
  double longest = 0;
  const auto devices = static_cast<std::int64_t>(wanted.tile_of.size());
  for (std::size_t l = 0; l < unit_sizes_.size(); ++l) {
    const std::int64_t size = unit_sizes_[l];
    if (size == 1 || size > kUnitMax) continue;
    for (const std::int64_t begin : {std::int64_t{0}, (devices - 1) / size * size}) {
      base::Scratch scratch;
      const std::int64_t end = std::min(devices, begin + size);
      const auto holders = different(held, begin, end - begin, scratch.memory());
      const HeldTogether together(held, holders, scratch.memory());
      std::int64_t missing = 0;
      for (auto device = static_cast<std::size_t>(begin); device < static_cast<std::size_t>(end); ++device)
        missing += wanted.elements(device) - together.shared(wanted, device);
      const double bytes = static_cast<double>(missing * element_bytes_);
      longest = std::max(longest, bytes / machine_.levels[l].bandwidth_bytes_per_second);
    }
  }
  return longest;
}

double Floors::of_move(const Tiling& held, const Tiling& wanted, const Delay& delay, double enough) const {
  const double missing = missing_seconds(held, wanted, element_bytes_, device_bandwidth_);
  if (missing == 0) return 0;
  const double latency = delay.of(static_cast<double>(cells_met(held, wanted) - 1));
  if (missing + latency >= enough) return missing + latency;
  return std::max(missing, each_into_units(held, wanted)) + latency;
}

double Floors::of_moves(const std::vector<ArrayType>& types, double enough) const {
  double seconds = 0;
  base::Scratch scratch;
  Tiling held(types.front(), run_devices_, scratch.memory());
  for (std::size_t i = 1; i < types.size() && seconds < enough; ++i) {
    Tiling wanted(types[i], run_devices_, scratch.memory());
    seconds += of_move(held, wanted, {near_latency_, near_latency_}, enough - seconds);
    held = std::move(wanted);
  }
  return std::max(seconds, of_one_launch());
}

double Floors::of_refinement(const ArrayType& refined, bool inside, double enough) const {
  base::Scratch scratch;
  const Tiling middle(refined, run_devices_, scratch.memory());
  std::int64_t gathered = 0;
  for (std::size_t device = 0; device < middle.tile_of.size(); ++device) {
    gathered = std::max(gathered, target_.elements(device) - middle.elements(device));
  }
  const std::int64_t pieces = middle.tiles / target_.tiles;
  const double gather = static_cast<double>(gathered * element_bytes_) / device_bandwidth_ +
                        static_cast<double>(pieces - 1) * near_latency_;
  // Then the exchange brings all that units lack.
  const double least = gather + (inside ? units_ : 0);
  const Delay delay = inside ? far_ : Delay{near_latency_, near_latency_};
  return least >= enough ? least : std::max(least, gather + of_move(source_, middle, delay, enough - gather));
}

}  // namespace tessera::synth
