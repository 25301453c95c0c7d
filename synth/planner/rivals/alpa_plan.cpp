// The broadcasts of `alpa` as a plan: sends listed one by one, slot by slot, so that anybody can replay and price them.
//
// Time goes in slots of equal length. A box goes in as many pieces as slots; piece k enters its first receiver in the
// box' slot k, and every receiver passes it on in the next one: from host to host, and inside each from device to
// device. The sends of a slot are a hop of their own, as in listed sends.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"
#include "synth/planner/rivals/alpa.hpp"
#include "synth/planner/rivals/meshes.hpp"
#include "synth/planner/rivals/rivals.hpp"

namespace tessera::synth {

namespace {

using rivals::BroadcastOrder;
using rivals::HostBox;
using rivals::HostsOfRun;

constexpr std::int64_t kPiecesOfLongest = 64;
constexpr std::int64_t kListedBroadcastsMax = 40'000;
// A slot takes so many times the latency of a message at least: finer pieces would wait for messages only.
constexpr double kLatenciesOfSlot = 20;

// When hosts may send and receive again, in slots.
class HostSlots {
 public:
  std::int64_t put(const HostBox& box, std::int32_t sender, std::int64_t pieces) {
    std::int64_t start = sends_[sender];
    for (const std::int32_t host : box.receivers) start = std::max(start, receives_[host]);
    sends_[sender] = start + pieces;
    for (const std::int32_t host : box.receivers) receives_[host] = start + pieces;
    return start;
  }

 private:
  std::map<std::int32_t, std::int64_t> sends_;
  std::map<std::int32_t, std::int64_t> receives_;
};

// Who gets a box from whom, and how many slots after its sender has sent it.
struct ChainLink {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t after = 0;
};

// Through the hosts in turn, the sender's own first; inside a host through its devices.
std::vector<ChainLink> chain_through(const RelayTask& task, const HostsOfRun& hosts, std::int32_t sender_host) {
  std::map<std::int32_t, std::int32_t> holder_on;  // by host
  for (const std::int32_t device : task.holders) holder_on.emplace(hosts.of(device), device);
  std::vector<ChainLink> links;
  std::int32_t outside = holder_on.at(sender_host);  // who sends to the next host, and when it has got the piece
  std::int64_t outside_has = 0;
  std::map<std::int32_t, std::pair<std::int32_t, std::int64_t>>
      last_on;  // the last device of a host, and when it has it
  for (const auto& [host, device] : holder_on) last_on[host] = {device, 0};
  for (const std::int32_t device : task.needers) {
    const std::int32_t host = hosts.of(device);
    const auto known = last_on.find(host);
    const bool enters = known == last_on.end();
    const auto [from, has] = enters ? std::pair(outside, outside_has) : known->second;
    links.push_back(ChainLink{from, device, has});
    last_on[host] = {device, has + 1};
    if (enters) {
      outside = device;
      outside_has = has + 1;
    }
  }
  return links;
}

class Broadcasts {
 public:
  Broadcasts(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
             const BroadcastOrder& order)
      : tasks_(tasks), hosts_(cluster), boxes_(rivals::host_boxes(cluster, tasks, element_bytes)), order_(order) {
    double latency = 0;
    for (const Cluster::Level& level : cluster.levels()) latency = std::max(latency, level.latency);
    for (const HostBox& box : boxes_) longest_ = std::max(longest_, box.seconds);
    shortest_slot_ = kLatenciesOfSlot * latency;
  }

  // With boxes in so many pieces at most that there are not too many sends.
  std::vector<BoxSend> sends() const {
    for (std::int64_t pieces = kPiecesOfLongest; pieces > 0; pieces /= 2) {
      std::vector<BoxSend> all = sends_in(std::max(longest_ / static_cast<double>(pieces), shortest_slot_));
      if (!all.empty() && std::ssize(all) <= kListedBroadcastsMax) return all;
    }
    return {};
  }

 private:
  std::vector<BoxSend> sends_in(double slot_seconds) const {
    std::vector<BoxSend> all;
    HostSlots slots;
    for (const std::size_t number : order_.boxes) {
      const RelayTask& task = tasks_[number];
      const auto wanted = static_cast<std::int64_t>(std::ceil(boxes_[number].seconds / slot_seconds));
      const std::int64_t pieces = std::clamp<std::int64_t>(wanted, 1, longest_side(task.box));
      const std::int64_t start = slots.put(boxes_[number], order_.senders[number], pieces);
      const std::vector<ChainLink> links = chain_through(task, hosts_, order_.senders[number]);
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        const Box box = stretch_of(task.box, pieces, piece);
        for (const ChainLink& link : links)
          all.push_back({link.from, link.to, box, static_cast<std::int32_t>(start + piece + link.after), false, {}});
      }
      if (std::ssize(all) > kListedBroadcastsMax) break;
    }
    std::stable_sort(all.begin(), all.end(), [](const BoxSend& a, const BoxSend& b) { return a.hop < b.hop; });
    return all;
  }
  static std::int64_t longest_side(const Box& box) {
    std::int64_t length = 1;
    for (const Interval& interval : box) length = std::max(length, interval.length());
    return length;
  }

  const std::vector<RelayTask>& tasks_;
  HostsOfRun hosts_;
  std::vector<HostBox> boxes_;
  const BroadcastOrder& order_;
  double longest_ = 0;
  double shortest_slot_ = 0;
};

// Slots in which nothing is sent are none.
std::int64_t number_hops(std::vector<BoxSend>& sends) {
  std::int32_t hop = -1;
  std::int32_t slot = -1;
  for (BoxSend& send : sends) {
    if (send.hop != slot) ++hop;
    slot = send.hop;
    send.hop = hop;
  }
  return std::int64_t{hop} + 1;
}

double seconds_of_listed(const Cluster& cluster, const ListedSends& listed, std::int64_t element_bytes) {
  Transfer transfer;
  transfer.hops = listed.hops;
  for (const BoxSend& send : listed.sends) {
    transfer.sends.push_back(
        Send{send.source, send.target, static_cast<std::int32_t>(transfer.pieces.size()), send.hop});
    transfer.pieces.push_back(send.box);
  }
  return TransferCost(cluster, transfer, element_bytes).seconds(1);
}

}  // namespace

ListedSends rivals::broadcasts(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                               const BroadcastOrder& order) {
  ListedSends listed;
  listed.sends = Broadcasts(cluster, tasks, element_bytes, order).sends();
  listed.hops = number_hops(listed.sends);
  return listed;
}

base::Status list_broadcasts(Plan& plan, const RunMachine& machine) {
  const ArrayType* before = &plan.from;
  for (PlanStep& step : plan.steps) {
    if (step.after.mesh() == before->mesh() || step.received_bytes_total == 0) {
      before = &step.after;
      continue;
    }
    const std::vector<RelayTask> tasks = relay_tasks(*before, step.after);
    const std::int64_t element_bytes = bytes_of(plan.to.element());
    const Cluster cluster(machine);
    if (std::max(before->devices(), step.after.devices()) > kExactDevicesMax)
      return base::make(Kind::unsupported, name(Planner::alpa), "a mesh has more than 512 devices");
    const BroadcastOrder order = rivals::best_order(rivals::host_boxes(cluster, tasks, element_bytes));
    ListedSends listed = rivals::broadcasts(cluster, tasks, element_bytes, order);
    if (listed.sends.empty())
      return base::make(Kind::unsupported, name(Planner::alpa), "there are more than 40,000 sends");
    plan.seconds -= step.seconds;
    step.seconds = seconds_of_listed(cluster, listed, element_bytes);
    plan.seconds += step.seconds;
    auto sends = std::make_shared<const ListedSends>(std::move(listed));
    step.collective = with_list(std::move(step.collective), std::move(sends));
    before = &step.after;
  }
  return base::Done{};
}

}  // namespace tessera::synth
