// Boxes with the same holders are one class. A class is a node of a network: the source fills it with its bytes, it
// drains into its holders, and each holder carries what its link carries in the time that is tried. If not all of it
// drains, the children that the rest still reaches are a set that takes longer, and its time is tried next. Times only
// rise, and each is that of a set; so this ends, at the largest.
#include "synth/moves/prices/holder_bound.hpp"
#include "base/stop_scope.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera::synth {

bool within(const Children& inner, const Children& outer) {
  for (std::size_t w = 0; w < inner.size(); ++w) {
    if ((inner[w] & ~outer[w]) != 0) return false;
  }
  return true;
}

std::int64_t count(const Children& children) {
  std::int64_t total = 0;
  for (const std::uint64_t word : children) total += __builtin_popcountll(word);
  return total;
}

namespace {

// Two times that differ by less are one: a flow in doubles is no more exact.
constexpr double kTolerance = 1e-12;

// f(child) for every child in the set, ascending.
template <class F>
void for_each(const Children& set, F&& f) {
  for (std::size_t w = 0; w < set.size(); ++w) {
    for (std::uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
      f(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    }
  }
}

// Boxes with the same holders are one class.
std::vector<HeldBytes> classes_of(std::vector<HeldBytes> boxes) {
  std::erase_if(boxes, [](const HeldBytes& box) { return box.bytes <= 0; });
  const auto by_holders = [](const HeldBytes& a, const HeldBytes& b) { return a.holders < b.holders; };
  if (!std::is_sorted(boxes.begin(), boxes.end(), by_holders)) {
    std::stable_sort(boxes.begin(), boxes.end(), by_holders);
  }
  std::size_t classes = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (classes > 0 && boxes[classes - 1].holders == boxes[i].holders) {
      boxes[classes - 1].bytes += boxes[i].bytes;
    } else {
      if (classes != i) boxes[classes] = std::move(boxes[i]);
      ++classes;
    }
  }
  boxes.resize(classes);
  return boxes;
}

// Seconds that the links out of a set of children, and into the unit, need for data that lies in that set alone.
double seconds_of(const std::vector<HeldBytes>& classes, const Children& set, const UnitLinks& links) {
  const double capacity = static_cast<double>(count(set)) * links.child + links.unit;
  double bytes = 0;
  for (const HeldBytes& next : classes) {
    if (within(next.holders, set)) bytes += next.bytes;
  }
  return capacity > 0 ? bytes / capacity : 0;
}

// The best of the sets that are the holders of a class, of none, and of all that hold anything.
double best_single(const std::vector<HeldBytes>& classes, const UnitLinks& links) {
  Children all(classes.front().holders.size(), 0);
  double best = seconds_of(classes, all, links);
  for (const HeldBytes& next : classes) {
    best = std::max(best, seconds_of(classes, next.holders, links));
    for (std::size_t w = 0; w < all.size(); ++w) all[w] |= next.holders[w];
  }
  return std::max(best, seconds_of(classes, all, links));
}

// Does it fit if each class is dealt evenly to its holders, and as much of each as can be comes from outside? On meshes
// this is nearly always so, and nothing more has to be tried.
bool fits_evenly(const std::vector<HeldBytes>& classes, const UnitLinks& links, double seconds) {
  double held = 0;
  double lacked = 0;
  for (const HeldBytes& next : classes) (count(next.holders) == 0 ? lacked : held) += next.bytes;
  if (held == 0) return true;
  const double inside = 1 - std::clamp((seconds * links.unit - lacked) / held, 0.0, 1.0);
  std::vector<double> loads(classes.front().holders.size() * 64, 0);
  for (const HeldBytes& next : classes) {
    const double share = inside * next.bytes / static_cast<double>(count(next.holders));
    for_each(next.holders, [&](std::size_t child) { loads[child] += share; });
  }
  return *std::max_element(loads.begin(), loads.end()) <= seconds * links.child * (1 + kTolerance);
}

// Classes drain into their holders along shortest ways that have room.
class Drain {
 public:
  Drain(const std::vector<HeldBytes>& classes, double child_bytes)
      : room_(classes.front().holders.size() * 64, child_bytes), fed_by_(room_.size()) {
    for (std::size_t k = 0; k < classes.size(); ++k) {
      std::vector<std::size_t>& members = members_.emplace_back();
      for_each(classes[k].holders, [&](std::size_t child) {
        fed_by_[child].emplace_back(k, members.size());
        members.push_back(child);
      });
      rest_.push_back(members.empty() ? 0 : classes[k].bytes);
      dealt_.emplace_back(members.size(), 0.0);
    }
    smallest_ = kTolerance * child_bytes;
  }

  // Drains what can be drained; the children that what is left still reaches.
  Children run() {
    for (std::size_t child = reach(); child < room_.size(); child = reach()) push(child);
    Children reached = no_children(static_cast<std::int64_t>(room_.size()));
    for (std::size_t child = 0; child < room_.size(); ++child) {
      if (child_from_[child] != kNone) insert(reached, static_cast<std::int64_t>(child));
    }
    return reached;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The nearest child with room that a class with bytes left reaches; where there is none, their number.
  std::size_t reach() {
    base::look_for_stop();
    child_from_.assign(room_.size(), kNone);
    class_from_.assign(members_.size(), kNone);
    std::vector<std::size_t> queue;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (rest_[k] > smallest_) queue.push_back(k);
    }
    std::vector<bool> seen(members_.size(), false);
    for (const std::size_t k : queue) seen[k] = true;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const std::size_t child : members_[queue[at]]) {
        if (child_from_[child] != kNone) continue;
        child_from_[child] = queue[at];
        if (room_[child] > smallest_) return child;
        for (const auto& [k, member] : fed_by_[child]) {
          if (seen[k] || dealt_[k][member] <= smallest_) continue;
          seen[k] = true;
          class_from_[k] = child;
          queue.push_back(k);
        }
      }
    }
    return room_.size();
  }

  double& dealt(std::size_t k, std::size_t child) {
    const auto& members = members_[k];
    const auto at = std::lower_bound(members.begin(), members.end(), child) - members.begin();
    return dealt_[k][static_cast<std::size_t>(at)];
  }

  // Along the way back from the child: each class on it gives what it deals to one child to the next.
  void push(std::size_t last) {
    double most = room_[last];
    std::size_t child = last;
    while (class_from_[child_from_[child]] != kNone) {
      const std::size_t k = child_from_[child];
      child = class_from_[k];
      most = std::min(most, dealt(k, child));
    }
    most = std::min(most, rest_[child_from_[child]]);
    rest_[child_from_[child]] -= most;
    room_[last] -= most;
    for (child = last;; child = class_from_[child_from_[child]]) {
      const std::size_t k = child_from_[child];
      dealt(k, child) += most;
      if (class_from_[k] == kNone) return;
      dealt(k, class_from_[k]) -= most;
    }
  }

  std::vector<std::vector<std::size_t>> members_;                         // of every class
  std::vector<double> room_;                                              // of every child
  std::vector<double> rest_;                                              // of every class
  std::vector<std::vector<double>> dealt_;                                // of every class and member
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> fed_by_;  // classes that a child holds, and its place
  std::vector<std::size_t> child_from_;                                   // the class that reached a child
  std::vector<std::size_t> class_from_;                                   // the child that a class was reached by
  double smallest_ = 0;
};

}  // namespace

double holder_bound(const std::vector<HeldBytes>& boxes, const UnitLinks& links) {
  const std::vector<HeldBytes> classes = classes_of(boxes);
  if (classes.empty()) return 0;
  double seconds = best_single(classes, links);
  while (links.child > 0 && !fits_evenly(classes, links, seconds)) {
    const double longer = seconds_of(classes, Drain(classes, seconds * links.child).run(), links);
    if (longer <= seconds * (1 + kTolerance)) break;
    seconds = longer;
  }
  return seconds;
}

}  // namespace tessera::synth
