// A box in which a tile of the source and one of the target meet is held by some devices (each part of its sums) and
// needed by others. For a unit of the machine boxes are told apart only by which of its children hold and need them.
//
// A set X of a unit's children has to send, or the unit has to be sent, every box that a child needs and does not hold
// and whose holders in the unit all lie in X. The largest time over all X is found by feeding every kind of box into
// the links that may carry its first copy, in a time that is tried: where something does not fit, the children that it
// could still have used are a set that takes longer.
#include "synth/verify/bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/sorted.hpp"
#include "base/stop_scope.hpp"
#include "synth/verify/price.hpp"
#include "synth/verify/unit_needs.hpp"

namespace tessera::synth::verifier {

namespace {

// Boxes with the same holders among a unit's children, of which some child that needs them has none.
class FirstCopies {
 public:
  FirstCopies(const Unit& unit, const Change& change) : unit_(unit) {
    std::map<ChildSet, double> bytes;
    for_each_need(unit, change, [&](const Need& need) {
      const ChildSet& holders = need.parts->front();
      if (!within(*need.needers, holders)) bytes[holders] += need.bytes;
    });
    for (const auto& [holders, sum] : bytes) kinds_.push_back({holders, sum});
  }

  double seconds() const {
    if (kinds_.empty()) return 0;
    ChildSet any = unit_.none();
    double longest = seconds_of(any);
    for (const Kind& kind : kinds_) {
      longest = std::max(longest, seconds_of(kind.holders));
      for (std::size_t w = 0; w < any.size(); ++w) any[w] |= kind.holders[w];
    }
    longest = std::max(longest, seconds_of(any));
    while (unit_.child_bandwidth > 0) {
      const double longer = seconds_of(Feed(*this, longest).left_over());
      if (longer <= longest * (1 + kSame)) return longest;
      longest = longer;
    }
    return longest;
  }

 private:
  static constexpr double kSame = 1e-12;
  struct Kind {
    ChildSet holders;
    double bytes;
  };

  double seconds_of(const ChildSet& senders) const {
    const double capacity = unit_.capacity(senders);
    double bytes = 0;
    for (const Kind& kind : kinds_) {
      if (within(kind.holders, senders)) bytes += kind.bytes;
    }
    return capacity > 0 ? bytes / capacity : 0;
  }

  // Kinds of boxes dealt to links, in a time: each link of a holder, and the unit's own, which may carry any.
  class Feed {
   public:
    Feed(const FirstCopies& all, double seconds)
        : kinds_(all.kinds_),
          outside_(static_cast<std::size_t>(all.unit_.children)),
          room_(outside_, seconds * all.unit_.child_bandwidth),
          dealt_(kinds_.size(), std::vector<double>(outside_ + 1, 0)) {
      room_.push_back(seconds * all.unit_.bandwidth);
      smallest_ = kSame * seconds * all.unit_.child_bandwidth;
      for (const Kind& kind : kinds_) rest_.push_back(kind.bytes);
      deal_evenly();
    }

    // The children that what does not fit could still have used; where everything fits, none.
    ChildSet left_over() {
      while (push()) continue;
      ChildSet used((outside_ + 63) / 64, 0);
      for (std::size_t link = 0; link < outside_; ++link) {
        if (came_from_[link] != kNever) put(used, link);
      }
      return used;
    }

   private:
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

    bool may_use(std::size_t kind, std::size_t link) const {
      return link == outside_ || has(kinds_[kind].holders, link);
    }

    // A first attempt, of which little has to be taken back.
    void deal_evenly() {
      for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        const std::int64_t holders = size(kinds_[kind].holders);
        for (std::size_t link = 0; link <= outside_; ++link) {
          if (!may_use(kind, link)) continue;
          const double even = link == outside_ ? rest_[kind] : kinds_[kind].bytes / static_cast<double>(holders);
          give(kind, link, std::min({even, room_[link], rest_[kind]}));
        }
      }
    }
    void give(std::size_t kind, std::size_t link, double bytes) {
      dealt_[kind][link] += bytes;
      room_[link] -= bytes;
      rest_[kind] -= bytes;
    }

    // Looks for a link with room that a kind with bytes left can come to, perhaps by moving others on; false without.
    bool push() {
      base::look_for_stop();
      came_from_.assign(room_.size(), kNever);
      std::vector<std::size_t> moved_from(kinds_.size(), kNever);
      std::vector<std::size_t> queue;
      std::vector<bool> seen(kinds_.size(), false);
      for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        seen[kind] = rest_[kind] > smallest_;
        if (seen[kind]) queue.push_back(kind);
      }
      for (std::size_t at = 0; at < queue.size(); ++at) {
        for (std::size_t link = 0; link < room_.size(); ++link) {
          if (came_from_[link] != kNever || !may_use(queue[at], link)) continue;
          came_from_[link] = queue[at];
          if (room_[link] > smallest_) {
            move_along(link, moved_from);
            return true;
          }
          for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
            if (seen[kind] || dealt_[kind][link] <= smallest_) continue;
            seen[kind] = true;
            moved_from[kind] = link;
            queue.push_back(kind);
          }
        }
      }
      return false;
    }

    void move_along(std::size_t last, const std::vector<std::size_t>& moved_from) {
      double bytes = room_[last];
      std::size_t link = last;
      for (; moved_from[came_from_[link]] != kNever; link = moved_from[came_from_[link]])
        bytes = std::min(bytes, dealt_[came_from_[link]][moved_from[came_from_[link]]]);
      bytes = std::min(bytes, rest_[came_from_[link]]);
      rest_[came_from_[link]] -= bytes;
      room_[last] -= bytes;
      for (link = last;; link = moved_from[came_from_[link]]) {
        const std::size_t kind = came_from_[link];
        dealt_[kind][link] += bytes;
        if (moved_from[kind] == kNever) return;
        dealt_[kind][moved_from[kind]] -= bytes;
      }
    }

    const std::vector<Kind>& kinds_;
    std::size_t outside_;  // the number of the unit's own link
    std::vector<double> room_;
    std::vector<double> rest_;
    std::vector<std::vector<double>> dealt_;
    std::vector<std::size_t> came_from_;  // the kind that a link was found for
    double smallest_ = 0;
  };

  const Unit& unit_;
  std::vector<Kind> kinds_;
};

// Each part of a sum has to leave those who hold it, but on the way two may become one. Only sets that hold all of some
// part count.
double seconds_of_sums(const Unit& unit, const Change& change) {
  std::set<ChildSet> candidates{unit.none()};
  std::map<std::pair<std::vector<ChildSet>, ChildSet>, double> kinds;  // bytes by holders and needers
  for_each_need(unit, change, [&](const Need& need) {
    candidates.insert(need.parts->begin(), need.parts->end());
    kinds[{*need.parts, *need.needers}] += need.bytes;
  });
  double longest = 0;
  for (const ChildSet& senders : candidates) {
    base::look_for_stop();
    double bytes = 0;
    for (const auto& [kind, more] : kinds) {
      const auto& [parts, needers] = kind;
      const bool sends =
          std::any_of(parts.begin(), parts.end(), [&](const ChildSet& part) { return within(part, senders); });
      if (sends && !within(needers, senders)) bytes += more;
    }
    const double capacity = unit.capacity(senders);
    if (capacity > 0) longest = std::max(longest, bytes / capacity);
  }
  return longest;
}

// Seconds for the elements that only the unit holds and a device outside needs.
double seconds_out(const Unit& unit, const Change& change) {
  if (unit.bandwidth == 0) return 0;
  std::vector<std::size_t> only_here;  // target tiles
  for (const std::size_t t : unit.tiles(change.target)) {
    if (unit.has_all(change.target.owners[t].front())) only_here.push_back(t);
  }
  double bytes = 0;
  for (const std::size_t s : unit.tiles(change.source)) {
    const auto& parts = change.source.owners[s];
    if (std::none_of(parts.begin(), parts.end(), [&](const Numbers& owners) { return unit.has_all(owners); })) continue;
    bytes += change.source_bytes(s);
    for (const std::size_t t : only_here) bytes -= change.shared(s, t);
  }
  return bytes / unit.bandwidth;
}

// The fewest crossings of one element of a box from unit to unit. It is made of parts, each of which some units hold,
// and some units need it. Parts of several units come together first, then their sum spreads; a unit that has all parts
// needs no other.
std::int64_t least_crossings(const std::vector<Numbers>& parts, const Numbers& needers, std::int64_t unit_devices) {
  std::map<std::int64_t, std::set<std::size_t>> parts_in;  // by unit
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const std::int64_t device : parts[part]) parts_in[device / unit_devices].insert(part);
  }
  std::set<std::int64_t> wanted;
  for (const std::int64_t device : needers) wanted.insert(device / unit_devices);
  std::size_t most = 0;
  for (const auto& [unit, in] : parts_in) most = std::max(most, in.size());
  std::int64_t without_all = 0;
  std::int64_t without_any = 0;
  for (const std::int64_t unit : wanted) {
    const auto in = parts_in.find(unit);
    without_any += in == parts_in.end() ? 1 : 0;
    without_all += in == parts_in.end() || in->second.size() < parts.size() ? 1 : 0;
  }
  if (most == parts.size()) return without_all;
  // A unit that alone holds a part belongs to every set of units that covers all parts.
  std::vector<std::int64_t> only_in;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::int64_t first = parts[part].front() / unit_devices;
    if (first == parts[part].back() / unit_devices) only_in.push_back(first);
  }
  base::keep_one_of_each(only_in);
  const auto by_size = static_cast<std::int64_t>((parts.size() + most - 1) / most);
  const std::int64_t units = std::max(by_size, std::ssize(only_in));
  const bool nobody_contributes = without_any == std::ssize(wanted);
  return units - 1 + std::ssize(wanted) - 1 + (nobody_contributes ? 1 : 0);
}

// All that crosses, over all links of a level.
double seconds_of_crossings(const Change& change, const RunMachine& machine, std::int64_t devices) {
  double longest = 0;
  std::int64_t unit_devices = devices;
  for (const MachineLevel& level : machine.levels) {
    unit_devices /= level.count;
    double bytes = 0;
    for (std::size_t s = 0; s < change.source.owners.size(); ++s) {
      base::look_for_stop();
      for (std::size_t t = 0; t < change.target.owners.size(); ++t) {
        const double shared = change.shared(s, t);
        if (shared == 0) continue;
        bytes += shared * static_cast<double>(
                              least_crossings(change.source.owners[s], change.target.owners[t].front(), unit_devices));
      }
    }
    double capacity = 0;
    for (std::int64_t unit = 0; unit < devices / unit_devices; ++unit)
      capacity += link_bandwidth(level, static_cast<std::size_t>(unit));
    longest = std::max(longest, bytes / capacity);
  }
  return longest;
}

// The machine, then every unit of every level.
std::vector<Unit> units_of(const RunMachine& machine, std::int64_t devices) {
  std::vector<Unit> units;
  std::int64_t unit_devices = devices;
  for (std::size_t level = 0; level <= machine.levels.size(); ++level) {
    const bool is_device = level == machine.levels.size();
    for (std::int64_t begin = 0; begin < devices; begin += unit_devices) {
      const auto unit = static_cast<std::size_t>(begin / unit_devices);
      const double bandwidth = level == 0 ? 0 : link_bandwidth(machine.levels[level - 1], unit);
      units.push_back({begin, unit_devices, is_device ? 1 : machine.levels[level].count,
                       is_device ? 0 : machine.levels[level].bandwidth_bytes_per_second, bandwidth});
    }
    if (is_device) break;
    unit_devices /= machine.levels[level].count;
  }
  return units;
}

double most_missing(const Holdings& from, const Holdings& to, std::int64_t element_bytes) {
  std::int64_t most = 0;
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    const std::int64_t held = from.contributors == 1 ? held_elements(from, to, device) : 0;
    most = std::max(most, to.elements(device) - held);
  }
  return static_cast<double>(most * element_bytes);
}

}  // namespace

double least_seconds(const Holdings& from, const Holdings& to, const RunMachine& machine, std::int64_t element_bytes) {
  if (to.contributors > 1) return 0;
  if (std::max(from.devices(), to.devices()) > kExplicitDevicesMax)
    return most_missing(from, to, element_bytes) / machine.levels.back().bandwidth_bytes_per_second;
  const std::int64_t devices = devices_of(machine);
  const Change change{Tiles(from, devices), Tiles(to, devices), static_cast<double>(element_bytes)};
  double longest = 0;
  for (const Unit& unit : units_of(machine, devices)) {
    const bool is_copy = from.contributors == 1;
    longest = std::max(longest, is_copy ? FirstCopies(unit, change).seconds() : seconds_of_sums(unit, change));
    longest = std::max(longest, seconds_out(unit, change));
  }
  if (from.contributors > 1) longest = std::max(longest, seconds_of_crossings(change, machine, devices));
  return longest;
}

}  // namespace tessera::synth::verifier
