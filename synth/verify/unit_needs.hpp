// Private to verify: the boxes that devices of a unit need, and which of its children hold them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/sorted.hpp"
#include "base/stop_scope.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

// A set of a unit's children, a bit for each.
using ChildSet = std::vector<std::uint64_t>;

inline bool within(const ChildSet& inner, const ChildSet& outer) {
  for (std::size_t w = 0; w < inner.size(); ++w) {
    if ((inner[w] & ~outer[w]) != 0) return false;
  }
  return true;
}
inline bool has(const ChildSet& set, std::size_t child) { return (set[child / 64] >> (child % 64) & 1U) != 0; }
inline void put(ChildSet& set, std::size_t child) { set[child / 64] |= std::uint64_t{1} << (child % 64); }
inline std::int64_t size(const ChildSet& set) {
  std::int64_t total = 0;
  for (const std::uint64_t word : set) total += __builtin_popcountll(word);
  return total;
}

// The tiles that both ends are cut into, and who has them: of the source's the devices of every part of its sums, of
// the target's one list.
struct Tiles {
  Tiles(const Holdings& end, std::int64_t run_devices)
      : standing(&end), tile_of(static_cast<std::size_t>(run_devices), kNone) {
    std::map<Numbers, std::size_t> known;
    for (std::int64_t device = 0; device < end.devices(); ++device) {
      Numbers stand;
      for (const Numbers& places : end.place) stand.push_back(places[static_cast<std::size_t>(device)]);
      const auto [at, is_new] = known.emplace(std::move(stand), owners.size());
      if (is_new) {
        owners.emplace_back(static_cast<std::size_t>(end.contributors));
        first.push_back(device);
      }
      const std::int64_t of_run = end.ids[static_cast<std::size_t>(device)];
      owners[at->second][static_cast<std::size_t>(end.pending[static_cast<std::size_t>(device)])].push_back(of_run);
      tile_of[static_cast<std::size_t>(of_run)] = at->second;
    }
  }
  std::int64_t elements(std::size_t tile) const { return standing->elements(first[tile]); }

  const Holdings* standing;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::vector<Numbers>> owners;  // of every tile and part, devices of the run
  std::vector<std::size_t> tile_of;          // of every device of the run; kNone where it is not of the mesh
  Numbers first;                             // of every tile, the number of a device that has it
};

struct Change {
  Tiles source;
  Tiles target;
  double element_bytes;

  double shared(std::size_t s, std::size_t t) const {
    const std::int64_t shared = shared_elements(*source.standing, source.first[s], *target.standing, target.first[t]);
    return element_bytes * static_cast<double>(shared);
  }
  double source_bytes(std::size_t s) const { return element_bytes * static_cast<double>(source.elements(s)); }
  double target_bytes(std::size_t t) const { return element_bytes * static_cast<double>(target.elements(t)); }
};

// A unit's devices and links, its children's as fast as the fastest of their level; of the whole machine, which has no
// link of its own, `bandwidth` is 0.
struct Unit {
  std::int64_t begin = 0;
  std::int64_t devices = 1;
  std::int64_t children = 1;
  double child_bandwidth = 0;
  double bandwidth = 0;

  bool has_all(const Numbers& ascending) const {
    return ascending.front() >= begin && ascending.back() < begin + devices;
  }
  ChildSet none() const { return ChildSet(static_cast<std::size_t>(children + 63) / 64, 0); }
  ChildSet children_with(const Numbers& ascending) const {
    ChildSet set = none();
    const std::int64_t of_child = devices / children;
    for (auto at = std::lower_bound(ascending.begin(), ascending.end(), begin);
         at != ascending.end() && *at < begin + devices; ++at)
      put(set, static_cast<std::size_t>((*at - begin) / of_child));
    return set;
  }
  double capacity(const ChildSet& senders) const {
    return static_cast<double>(size(senders)) * child_bandwidth + bandwidth;
  }
  // The tiles that its devices have, each once.
  std::vector<std::size_t> tiles(const Tiles& all) const {
    const auto first = all.tile_of.begin() + begin;
    std::vector<std::size_t> some(first, first + devices);
    base::keep_one_of_each(some);
    if (!some.empty() && some.back() == Tiles::kNone) some.pop_back();
    return some;
  }
};

// A box that devices of a unit need: the children that hold each part of its sums, where every part is held in the unit
// at all, and the children that need it.
struct Need {
  const std::vector<ChildSet>* parts;
  const ChildSet* needers;
  double bytes;
};

// Calls f with every need of the unit's devices.
template <class F>
void for_each_need(const Unit& unit, const Change& change, const F& f) {
  std::map<std::size_t, std::vector<ChildSet>> held;  // of source tiles
  for (const std::size_t s : unit.tiles(change.source)) {
    std::vector<ChildSet>& parts = held[s];
    for (const Numbers& owners : change.source.owners[s]) parts.push_back(unit.children_with(owners));
    if (std::find(parts.begin(), parts.end(), unit.none()) != parts.end()) held.erase(s);
  }
  const std::vector<ChildSet> nobody{unit.none()};
  for (const std::size_t t : unit.tiles(change.target)) {
    const ChildSet needers = unit.children_with(change.target.owners[t].front());
    double lacked = change.target_bytes(t);
    base::look_for_stop();
    for (const auto& [s, parts] : held) {
      const double bytes = change.shared(s, t);
      lacked -= bytes;
      if (bytes > 0) f(Need{&parts, &needers, bytes});
    }
    if (lacked > 0) f(Need{&nobody, &needers, lacked});
  }
}

}  // namespace tessera::synth::verifier
