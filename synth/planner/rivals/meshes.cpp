#include "synth/planner/rivals/meshes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace rivals {

namespace {

// More sends than these are not listed one by one.
constexpr std::int64_t kSendsOfMeshesMax = 400'000;

// Chooses among the devices that have a box the one that sends least so far.
class BalancedSenders {
 public:
  std::int32_t choose(const std::vector<std::int32_t>& holders, std::int64_t bytes) {
    const auto lighter = [&](std::int32_t a, std::int32_t b) { return sent_[a] < sent_[b]; };
    const std::int32_t sender = *std::min_element(holders.begin(), holders.end(), lighter);
    sent_[sender] += bytes;
    return sender;
  }

 private:
  std::map<std::int32_t, std::int64_t> sent_;
};

// The axes that the target leaves unused, and a dimension that they can cut: evenly if there is one, else the longest.
struct FurtherCut {
  AxisList axes;
  std::size_t dimension = 0;
  bool even = false;
};

FurtherCut further_cut(const ArrayType& to) {
  FurtherCut cut{unused(to.mesh(), to.layout().splits())};
  const std::int64_t size = shard_count(cut.axes);
  std::int64_t longest = -1;
  for (std::size_t d = 0; d < to.rank() && !cut.even; ++d) {
    const std::int64_t parts = shard_count(to.layout().split(d)) * size;
    cut.even = to.shape()[d] % parts == 0 && to.shape()[d] > 0 && cuts(to, d).fill_every_tile();
    const std::int64_t length = cuts(to, d).longest();
    if (!cut.even && length <= longest) continue;
    longest = length;
    cut.dimension = d;
  }
  return cut;
}

// A part of each tile to every device that needs it, and all parts to all of them.
base::Result<Chain> scattered_and_gathered(const ArrayType& from, const ArrayType& to, const FurtherCut& cut) {
  std::vector<AxisList> splits = to.layout().splits();
  splits[cut.dimension].insert(splits[cut.dimension].end(), cut.axes.begin(), cut.axes.end());
  TESSERA_TRY(layout, Layout::make(to.mesh(), std::move(splits)));
  TESSERA_TRY(refined, to.with_layout(std::move(layout)));
  TESSERA_TRY(chain, sendrecv_move(from, refined));
  chain.push_back(all_gather_step(cut.axes, cut.dimension));
  return std::move(chain);
}

bool weighs_dimensions(const ArrayType& to) {
  const auto weighted = [](const AxisPart& part) { return part.cut != 0; };
  return std::any_of(to.layout().splits().begin(), to.layout().splits().end(),
                     [&](const AxisList& split) { return std::any_of(split.begin(), split.end(), weighted); });
}

// Does every host need a part of the array that no other needs?
bool hosts_need_different(const ArrayType& to, const HostsOfRun& hosts) {
  const Tiling tiles(to);
  std::map<std::int32_t, std::int32_t> host_of;
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    const std::int32_t host = hosts.of(to.mesh().run_device(device));
    const auto known = host_of.emplace(tiles.tile_of[static_cast<std::size_t>(device)], host).first;
    if (known->second != host) return false;
  }
  return true;
}

}  // namespace

HostsOfRun::HostsOfRun(const Cluster& cluster) {
  const std::vector<std::int64_t> units = cluster.unit_sizes();
  if (!units.empty()) devices_ = static_cast<std::int32_t>(units.front());
  count_ = static_cast<std::size_t>(cluster.devices() / devices_);
}

base::Result<Chain> sendrecv_move(const ArrayType& from, const ArrayType& to) {
  const std::vector<RelayTask> tasks = relay_tasks(from, to);
  if (tasks.empty()) return Chain{exchange_step(to)};
  RelayRecipe recipe;
  BalancedSenders senders;
  std::int64_t sends = 0;
  for (const RelayTask& task : tasks) {
    sends += std::ssize(task.needers);
    if (sends > kSendsOfMeshesMax)
      return base::make(Kind::unsupported, name(Planner::sendrecv), "there are more than 400,000 sends");
    RelayPart part;
    const std::int64_t bytes = elements(task.box) * bytes_of(to.element());
    for (std::size_t i = 0; i < task.needers.size(); ++i) part.sources.push_back(senders.choose(task.holders, bytes));
    recipe.tasks.push_back({std::move(part)});
  }
  return Chain{relay_step(to, std::make_shared<const RelayRecipe>(std::move(recipe)))};
}

base::Result<Chain> localgather_move(const ArrayType& from, const ArrayType& to, const RunMachine& machine) {
  const FurtherCut cut = further_cut(to);
  const HostsOfRun hosts{Cluster(machine)};
  if (cut.axes.empty() || !cut.even || weighs_dimensions(to) || !hosts_need_different(to, hosts))
    return sendrecv_move(from, to);
  return scattered_and_gathered(from, to, cut);
}

base::Result<Chain> globalgather_move(const ArrayType& from, const ArrayType& to) {
  const FurtherCut cut = further_cut(to);
  if (cut.axes.empty() || to.rank() == 0) return sendrecv_move(from, to);
  return scattered_and_gathered(from, to, cut);
}

}  // namespace rivals

base::Result<Chain> meshes_rival_chain(const ArrayType& from, const ArrayType& to, const RunMachine& machine,
                                       Planner planner) {
  if (from.mesh() == to.mesh()) return base::make(Kind::unsupported, name(planner), "both ends are on one mesh");
  const AxisList& sums = from.layout().pending();
  const AxisList& kept = to.layout().pending();
  Chain chain;
  if (!sums.empty()) chain.push_back(all_reduce_step(sums));
  TESSERA_TRY(whole, after_chain(chain, from));
  TESSERA_TRY(layout, Layout::make(to.mesh(), to.layout().splits()));
  TESSERA_TRY(target, to.with_layout(std::move(layout)));
  base::Result<Chain> move = Chain{exchange_step(target)};
  if (planner == Planner::sendrecv) move = rivals::sendrecv_move(whole, target);
  if (planner == Planner::localgather) move = rivals::localgather_move(whole, target, machine);
  if (planner == Planner::globalgather) move = rivals::globalgather_move(whole, target);
  TESSERA_TRY(steps, std::move(move));
  append(chain, steps);
  if (!kept.empty()) chain.push_back(keep_step(kept, to.layout().reduce()));
  return chain;
}

}  // namespace tessera::synth
