#include "synth/planner/rivals/alpa.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/planner/rivals/meshes.hpp"

namespace tessera::synth::rivals {

namespace {

constexpr std::int64_t kNodesMax = 100'000;
constexpr int kDraws = 100;
constexpr std::uint32_t kSeed = 1;

// When the hosts may send and receive again.
class HostTimes {
 public:
  double start_of(const HostBox& box, std::int32_t sender) const {
    double start = at(sends_, sender);
    for (const std::int32_t host : box.receivers) start = std::max(start, at(receives_, host));
    return start;
  }
  double put(const HostBox& box, std::int32_t sender) {
    const double end = start_of(box, sender) + box.seconds;
    sends_[sender] = end;
    for (const std::int32_t host : box.receivers) receives_[host] = end;
    return end;
  }

 private:
  static double at(const std::map<std::int32_t, double>& times, std::int32_t host) {
    const auto found = times.find(host);
    return found == times.end() ? 0 : found->second;
  }
  std::map<std::int32_t, double> sends_;
  std::map<std::int32_t, double> receives_;
};

double seconds_of(const std::vector<HostBox>& boxes, const BroadcastOrder& order) {
  HostTimes times;
  double last = 0;
  for (const std::size_t box : order.boxes) last = std::max(last, times.put(boxes[box], order.senders[box]));
  return last;
}

// The least loaded of the hosts that have each box; the largest boxes first.
std::vector<std::int32_t> balanced_senders(const std::vector<HostBox>& boxes) {
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return boxes[a].seconds > boxes[b].seconds; });
  std::map<std::int32_t, double> loads;
  std::vector<std::int32_t> senders(boxes.size());
  for (const std::size_t box : order) {
    const auto& all = boxes[box].senders;
    const auto lighter = [&](std::int32_t a, std::int32_t b) { return loads[a] < loads[b]; };
    senders[box] = *std::min_element(all.begin(), all.end(), lighter);
    loads[senders[box]] += boxes[box].seconds;
  }
  return senders;
}

// Tries only one of several boxes that are alike at each place of an order.
class DepthFirst {
 public:
  DepthFirst(const std::vector<HostBox>& boxes, BroadcastOrder best)
      : boxes_(boxes), best_(std::move(best)), taken_(boxes.size(), false) {
    now_.senders = best_.senders;
  }
  BroadcastOrder run() {
    descend(HostTimes{}, 0);
    return std::move(best_);
  }

 private:
  void descend(const HostTimes& times, double last) {
    if (++nodes_ > kNodesMax || last >= best_.seconds) return;
    if (now_.boxes.size() == boxes_.size()) {
      best_ = now_;
      best_.seconds = last;
      return;
    }
    base::look_for_stop();
    std::set<std::tuple<std::int32_t, std::vector<std::int32_t>, double>> tried;
    for (const std::size_t box : by_start(times)) {
      if (!tried.emplace(now_.senders[box], boxes_[box].receivers, boxes_[box].seconds).second) continue;
      HostTimes next = times;
      const double end = next.put(boxes_[box], now_.senders[box]);
      taken_[box] = true;
      now_.boxes.push_back(box);
      descend(next, std::max(last, end));
      now_.boxes.pop_back();
      taken_[box] = false;
      if (nodes_ > kNodesMax) return;
    }
  }
  // The boxes that are left, earliest possible start first.
  std::vector<std::size_t> by_start(const HostTimes& times) const {
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t box = 0; box < boxes_.size(); ++box) {
      if (!taken_[box]) all.emplace_back(times.start_of(boxes_[box], now_.senders[box]), box);
    }
    std::sort(all.begin(), all.end());
    std::vector<std::size_t> order;
    for (const auto& [start, box] : all) order.push_back(box);
    return order;
  }

  const std::vector<HostBox>& boxes_;
  BroadcastOrder best_;
  BroadcastOrder now_;
  std::vector<bool> taken_;
  std::int64_t nodes_ = 0;
};

// Boxes that can go at once, and what hosts have left to do beside them.
struct ConcurrentSet {
  std::vector<std::size_t> boxes;
  std::vector<std::int32_t> senders;
  double spread = 0;
};

class Greedy {
 public:
  explicit Greedy(const std::vector<HostBox>& boxes) : boxes_(boxes) {
    for (std::size_t box = 0; box < boxes.size(); ++box) left_.push_back(box);
  }
  BroadcastOrder run() {
    BroadcastOrder order;
    order.senders.resize(boxes_.size());
    while (!left_.empty()) {
      ConcurrentSet best;
      for (int i = 0; i < kDraws; ++i) {
        base::look_for_stop();
        ConcurrentSet drawn = draw();
        const bool more = drawn.boxes.size() > best.boxes.size();
        const bool flatter = drawn.boxes.size() == best.boxes.size() && drawn.spread < best.spread;
        if (more || flatter) best = std::move(drawn);
      }
      for (std::size_t i = 0; i < best.boxes.size(); ++i) {
        order.boxes.push_back(best.boxes[i]);
        order.senders[best.boxes[i]] = best.senders[i];
        std::erase(left_, best.boxes[i]);
      }
    }
    order.seconds = seconds_of(boxes_, order);
    return order;
  }

 private:
  ConcurrentSet draw() {
    std::vector<std::size_t> shuffled = left_;
    for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random_() % i]);
    std::set<std::int32_t> sending;
    std::set<std::int32_t> receiving;
    ConcurrentSet drawn;
    for (const std::size_t box : shuffled) {
      const HostBox& of = boxes_[box];
      const auto is_free = [&](std::int32_t host) { return sending.count(host) == 0; };
      const auto sender = std::find_if(of.senders.begin(), of.senders.end(), is_free);
      const bool can_receive = std::none_of(of.receivers.begin(), of.receivers.end(),
                                            [&](std::int32_t host) { return receiving.count(host) > 0; });
      if (sender == of.senders.end() || !can_receive) continue;
      sending.insert(*sender);
      receiving.insert(of.receivers.begin(), of.receivers.end());
      drawn.boxes.push_back(box);
      drawn.senders.push_back(*sender);
    }
    drawn.spread = spread_without(drawn.boxes);
    return drawn;
  }
  // The spread of what hosts still have to receive, and to send if all that have a box share it.
  double spread_without(const std::vector<std::size_t>& gone) const {
    std::map<std::int32_t, double> loads;
    for (const std::size_t box : left_) {
      if (std::find(gone.begin(), gone.end(), box) != gone.end()) continue;
      for (const std::int32_t host : boxes_[box].receivers) loads[host] += boxes_[box].seconds;
      for (const std::int32_t host : boxes_[box].senders)
        loads[host] += boxes_[box].seconds / static_cast<double>(boxes_[box].senders.size());
    }
    double most = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [host, load] : loads) {
      most = std::max(most, load);
      least = std::min(least, load);
    }
    return loads.empty() ? 0 : most - least;
  }

  const std::vector<HostBox>& boxes_;
  std::vector<std::size_t> left_;
  std::mt19937 random_{kSeed};
};

}  // namespace

std::vector<HostBox> host_boxes(const Cluster& cluster, const std::vector<RelayTask>& tasks,
                                std::int64_t element_bytes) {
  const HostsOfRun hosts(cluster);
  const auto hosts_of = [&](const std::vector<std::int32_t>& devices) {
    std::vector<std::int32_t> all;
    for (const std::int32_t device : devices) {
      if (all.empty() || all.back() != hosts.of(device)) all.push_back(hosts.of(device));
    }
    return all;
  };
  std::vector<HostBox> boxes;
  for (const RelayTask& task : tasks) {
    HostBox box{hosts_of(task.holders), hosts_of(task.needers), 0};
    // A host that has the box spreads it itself.
    std::erase_if(box.receivers,
                  [&](std::int32_t host) { return std::binary_search(box.senders.begin(), box.senders.end(), host); });
    double slowest = cluster.levels().back().bandwidth;
    for (const std::int32_t needer : task.needers) {
      if (box.receivers.empty()) break;  // it stays on its hosts
      for (std::size_t l = cluster.parting(task.holders.front(), needer); l < cluster.levels().size(); ++l)
        slowest = std::min(slowest, cluster.levels()[l].bandwidth);
    }
    box.seconds = static_cast<double>(elements(task.box) * element_bytes) / slowest;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

BroadcastOrder as_they_come(const std::vector<HostBox>& boxes, bool balanced) {
  BroadcastOrder order;
  order.boxes.resize(boxes.size());
  std::iota(order.boxes.begin(), order.boxes.end(), std::size_t{0});
  if (balanced) {
    order.senders = balanced_senders(boxes);
  } else {
    for (const HostBox& box : boxes) order.senders.push_back(box.senders.front());
  }
  order.seconds = seconds_of(boxes, order);
  return order;
}

BroadcastOrder greedy_order(const std::vector<HostBox>& boxes) { return Greedy(boxes).run(); }

BroadcastOrder best_order(const std::vector<HostBox>& boxes) {
  BroadcastOrder best = as_they_come(boxes, true);
  BroadcastOrder greedy = greedy_order(boxes);
  if (greedy.seconds < best.seconds) best = std::move(greedy);
  return DepthFirst(boxes, std::move(best)).run();
}

}  // namespace tessera::synth::rivals
