#include "synth/moves/prices/tasks_bound.hpp"

#include <algorithm>
#include <map>

#include "synth/moves/prices/holder_bound.hpp"

namespace tessera::synth {

namespace {

// The bytes that must cross the links of one level, unit by unit.
class LevelBound {
 public:
  LevelBound(const Cluster& cluster, std::size_t level) : cluster_(cluster), level_(level) {
    in_.assign(links().units, 0);
    out_.assign(links().units, 0);
  }

  void add(const RelayTask& task) {
    const double bytes = static_cast<double>(elements(task.box) * task.arrays);
    const std::vector<std::int64_t> holders = units_of(task.holders);
    const std::vector<std::int64_t> needers = units_of(task.needers);
    const auto holds = [&](std::int64_t unit) { return std::binary_search(holders.begin(), holders.end(), unit); };
    std::map<std::int64_t, bool> lacked;  // by the unit outside: does a child of it lack the box?
    for (const std::int64_t unit : needers) {
      if (!holds(unit)) in_[index(unit)] += bytes;
      bool& lacks = lacked[outside(unit)];
      lacks = lacks || !holds(unit);
    }
    const bool leaves = std::any_of(needers.begin(), needers.end(), [&](std::int64_t unit) { return !holds(unit); });
    if (holders.size() == 1 && leaves) out_[index(holders.front())] += bytes;
    for (const auto& [unit, lacks] : lacked) {
      if (lacks) held_[unit].push_back(HeldBytes{children_of(unit, holders), bytes});
    }
  }

  double seconds() const {
    double longest = 0;
    for (const auto* lanes : {&in_, &out_}) {
      for (std::size_t unit = 0; unit < lanes->size(); ++unit)
        longest = std::max(longest, (*lanes)[unit] / links().bandwidth_of(unit));
    }
    for (const auto& [unit, boxes] : held_) {
      const double outer = level_ == 0 ? 0 : cluster_.levels()[level_ - 1].bandwidth_of(index(unit));
      longest = std::max(longest, holder_bound(boxes, UnitLinks{links().bandwidth, outer}));
    }
    return longest;
  }

 private:
  static std::size_t index(std::int64_t unit) { return static_cast<std::size_t>(unit); }
  const Cluster::Level& links() const { return cluster_.levels()[level_]; }
  // How many of the level's units are in one of the level outside it.
  std::int64_t siblings() const {
    const std::int64_t outer =
        level_ == 0 ? cluster_.devices() : static_cast<std::int64_t>(cluster_.levels()[level_ - 1].unit_devices);
    return outer / static_cast<std::int64_t>(links().unit_devices);
  }
  std::int64_t outside(std::int64_t unit) const { return unit / siblings(); }

  std::vector<std::int64_t> units_of(const std::vector<std::int32_t>& devices) const {
    std::vector<std::int64_t> units;
    for (const std::int32_t device : devices) {
      const std::int64_t unit = device / static_cast<std::int64_t>(links().unit_devices);
      if (units.empty() || units.back() != unit) units.push_back(unit);
    }
    return units;
  }
  // The units that are in this one of the level outside.
  Children children_of(std::int64_t outer, const std::vector<std::int64_t>& units) const {
    Children children = no_children(siblings());
    for (const std::int64_t unit : units) {
      if (outside(unit) == outer) insert(children, unit % siblings());
    }
    return children;
  }

  const Cluster& cluster_;
  std::size_t level_;
  std::vector<double> in_;  // bytes, of every unit
  std::vector<double> out_;
  std::map<std::int64_t, std::vector<HeldBytes>> held_;  // by the unit of the level outside
};

}  // namespace

double tasks_bound(const Cluster& cluster, const std::vector<RelayTask>& tasks) {
  double longest = 0;
  for (std::size_t level = 0; level < cluster.levels().size(); ++level) {
    LevelBound bound(cluster, level);
    for (const RelayTask& task : tasks) bound.add(task);
    longest = std::max(longest, bound.seconds());
  }
  return longest;
}

}  // namespace tessera::synth
