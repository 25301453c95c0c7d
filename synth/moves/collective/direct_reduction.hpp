// A reduction that devices of a group carry out directly: every part goes straight to the device that adds it.
//
//   reduce_scatter   each device gets the others' parts of its own tile, and adds them
//   all_reduce       all want the same box. It is cut evenly into a stretch for each device, in row-major order: first
//                    a device gets the others' parts of its stretch and adds them, then the others get the sum
//
// Example: an all_reduce of 10 elements between 4 devices cuts stretches of 2, 3, 2 and 3. Device 0 receives 3 * 2
// elements to add, and then 8 sums.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/moves/collective/collective.hpp"

namespace tessera::synth {

class DirectReduction {
 public:
  // The kind is reduce_scatter or all_reduce.
  DirectReduction(CollectiveKind kind, std::int64_t devices)
      : is_shared_(kind == CollectiveKind::all_reduce), devices_(devices) {}

  std::int64_t hops() const { return is_shared_ ? 2 : 1; }
  // The stretch of a device's target box, in row-major order, that the device at this position adds up.
  Interval stretch(std::int64_t elements, std::int64_t position) const {
    return is_shared_ ? share(elements, devices_, position) : Interval{0, elements};
  }
  // Elements that the device at `receiver` gets from the one at `sender`, to add and as sums.
  std::int64_t sent(std::int64_t elements, std::int64_t receiver, std::int64_t sender) const {
    const std::int64_t added = stretch(elements, receiver).length();
    return is_shared_ ? added + stretch(elements, sender).length() : added;
  }
  // Elements that the device at a position gets from all others.
  std::int64_t received(std::int64_t elements, std::int64_t position) const {
    const std::int64_t added = stretch(elements, position).length();
    return added * (devices_ - 1) + elements - added;
  }

 private:
  bool is_shared_;
  std::int64_t devices_;
};

// The devices of one group, in ascending order, each with the elements that it adds up. A message carries elements that
// its receiver adds up and, in an all_reduce, elements that its sender has added up: two terms, each of which depends
// on one end alone. So the traffic of some members with all others follows from their number and from how much they add
// up, without a look at the pairs, of which a group of 65,536 has over four billion.
//
// Example: in the all_reduce above devices 0 and 1 add up 2 + 3 elements. They send 2 * (10 - 5) elements to be added
// by the two others, and 5 * 2 sums.
class DirectGroup {
 public:
  struct Member {
    std::int32_t device = 0;  // of the run
    std::int64_t added = 0;
  };
  DirectGroup(CollectiveKind kind, std::span<const Member> members);

  std::span<const Member> members() const { return members_; }
  // The elements that `count` members, which add up `added` together, send to all others and get from them.
  std::int64_t sent(std::int64_t count, std::int64_t added) const {
    return count * (added_ - added) + (is_shared_ ? added * (size() - count) : 0);
  }
  std::int64_t received(std::int64_t count, std::int64_t added) const {
    return added * (size() - count) + (is_shared_ ? count * (added_ - added) : 0);
  }
  // f(unit, sent, received) for what the members in each unit exchange with all others; unit_of(device) is a number
  // that does not descend, so that members in one unit stand together.
  template <class UnitOf, class F>
  void walk_units(UnitOf&& unit_of, F&& f) const {
    for (std::size_t i = 0; i < members_.size();) {
      const std::size_t unit = unit_of(members_[i].device);
      std::int64_t count = 0;
      std::int64_t added = 0;
      for (; i < members_.size() && unit_of(members_[i].device) == unit; ++i) {
        ++count;
        added += members_[i].added;
      }
      f(unit, sent(count, added), received(count, added));
    }
  }
  // How many others a member sends something to, and gets something from.
  std::int64_t receivers(const Member& member) const {
    if (member.added == 0) return adders_;
    return (is_shared_ ? size() : adders_) - 1;
  }
  std::int64_t senders(const Member& member) const {
    if (member.added > 0) return size() - 1;
    return is_shared_ ? adders_ : 0;
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(members_.size()); }

  bool is_shared_;
  std::span<const Member> members_;
  std::int64_t added_ = 0;   // by all
  std::int64_t adders_ = 0;  // members that add up anything
};

// All groups of a reduce_scatter or an all_reduce.
class DirectGroups {
 public:
  DirectGroups(CollectiveKind kind, const ArrayType& before, const ArrayType& after,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  std::size_t count() const { return members_.size() / size_; }
  DirectGroup operator[](std::size_t group) const { return {kind_, std::span(members_).subspan(group * size_, size_)}; }

 private:
  CollectiveKind kind_;
  std::size_t size_;
  std::pmr::vector<DirectGroup::Member> members_;  // group by group
};

// Elements begin to end - 1 of a box, in row-major order, as boxes.
std::vector<Box> boxes_of_stretch(const Box& box, Interval stretch);

}  // namespace tessera::synth
