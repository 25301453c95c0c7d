// Private to moves: the way of one part of a relay, which goes along the links that are the least busy.
//
// A part goes through the levels from the outermost inward: to each unit that lacks it once, from there to its own.
//
// Example: two nodes of two devices, and a part that device 0 holds and all others need. Device 0 sends it to 1, its
// neighbour, and to 2, which sends it to 3: the link between the nodes carries it once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/scratch.hpp"
#include "synth/layout/cluster/device_links.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

using Devices = std::span<const std::int32_t>;

// How a part goes: who sends it to whom, in order.
struct Hand {
  std::int32_t from = 0;
  std::int32_t to = 0;
};
using Hands = std::vector<Hand>;

// A unit's devices that hold a part, and those that need it.
struct Child {
  Devices holders;
  Devices needers;
};

// More units than these may get a part along trees, each node of which has so many children, in lists that are turned
// by so many places.
constexpr std::size_t kFewReceivers = 8;
constexpr std::size_t kChildren = 2;
constexpr std::size_t kTurns = 4;
// The same cost, added up in another order, is no more than so many times as much.
constexpr double kRounding = 1 + 1e-9;

class Ways {
 public:
  Ways(const Cluster& cluster, double bound, RelayTrees trees)
      : cluster_(cluster),
        links_(cluster),
        bound_(bound),
        trees_(trees),
        out_(cluster.links()),
        in_(cluster.links()),
        seconds_per_byte_(cluster.seconds_per_byte(1)) {}

  // The way of a part of so many bytes; its load is put on the links.
  Hands choose(const RelayTask& task, double bytes, bool may_relieve) {
    bytes_ = bytes;
    may_relieve_ = may_relieve;
    way_.clear();
    scratch_.release();
    cast(0, task.holders, task.needers);
    return way_;
  }
  void take_out(const Hands& way, double bytes) {
    bytes_ = -bytes;
    for (const Hand& hand : way) load(hand.from, hand.to);
  }
  // How much a busy link counts: its time, beside the bound, to the power of 2^doublings.
  void sharpen(int doublings) {
    doublings_ = doublings;
    price_lanes();
  }
  // Links need not be less busy than this.
  void tolerate(double seconds) {
    tolerated_ = seconds;
    price_lanes();
  }
  double busiest() const {
    double most = 0;
    for (std::size_t link = 0; link < out_.size(); ++link)
      most = std::max(most, std::max(out_[link].bytes, in_[link].bytes) * seconds_per_byte_[link]);
    return most;
  }

 private:
  // Lists that are gone when the next part chooses its way.
  using DeviceList = std::pmr::vector<std::int32_t>;
  using Receivers = std::pmr::vector<Devices>;
  using Order = std::pmr::vector<std::size_t>;
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  // The bytes that a link carries one way, and their cost.
  struct Lane {
    double bytes = 0;
    double cost = 0;
  };

  void load(std::int32_t from, std::int32_t to) {
    for (std::size_t l = links_.parting(from, to); l < links_.levels(); ++l) {
      add(out_, links_.link(l, from));
      add(in_, links_.link(l, to));
    }
  }
  void add(std::vector<Lane>& lanes, std::size_t link) {
    lanes[link].bytes += bytes_;
    lanes[link].cost = cost(lanes[link].bytes * seconds_per_byte_[link]);
  }
  void price_lanes() {
    for (std::size_t link = 0; link < out_.size(); ++link) {
      out_[link].cost = cost(out_[link].bytes * seconds_per_byte_[link]);
      in_[link].cost = cost(in_[link].bytes * seconds_per_byte_[link]);
    }
  }
  void hand(std::int32_t from, std::int32_t to) {
    way_.push_back(Hand{from, to});
    load(from, to);
  }

  // f(child) for every unit of the level that has some of these devices, in order.
  template <class F>
  void for_children(std::size_t level, Devices holders, Devices needers, F&& f) const {
    const Cluster::Level& of = cluster_.levels()[level];
    // Takes the devices before `end` off the front.
    const auto before = [](Devices& devices, std::int64_t end) {
      std::size_t count = 0;
      while (count < devices.size() && devices[count] < end) ++count;
      const Devices taken = devices.first(count);
      devices = devices.subspan(count);
      return taken;
    };
    while (!holders.empty() || !needers.empty()) {
      const std::int32_t next = needers.empty()   ? holders.front()
                                : holders.empty() ? needers.front()
                                                  : std::min(holders.front(), needers.front());
      const auto unit = static_cast<std::int64_t>(links_.link(level, next) - of.first_link);
      const std::int64_t end = (unit + 1) * of.unit_devices;
      const Devices held = before(holders, end);
      f(Child{held, before(needers, end)});
    }
  }

  // Among the devices of a unit whose children are those of `level`: all that need the part get it.
  void cast(std::size_t level, Devices holders, Devices needers) {
    if (needers.empty()) return;
    Receivers receivers(scratch_.memory());
    DeviceList senders(holders.begin(), holders.end(), scratch_.memory());
    for_children(level, holders, needers, [&](const Child& child) {
      if (child.needers.empty()) return;
      if (child.holders.empty()) {
        receivers.push_back(child.needers);
      } else if (is_relieved(level, child, holders)) {
        receivers.push_back(child.needers);
        std::erase_if(senders, [&](std::int32_t d) {
          return std::find(child.holders.begin(), child.holders.end(), d) != child.holders.end();
        });
      } else {
        cast(level + 1, child.holders, child.needers);
      }
    });
    if (!receivers.empty()) spread(level, senders, receivers);
  }

  // The cost of a link that is busy for so long. The sum over all links is least when the busiest are least busy.
  double cost(double seconds) const {
    constexpr double kMost = 1e4;
    if (seconds <= tolerated_) return 0;
    double power = std::min(kMost, seconds / bound_);
    for (int i = 0; i < doublings_; ++i) power *= power;
    return power;
  }
  double more_out(std::size_t link, double bytes) const {
    return cost((out_[link].bytes + bytes) * seconds_per_byte_[link]) - out_[link].cost;
  }
  double more_in(std::size_t link) const {
    return cost((in_[link].bytes + bytes_) * seconds_per_byte_[link]) - in_[link].cost;
  }

  struct Choice {
    std::int32_t device = 0;
    double cost = kEndless;
    double load = 0;  // among those that cost as much
  };
  using Entries = std::pmr::vector<Choice>;
  void consider(Choice& best, std::int32_t device, double cost) const {
    const std::size_t link = links_.link(links_.levels() - 1, device);
    const double own = out_[link].bytes;
    if (cost < best.cost || (cost == best.cost && own < best.load)) best = Choice{device, cost, own};
  }

  // Who sends so many bytes more over its links out, from `level` inward. No link costs less for more, so a unit whose
  // own link is too dear is passed over with all its devices.
  Choice sender(std::size_t level, Devices senders, double more) const {
    Choice best;
    std::size_t priced = cluster_.links();
    double outer = 0;
    for (const std::int32_t device : senders) {
      if (const std::size_t link = links_.link(level, device); link != priced) {
        outer = more_out(link, more);
        priced = link;
      }
      double total = outer;
      for (std::size_t l = level + 1; l < links_.levels() && total <= best.cost; ++l)
        total += more_out(links_.link(l, device), more);
      consider(best, device, total);
    }
    return best;
  }

  // Who of those of a unit gets the part first, if it sends it to so many units outside, too. `level` is the unit's. A
  // choice that costs more than `most` may be left out.
  Choice entry(std::size_t level, Devices needers, double copies_outside, double most = kEndless) const {
    Choice best;
    const double outer = more_out(links_.link(level, needers.front()), copies_outside * bytes_);
    if (outer > most) return best;
    const double children = level + 1 < links_.levels() ? neighbours(level + 1, needers.front(), needers) : 0;
    for (const std::int32_t device : needers) {
      double total = outer;
      double copies = copies_outside + children;
      for (std::size_t l = level + 1; l < links_.levels() && total <= best.cost; ++l) {
        if (l > level + 1) copies += neighbours(l, device, needers);
        total += more_out(links_.link(l, device), copies * bytes_);
      }
      consider(best, device, total);
    }
    return best;
  }
  // Other units of the level, in the same unit of the level outside it, that need the part.
  double neighbours(std::size_t level, std::int32_t device, Devices needers) const {
    const std::size_t outside = links_.link(level - 1, device);
    std::size_t units = 0;
    std::size_t last = std::numeric_limits<std::size_t>::max();
    for (const std::int32_t other : needers) {
      if (links_.link(level - 1, other) != outside) continue;
      const std::size_t unit = links_.link(level, other);
      if (unit != last) ++units;
      last = unit;
    }
    return static_cast<double>(units) - 1;
  }

  // The cheapest way for these to receive the part: sent to each, or by way of a hub.
  struct Pattern {
    std::int32_t sender = 0;
    std::size_t hub = 0;
    bool has_hub = false;
    std::int32_t entry = 0;
    double cost = kEndless;
    Order tree = {};  // the receivers in order, those first that pass the part on; empty: no tree
  };
  // `entries`, empty before: who of each receiver gets the part first where it sends it to nobody outside.
  Pattern pattern(std::size_t level, Devices senders, const Receivers& receivers, Entries& entries) const {
    const auto copies = static_cast<double>(receivers.size());
    const Choice direct = sender(level, senders, copies * bytes_);
    double all_entries = 0;
    for (const Devices& receiver : receivers) {
      entries.push_back(entry(level, receiver, 0));
      all_entries += entries.back().cost;
    }
    Pattern best{direct.device, 0, false, 0, direct.cost + all_entries};
    if (best.cost == 0 || receivers.size() == 1) return best;
    const Choice once = sender(level, senders, bytes_);
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const double most = best.cost * kRounding - (once.cost + all_entries - entries[r].cost);
      const Choice hub = entry(level, receivers[r], copies - 1, most);
      const double cost = once.cost + hub.cost + all_entries - entries[r].cost;
      if (cost < best.cost) best = Pattern{once.device, r, true, hub.device, cost};
    }
    if (trees_ == RelayTrees::hubs_and_halves && receivers.size() > kFewReceivers)
      consider_halves(best, once, level, receivers, entries, all_entries);
    return best;
  }

  // Receivers from some place of their list on, every other one of which passes the part on.
  Order half_tree(std::size_t count, std::size_t rotation, std::size_t odd) const {
    Order order(scratch_.memory());
    for (const std::size_t parity : {odd, 1 - odd}) {
      for (std::size_t i = parity; i < count; i += 2) order.push_back((i + rotation) % count);
    }
    return order;
  }
  // The node of the tree's list at `i` sends to those from here on.
  static std::size_t first_child(std::size_t i) { return 1 + kChildren * i; }
  static double children_of(std::size_t i, std::size_t count) {
    return static_cast<double>(std::min(first_child(i + 1), count)) -
           static_cast<double>(std::min(first_child(i), count));
  }

  void consider_halves(Pattern& best, const Choice& once, std::size_t level, const Receivers& receivers,
                       const Entries& entries, double all_entries) const {
    const std::size_t count = receivers.size();
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
      for (const std::size_t odd : {std::size_t{0}, std::size_t{1}}) {
        Order order = half_tree(count, turn * count / kTurns, odd);
        double cost = once.cost + all_entries;
        for (std::size_t i = 0; first_child(i) < count && cost < best.cost; ++i) {
          cost += entry(level, receivers[order[i]], children_of(i, count)).cost - entries[order[i]].cost;
        }
        if (cost < best.cost) best = Pattern{once.device, 0, false, 0, cost, std::move(order)};
      }
    }
  }

  void spread_along(std::size_t level, const Pattern& chosen, const Receivers& receivers) {
    DeviceList got(scratch_.memory());  // by place in the tree's list, the device that got the part
    for (std::size_t i = 0; i < chosen.tree.size(); ++i) {
      const Devices& receiver = receivers[chosen.tree[i]];
      got.push_back(entry(level, receiver, children_of(i, chosen.tree.size())).device);
      enter(level, i == 0 ? chosen.sender : got[(i - 1) / kChildren], got.back(), receiver);
    }
  }

  void spread(std::size_t level, Devices senders, const Receivers& receivers) {
    // They stay as they are while others get the part: no link out of a receiver's unit, or inside it, is used for
    // that.
    Entries entries(scratch_.memory());
    const Pattern chosen = pattern(level, senders, receivers, entries);
    if (!chosen.tree.empty()) return spread_along(level, chosen, receivers);
    std::int32_t from = chosen.sender;
    if (chosen.has_hub) {
      enter(level, from, chosen.entry, receivers[chosen.hub]);
      from = chosen.entry;
    }
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      if (chosen.has_hub && r == chosen.hub) continue;
      enter(level, from, entries[r].device, receivers[r]);
    }
  }

  void enter(std::size_t level, std::int32_t from, std::int32_t to, Devices needers) {
    hand(from, to);
    DeviceList others(scratch_.memory());
    for (const std::int32_t device : needers) {
      if (device != to) others.push_back(device);
    }
    const std::array<std::int32_t, 1> holder = {to};
    cast(level + 1, holder, others);
  }

  // Is it better that a unit which holds the part gets it from outside once more, for those of its devices that need
  // it?
  bool is_relieved(std::size_t level, const Child& child, Devices holders) const {
    if (!may_relieve_ || child.holders.size() == holders.size()) return false;
    Receivers inside(scratch_.memory());
    for_children(level + 1, child.holders, child.needers, [&](const Child& c) {
      if (c.holders.empty()) inside.push_back(c.needers);
    });
    if (inside.empty()) return false;
    Entries entries(scratch_.memory());
    const double by_own = pattern(level + 1, child.holders, inside, entries).cost;
    if (by_own == 0) return false;
    DeviceList others(scratch_.memory());
    std::set_difference(holders.begin(), holders.end(), child.holders.begin(), child.holders.end(),
                        std::back_inserter(others));
    const double by_others = more_in(links_.link(level, child.needers.front())) + sender(level, others, bytes_).cost +
                             entry(level, child.needers, 0).cost;
    return by_others < by_own;
  }

  const Cluster& cluster_;
  DeviceLinks links_;
  double bound_;
  RelayTrees trees_;
  double tolerated_ = 0;
  int doublings_ = 2;
  std::vector<Lane> out_;  // of every link
  std::vector<Lane> in_;
  std::vector<double> seconds_per_byte_;
  double bytes_ = 0;  // of the part that is on its way
  bool may_relieve_ = false;
  Hands way_;
  mutable base::Scratch scratch_;
};

}  // namespace tessera::synth
