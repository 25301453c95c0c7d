// Relays: a change of layout in hops, stretch by stretch, where a plan of steps in turn stays above the bound.
#include <algorithm>
#include <array>

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
// Searches, one after the other until one is near the bound. Few large parts are quickly found and enough where many
// tasks balance one another; more where they do not. Boxes of few elements need few parts that are all alike, or their
// stretches differ by an element and the longest sets the pace.
enum class Ends : std::uint8_t { any, on_one_mesh, between_meshes };
struct Attempt {
  std::int64_t sends = 0;
  PartCounts counts = PartCounts::any;
  Ends ends = Ends::any;
  double beyond = kNearBound;  // only where the best so far takes more of the bound than this
};
constexpr double kFarFromBound = 1.03;
constexpr std::array kAttempts = {
    Attempt{300, PartCounts::any},
    Attempt{2000, PartCounts::any},
    Attempt{20, PartCounts::dividing, Ends::on_one_mesh},
    Attempt{40, PartCounts::dividing, Ends::on_one_mesh},
    Attempt{80, PartCounts::dividing, Ends::on_one_mesh},
    Attempt{160, PartCounts::dividing, Ends::on_one_mesh},
    Attempt{6000, PartCounts::any, Ends::between_meshes, kFarFromBound},
};
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
  std::vector<std::vector<std::int32_t>> tried;
  for (const Attempt& attempt : kAttempts) {
    if (attempt.ends == (one_mesh ? Ends::between_meshes : Ends::on_one_mesh)) continue;
    if (best && best->seconds <= attempt.beyond * bound) continue;
    std::vector<std::int32_t> parts = relay_parts(tasks, element_bytes, attempt.sends, attempt.counts);
    if (std::find(tried.begin(), tried.end(), parts) != tried.end()) continue;
    auto found = relay_of(cluster, tasks, element_bytes, bound, parts, one_mesh);
    tried.push_back(std::move(parts));
    if (found && (!best || found->seconds < best->seconds)) best = std::move(found);
  }
  if (!best || best->seconds >= seconds) return std::nullopt;
  return Chain{relay_step(to, best->recipe)};
}

}  // namespace tessera::synth
