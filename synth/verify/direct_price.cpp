// The price of a sum in which every device receives from all others of its group: in a reduce_scatter the others' parts
// of its tile; in an all_reduce those of its even share of the tile, and then the shares that the others have added up.
#include <algorithm>
#include <numeric>

#include "base/stop_scope.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

// The devices of a sum: which group each is in, by its leader, and how many elements it adds up.
struct Adders {
  Adders(const State& before, const Collective& step, const Holdings& after)
      : gives_sums(std::holds_alternative<AllReduce>(step.effect)),
        size(product_of_sizes(axes_of(step))),
        leader(group_leaders(before.type.mesh(), axes_of(step))) {
    const Numbers place = places(before.type.mesh(), axes_of(step));
    for (std::size_t device = 0; device < leader.size(); ++device) {
      const std::int64_t elements = after.elements(static_cast<std::int64_t>(device));
      owned.push_back(gives_sums
                          ? part_begin(elements, size, place[device] + 1) - part_begin(elements, size, place[device])
                          : elements);
    }
  }

  bool gives_sums;
  std::int64_t size;
  Numbers leader;
  Numbers owned;
};

// The elements that all members of a group add up, and the number of members that add up any; by leader.
struct Totals {
  explicit Totals(const Adders& adders) : owned(adders.leader.size(), 0), owners(owned) {
    for (std::size_t device = 0; device < adders.leader.size(); ++device) {
      const auto leader = static_cast<std::size_t>(adders.leader[device]);
      owned[leader] += adders.owned[device];
      owners[leader] += adders.owned[device] > 0 ? 1 : 0;
    }
  }
  Numbers owned;
  Numbers owners;
};

class GroupCount {
 public:
  GroupCount(const Adders& adders, const Holdings& after, const RunMachine& machine, std::int64_t element_bytes)
      : adders_(adders), totals_(adders), after_(after), slot_(machine), element_bytes_(element_bytes) {}

  double seconds() {
    Numbers by_group(adders_.leader.size());
    std::iota(by_group.begin(), by_group.end(), std::int64_t{0});
    std::stable_sort(by_group.begin(), by_group.end(),
                     [&](std::int64_t a, std::int64_t b) { return leader(a) < leader(b); });
    for (std::size_t level = 0; level < slot_.levels(); ++level) {
      for (const std::int64_t device : by_group) add_all_of(device, level);
      for (auto first = by_group.begin(); first != by_group.end();) {
        const auto is_elsewhere = [&](std::int64_t device) {
          return leader(device) != leader(*first) || unit(device, level) != unit(*first, level);
        };
        const auto last = std::find_if(first, by_group.end(), is_elsewhere);
        take_inner(Numbers(first, last), level);
        first = last;
      }
    }
    for (const std::int64_t device : by_group) count_peers(device);
    return slot_.seconds();
  }

 private:
  std::size_t leader(std::int64_t device) const {
    return static_cast<std::size_t>(adders_.leader[static_cast<std::size_t>(device)]);
  }
  std::int64_t owned(std::int64_t device) const { return adders_.owned[static_cast<std::size_t>(device)]; }
  std::int64_t unit(std::int64_t device, std::size_t level) const {
    return slot_.unit(level, after_.ids[static_cast<std::size_t>(device)]);
  }

  // All that a device gets and sends, as if nobody else were in its unit.
  void add_all_of(std::int64_t device, std::size_t level) {
    const std::int64_t to_others = owned(device) * (adders_.size - 1);
    const std::int64_t of_others = totals_.owned[leader(device)] - owned(device);
    const std::int64_t in = to_others + (adders_.gives_sums ? of_others : 0);
    const std::int64_t out = of_others + (adders_.gives_sums ? to_others : 0);
    slot_.add_link(level, unit(device, level), in * element_bytes_, out * element_bytes_);
  }

  // Members of one group in one unit: their messages to one another do not cross its link.
  void take_inner(const Numbers& members, std::size_t level) {
    std::int64_t inner = 0;
    for (const std::int64_t device : members) inner += owned(device) * (std::ssize(members) - 1);
    if (adders_.gives_sums) inner *= 2;
    slot_.add_link(level, unit(members.front(), level), -inner * element_bytes_, -inner * element_bytes_);
  }

  void count_peers(std::int64_t device) {
    const bool owns = owned(device) > 0;
    const std::int64_t owners = totals_.owners[leader(device)] - (owns ? 1 : 0);  // others
    slot_.add_peers(owners);  // send sums, or are sent parts of them
    if (owns) slot_.add_peers(adders_.size - 1);
  }

  const Adders& adders_;
  Totals totals_;
  const Holdings& after_;
  SlotPrice slot_;
  std::int64_t element_bytes_;
};

}  // namespace

double seconds_by_groups(const State& before, const Collective& step, const Holdings& after,
                         const RunMachine& machine) {
  const Adders adders(before, step, after);
  return GroupCount(adders, after, machine, bytes_of(before.type.element())).seconds();
}

double seconds_by_pairs(const State& before, const Collective& step, const Holdings& after, const RunMachine& machine) {
  const Adders adders(before, step, after);
  const std::int64_t element_bytes = bytes_of(before.type.element());
  std::vector<Numbers> members(adders.leader.size());  // of every leader
  for (std::size_t device = 0; device < members.size(); ++device)
    members[static_cast<std::size_t>(adders.leader[device])].push_back(static_cast<std::int64_t>(device));
  SlotPrice slot(machine);
  for (std::size_t to = 0; to < members.size(); ++to) {
    base::look_for_stop();
    for (const std::int64_t from : members[static_cast<std::size_t>(adders.leader[to])]) {
      const std::int64_t sums = adders.gives_sums ? adders.owned[static_cast<std::size_t>(from)] : 0;
      slot.add(after.ids[static_cast<std::size_t>(from)], after.ids[to], (adders.owned[to] + sums) * element_bytes);
    }
  }
  return slot.seconds();
}

double seconds_of_reduction(const State& before, const Collective& step, const Holdings& after,
                            const RunMachine& machine) {
  return after.devices() <= kExplicitDevicesMax ? seconds_by_pairs(before, step, after, machine)
                                                : seconds_by_groups(before, step, after, machine);
}

}  // namespace tessera::synth::verifier
