// The source cuts the array into cells. A cell has one contributor for each position along the source's pending axes
// (one without them); each is held by some devices. The target cuts it into tiles, each needed by some devices. A group
// of devices lacks a cell if some contributor has no holder in it.
#include "synth/moves/prices/time_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/sorted.hpp"
#include "base/stop_scope.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/holder_bound.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

namespace {

// Source and target together.
struct CellChange {
  CellChange(const ArrayType& from, const ArrayType& to, std::int64_t run_devices)
      : source(from, run_devices),
        target(to, run_devices),
        devices(run_devices),
        element_bytes(bytes_of(to.element())) {}

  Tiling source;
  Tiling target;
  std::int64_t devices;
  std::int64_t element_bytes;

  // Bytes that a cell and a target tile share.
  double shared(std::int32_t cell, std::int32_t tile) const {
    double bytes = static_cast<double>(element_bytes);
    for (std::size_t d = source.rank(); d-- > 0 && bytes > 0;) {
      const Interval& a = last_cut(source, d, cell);
      const Interval& b = last_cut(target, d, tile);
      bytes *= static_cast<double>(std::max<std::int64_t>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin)));
    }
    return bytes;
  }
  // The interval along a dimension of the tile with that number; takes the dimension's digit off the number.
  static const Interval& last_cut(const Tiling& tiling, std::size_t dimension, std::int32_t& number) {
    const std::span<const Interval> cuts = tiling.cuts(dimension);
    const auto parts = static_cast<std::int32_t>(cuts.size());
    const auto place = static_cast<std::size_t>(number % parts);
    number /= parts;
    return cuts[place];
  }
  static double bytes_of_tile(const Tiling& tiling, std::int32_t tile, std::int64_t element_bytes) {
    double bytes = static_cast<double>(element_bytes);
    for (std::size_t d = tiling.rank(); d-- > 0;) bytes *= static_cast<double>(last_cut(tiling, d, tile).length());
    return bytes;
  }
  double cell_bytes(std::int32_t cell) const { return bytes_of_tile(source, cell, element_bytes); }
  double tile_bytes(std::int32_t tile) const { return bytes_of_tile(target, tile, element_bytes); }
};

// A unit and the links that lead to its children and to itself.
struct Unit {
  std::int64_t begin = 0;
  std::int64_t devices = 1;
  std::int64_t child_devices = 1;
  double child_bandwidth = 0;  // of the fastest of its level; 0: a device, which has no children
  double bandwidth = 0;        // 0: the whole machine, which has no link
};

// The cells that a unit's children hold and need; those with the same sets of holding children are one group.
class UnitBound {
 public:
  UnitBound(const CellChange& change, const Unit& unit);
  // The largest of the bounds of kinds (1) and (3) of this unit.
  double seconds() const;

 private:
  using HolderSets = std::vector<Children>;  // one for each contributor; a group's key
  Children none() const { return no_children(unit_.devices / unit_.child_devices); }
  void find_holders();
  void find_needs();
  void sum_groups();
  double bytes(const Children& senders) const;
  double seconds_of_copies() const;
  double seconds_of_sums() const;

  const CellChange& change_;
  const Unit& unit_;
  std::map<std::int32_t, HolderSets> holders_;           // of cells the unit lacks no contributor of
  std::map<std::int32_t, Children> needs_;               // of target tiles
  std::map<Children, std::vector<std::int32_t>> tiles_;  // target tiles by who needs them
  std::map<HolderSets, std::vector<double>> groups_;     // bytes by holders and, in the order of tiles_, by need
  std::vector<double> lacked_;                           // the same for cells that the unit lacks
  std::vector<Children> candidates_;                     // sets of children to cut off as senders
};

UnitBound::UnitBound(const CellChange& change, const Unit& unit) : change_(change), unit_(unit) {
  find_holders();
  find_needs();
  sum_groups();
}

void UnitBound::find_holders() {
  std::map<std::pair<std::int32_t, std::int32_t>, Children> held;  // by cell and contributor
  for (std::int64_t i = 0; i < unit_.devices; ++i) {
    const auto device = static_cast<std::size_t>(unit_.begin + i);
    if (!change_.source.has(device)) continue;
    auto& children = held[{change_.source.tile_of[device], change_.source.contributor[device]}];
    if (children.empty()) children = none();
    insert(children, i / unit_.child_devices);
  }
  for (const auto& [key, children] : held) holders_[key.first].push_back(children);
  std::erase_if(holders_, [&](const auto& entry) {
    return static_cast<std::int64_t>(entry.second.size()) < change_.source.contributors;
  });
}

void UnitBound::find_needs() {
  for (std::int64_t i = 0; i < unit_.devices; ++i) {
    const auto device = static_cast<std::size_t>(unit_.begin + i);
    if (!change_.target.has(device)) continue;
    auto& children = needs_[change_.target.tile_of[device]];
    if (children.empty()) children = none();
    insert(children, i / unit_.child_devices);
  }
  for (const auto& [tile, children] : needs_) tiles_[children].push_back(tile);
}

void UnitBound::sum_groups() {
  for (const auto& [need, tiles] : tiles_) {
    double bytes = 0;
    for (const std::int32_t tile : tiles) bytes += change_.tile_bytes(tile);
    lacked_.push_back(bytes);
  }
  candidates_.push_back(none());
  for (auto& [cell, sets] : holders_) {
    base::keep_one_of_each(sets);
    candidates_.insert(candidates_.end(), sets.begin(), sets.end());
    auto& group = groups_[sets];
    group.resize(tiles_.size(), 0);
    base::look_for_stop();
    std::size_t n = 0;
    for (const auto& [need, tiles] : tiles_) {
      double bytes = 0;
      for (const std::int32_t tile : tiles) bytes += change_.shared(cell, tile);
      group[n] += bytes;
      lacked_[n++] -= bytes;
    }
  }
  base::keep_one_of_each(candidates_);
}

// Bytes that a child outside `senders` needs, and that the children outside lack: they have to come out of `senders`,
// or into the unit.
double UnitBound::bytes(const Children& senders) const {
  std::vector<const std::vector<double>*> rows{&lacked_};
  for (const auto& [sets, row] : groups_) {
    const bool lacks = std::any_of(sets.begin(), sets.end(), [&](const Children& h) { return within(h, senders); });
    if (lacks) rows.push_back(&row);
  }
  double total = 0;
  std::size_t n = 0;
  for (const auto& [need, tiles] : tiles_) {
    if (!within(need, senders)) {
      for (const auto* row : rows) total += (*row)[n];
    }
    ++n;
  }
  return total;
}

double UnitBound::seconds() const { return change_.source.contributors == 1 ? seconds_of_copies() : seconds_of_sums(); }

double UnitBound::seconds_of_copies() const {
  double lacked = 0;
  for (const double bytes : lacked_) lacked += bytes;
  std::vector<HeldBytes> held{{none(), lacked}};
  for (const auto& [sets, row] : groups_) {
    HeldBytes& next = held.emplace_back(HeldBytes{sets.front(), 0});
    std::size_t n = 0;
    for (const auto& [need, tiles] : tiles_) {
      if (!within(need, next.holders)) next.bytes += row[n];
      ++n;
    }
  }
  return holder_bound(held, UnitLinks{unit_.child_bandwidth, unit_.bandwidth});
}

// Every contributor to a sum has to leave its holders, but two of them may leave as one: only sets that hold a whole
// contributor's part are tried.
double UnitBound::seconds_of_sums() const {
  double longest = 0;
  for (const Children& senders : candidates_) {
    base::look_for_stop();
    const double capacity = static_cast<double>(count(senders)) * unit_.child_bandwidth + unit_.bandwidth;
    if (capacity > 0) longest = std::max(longest, bytes(senders) / capacity);
  }
  return longest;
}

// ---- Out of a unit ----

// Bound (2): bytes of which some contributor has no holder outside the unit, and that are needed outside it.
class OutBound {
 public:
  explicit OutBound(const CellChange& change) : change_(change) {
    for (std::size_t device = 0; device < change.source.tile_of.size(); ++device) {
      if (change.source.has(device))
        note(holders_[{change.source.tile_of[device], change.source.contributor[device]}], device);
      if (change.target.has(device)) note(needers_[change.target.tile_of[device]], device);
    }
  }

  double seconds(const Unit& unit) const {
    std::vector<std::int32_t> cells;
    std::vector<std::int32_t> tiles;
    for (std::int64_t i = unit.begin; i < unit.begin + unit.devices; ++i) {
      const auto device = static_cast<std::size_t>(i);
      const std::int32_t cell = change_.source.tile_of[device];
      if (cell >= 0 && inside(holders_.at({cell, change_.source.contributor[device]}), unit)) cells.push_back(cell);
      const std::int32_t tile = change_.target.tile_of[device];
      if (tile >= 0 && inside(needers_.at(tile), unit)) tiles.push_back(tile);
    }
    for (auto* list : {&cells, &tiles}) {
      base::keep_one_of_each(*list);
    }
    double bytes = 0;
    for (const std::int32_t cell : cells) {
      bytes += change_.cell_bytes(cell);
      for (const std::int32_t tile : tiles) bytes -= change_.shared(cell, tile);
    }
    return bytes / unit.bandwidth;
  }

 private:
  struct Range {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = -1;
  };
  static void note(Range& range, std::size_t device) {
    range.first = std::min(range.first, static_cast<std::int64_t>(device));
    range.last = std::max(range.last, static_cast<std::int64_t>(device));
  }
  static bool inside(const Range& range, const Unit& unit) {
    return range.first >= unit.begin && range.last < unit.begin + unit.devices;
  }

  const CellChange& change_;
  std::map<std::pair<std::int32_t, std::int32_t>, Range> holders_;
  std::map<std::int32_t, Range> needers_;
};

// ---- Over all links of a level ----

// Bound (4): how often the parts of sums have to cross from unit to unit of a level, over all its links. If no unit
// holds all contributors, the parts of C units become one value in C - 1 crossings. That value then goes to the H - 1
// other units of the H that need it, and once more if none of those contributes. If a unit holds all contributors, the
// others get the value from it.
class Crossings {
 public:
  Crossings(const CellChange& change, const Cluster::Level& level) : change_(change), level_(level) {
    for (std::size_t device = 0; device < change.source.tile_of.size(); ++device) {
      const auto unit = static_cast<std::int64_t>(device) / level.unit_devices;
      if (change.source.has(device))
        held_[change.source.tile_of[device]][unit].insert(change.source.contributor[device]);
      if (change.target.has(device)) needers_[change.target.tile_of[device]].insert(unit);
    }
  }

  double seconds() const {
    double bytes = 0;
    for (const auto& [cell, units] : held_) {
      base::look_for_stop();
      for (const auto& [tile, needers] : needers_) {
        const double shared = change_.shared(cell, tile);
        if (shared > 0) bytes += shared * static_cast<double>(count(units, needers));
      }
    }
    return bytes / level_.bandwidth_of_all();
  }

 private:
  using Units = std::map<std::int64_t, std::set<std::int32_t>>;  // contributors held in each
  std::int64_t count(const Units& units, const std::set<std::int64_t>& needers) const {
    const std::int64_t all = change_.source.contributors;
    std::int64_t most = 0;
    for (const auto& [unit, contributors] : units) most = std::max(most, std::ssize(contributors));
    const std::int64_t fewest = std::max((all + most - 1) / most, indispensable(units));
    if (most == all) {
      return std::count_if(needers.begin(), needers.end(), [&](std::int64_t unit) {
        const auto at = units.find(unit);
        return at == units.end() || std::ssize(at->second) < all;
      });
    }
    const bool contribute =
        std::any_of(needers.begin(), needers.end(), [&](std::int64_t unit) { return units.count(unit) > 0; });
    return fewest - 1 + std::ssize(needers) - 1 + (contribute ? 0 : 1);
  }

  // Units that hold a contributor which no other has.
  static std::int64_t indispensable(const Units& units) {
    std::map<std::int32_t, std::int64_t> holders;  // of every contributor
    for (const auto& [unit, contributors] : units) {
      for (const std::int32_t contributor : contributors) ++holders[contributor];
    }
    return std::count_if(units.begin(), units.end(), [&](const auto& entry) {
      return std::any_of(entry.second.begin(), entry.second.end(), [&](std::int32_t c) { return holders[c] == 1; });
    });
  }

  const CellChange& change_;
  const Cluster::Level& level_;
  std::map<std::int32_t, Units> held_;                      // by cell
  std::map<std::int32_t, std::set<std::int64_t>> needers_;  // by target tile
};

double seconds_of_crossings(const RunMachine& machine, const CellChange& change) {
  const Cluster cluster(machine);
  if (change.source.contributors == 1) return 0;
  double longest = 0;
  for (const Cluster::Level& level : cluster.levels()) longest = std::max(longest, Crossings(change, level).seconds());
  return longest;
}

std::vector<Unit> units(const RunMachine& machine, std::int64_t devices) {
  const Cluster cluster(machine);
  const std::vector<Cluster::Level>& levels = cluster.levels();
  std::vector<Unit> all{Unit{0, devices, levels[0].unit_devices, levels[0].bandwidth, 0}};
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const bool leaf = l + 1 == levels.size();
    const Cluster::Level& children = levels[leaf ? l : l + 1];
    for (std::int64_t begin = 0; begin < devices; begin += levels[l].unit_devices) {
      const auto unit = static_cast<std::size_t>(begin / levels[l].unit_devices);
      all.push_back(Unit{begin, levels[l].unit_devices, children.unit_devices, leaf ? 0 : children.bandwidth,
                         levels[l].bandwidth_of(unit)});
    }
  }
  return all;
}

}  // namespace

double time_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to) {
  const CellChange change(from, to, Cluster(machine).devices());
  const OutBound out(change);
  double longest = 0;
  for (const Unit& unit : units(machine, change.devices)) {
    base::look_for_stop();
    longest = std::max(longest, UnitBound(change, unit).seconds());
    if (unit.bandwidth > 0) longest = std::max(longest, out.seconds(unit));
  }
  return std::max(longest, seconds_of_crossings(machine, change));
}

}  // namespace tessera::synth
