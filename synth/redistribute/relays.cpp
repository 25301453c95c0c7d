// Relays: a change of layout in hops, stretch by stretch, where a plan of steps in turn stays above the bound.
#include "synth/machine/machine.hpp"
#include "synth/machine/time_bound.hpp"
#include "synth/redistribute/chain.hpp"
#include "synth/redistribute/floors.hpp"
#include "synth/transfer/relay_search.hpp"
#include "synth/transfer/transfer_cost.hpp"

namespace tessera::synth {

namespace {

// A plan that takes no more of its bound than this needs no relay.
constexpr double kNearBound = 1.01;
// Few large parts are quickly found and enough where many tasks balance one another; more where they do not.
constexpr std::int64_t kFewSends = 300;
constexpr std::int64_t kManySends = 2000;
// Between two meshes as many as this, where fewer leave the plan further than this from the bound.
constexpr std::int64_t kMostSends = 6000;
constexpr double kFarFromBound = 1.03;
// A search over more sends than this takes longer than planning may.
constexpr std::int64_t kSendsMax = 12'000;

struct Found {
  std::shared_ptr<const RelayRecipe> recipe;
  double seconds = 0;
};

std::optional<Found> relay_of(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                              double bound, const std::vector<std::int32_t>& parts, bool one_mesh) {
  RelayRecipe recipe = find_relay(cluster, tasks, element_bytes, bound, parts,
                                  one_mesh ? RelayTrees::hubs : RelayTrees::hubs_and_halves);
  const auto transfer = transfer_of(tasks, recipe);
  if (!transfer || transfer->sends.empty()) return std::nullopt;
  const TransferCost cost(cluster, *transfer, element_bytes);
  recipe.stretches = one_mesh ? cost.best_stretches() : cost.best_stretches_of_any();
  const double seconds = cost.seconds(recipe.stretches);
  return Found{std::make_shared<const RelayRecipe>(std::move(recipe)), seconds};
}

// The bound of time is not defined for targets with pending axes: there what each device and unit lacks is a floor.
double bound_of(const ArrayType& from, const ArrayType& to, const Machine& machine) {
  return to.layout().pending().empty() ? time_bound(machine, from, to) : Floors(from, to, machine).of_any();
}

std::int64_t least_sends(const std::vector<RelayTask>& tasks) {
  std::int64_t sends = 0;
  for (const RelayTask& task : tasks) sends += static_cast<std::int64_t>(task.needers.size());
  return sends;
}

}  // namespace

std::optional<Chain> relay_move(const ArrayType& from, const ArrayType& to, const Machine& machine, double seconds) {
  const bool one_mesh = from.mesh() == to.mesh();
  if (std::max(from.devices(), to.devices()) > kExactDevicesMax) return std::nullopt;
  if (from.mesh().has_devices_of(to.mesh()) && machine.levels.size() < 2) return std::nullopt;
  const double bound = bound_of(from, to, machine);
  if (seconds <= kNearBound * bound) return std::nullopt;
  if (copies(from) == 1 && copies(to) == 1) return std::nullopt;  // nobody can do anything for anybody
  const Cluster cluster(machine);
  const std::vector<RelayTask> tasks = relay_tasks(from, to);
  if (tasks.empty() || least_sends(tasks) > kSendsMax) return std::nullopt;
  const std::int64_t element_bytes = bytes_of(to.element());
  std::optional<Found> best;
  std::vector<std::int32_t> tried;
  for (const std::int64_t sends : {kFewSends, kManySends, kMostSends}) {
    const bool is_far = !one_mesh && (!best || best->seconds > kFarFromBound * bound);
    if (sends == kMostSends && !is_far) break;
    std::vector<std::int32_t> parts = relay_parts(tasks, element_bytes, sends);
    if (parts == tried) continue;
    auto found = relay_of(cluster, tasks, element_bytes, bound, parts, one_mesh);
    tried = std::move(parts);
    if (found && (!best || found->seconds < best->seconds)) best = std::move(found);
    if (best && best->seconds <= kNearBound * bound) break;
  }
  if (!best || best->seconds >= seconds) return std::nullopt;
  return Chain{relay_step(to, best->recipe)};
}

}  // namespace tessera::synth
