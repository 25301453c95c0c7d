#include "synth/moves/collective/shared_boxes.hpp"

#include <map>
#include <set>
#include <utility>

#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

namespace {

// Devices that want the same box from the same contributors.
struct WantedBox {
  Box box;
  DeviceListRef contributors;
  std::map<std::size_t, std::int32_t> targets;  // by position
};

class SumCutter {
 public:
  SumCutter(ElementType element, const Seats& seats) : element_(element), seats_(seats) {}

  void cut(const WantedBox& wanted) {
    std::vector<std::int32_t> targets;
    for (const auto& [position, target] : wanted.targets) targets.push_back(target);
    if (each_for_itself(wanted, targets))
      cut_for_each(wanted, targets);
    else
      cut_evenly(wanted, std::make_shared<const std::vector<std::int32_t>>(std::move(targets)));
  }
  std::vector<SharedSum> take() { return std::move(sums_); }

 private:
  int rank(std::int32_t device) const { return seats_(device).rank; }
  // Behind the last of the devices from `begin` on that are on one rank.
  std::size_t end_of_rank(const std::vector<std::int32_t>& devices, std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < devices.size() && rank(devices[end]) == rank(devices[begin])) ++end;
    return end;
  }

  // Between two far devices just as many bytes travel; ranks that share memory read more, which takes less time if it
  // is little.
  bool each_for_itself(const WantedBox& wanted, const std::vector<std::int32_t>& targets) const {
    constexpr std::int64_t kLittleBytes = 16 * 1024;  // read by a rank
    std::set<int> ranks;
    std::set<int> nodes;
    for (const std::int32_t target : targets) {
      const Seat seat = seats_(target);
      ranks.insert(seat.rank);
      nodes.insert(seat.node);
    }
    if (ranks.size() == 1) return false;
    if (nodes.size() == 2 && ranks.size() == 2) return targets.size() == 2 && wanted.contributors->size() == 2;
    const std::int64_t bytes = elements(wanted.box) * bytes_of(element_);
    return nodes.size() == 1 && bytes * std::ssize(*wanted.contributors) <= kLittleBytes;
  }

  void cut_for_each(const WantedBox& wanted, const std::vector<std::int32_t>& targets) {
    for (std::size_t begin = 0; begin < targets.size();) {
      const std::size_t end = end_of_rank(targets, begin);
      const std::span<const std::int32_t> own = std::span(targets).subspan(begin, end - begin);
      sums_.push_back({targets[begin], wanted.box, wanted.contributors,
                       std::make_shared<const std::vector<std::int32_t>>(own.begin(), own.end())});
      begin = end;
    }
  }

  void cut_evenly(const WantedBox& wanted, const DeviceListRef& targets) {
    const std::int64_t count = elements(wanted.box);
    const DirectReduction direct(CollectiveKind::all_reduce, std::ssize(*targets));
    for (std::size_t begin = 0; begin < targets->size();) {
      const std::size_t end = end_of_rank(*targets, begin);
      const Interval stretch{direct.stretch(count, static_cast<std::int64_t>(begin)).begin,
                             direct.stretch(count, static_cast<std::int64_t>(end) - 1).end};
      for (const Box& part : boxes_of_stretch(wanted.box, stretch))
        sums_.push_back({(*targets)[begin], part, wanted.contributors, targets});
      begin = end;
    }
  }

  ElementType element_;
  const Seats& seats_;
  std::vector<SharedSum> sums_;
};

}  // namespace

std::vector<SharedSum> shared_sums(const ArrayType& from, const ArrayType& to, const Seats& seats) {
  std::map<std::pair<std::int32_t, Box>, WantedBox> all;  // by the first contributor and the box
  for (const BoxReduction& reduction : reductions(from, to)) {
    if (empty(reduction.box)) continue;
    WantedBox& wanted = all[{reduction.contributors->front(), reduction.box}];
    wanted.box = reduction.box;
    wanted.contributors = reduction.contributors;
    wanted.targets.emplace(reduction.position, reduction.target);
  }
  SumCutter cutter(to.element(), seats);
  for (const auto& [key, wanted] : all) cutter.cut(wanted);
  return cutter.take();
}

std::vector<std::int32_t> receivers(std::span<const FarBox> boxes, const Seats& seats) {
  std::vector<std::int32_t> chosen;
  std::size_t turn = 0;
  const FarBox* last = nullptr;
  for (const FarBox& box : boxes) {
    if (last == nullptr || box.sender != last->sender || box.node != last->node)
      turn = static_cast<std::size_t>(box.sender_place);
    std::vector<std::int32_t> firsts;  // of every rank that wants it, the first device
    for (const std::int32_t device : box.wanted_by) {
      if (firsts.empty() || seats(firsts.back()).rank != seats(device).rank) firsts.push_back(device);
    }
    chosen.push_back(firsts[turn++ % firsts.size()]);
    last = &box;
  }
  return chosen;
}

}  // namespace tessera::synth
