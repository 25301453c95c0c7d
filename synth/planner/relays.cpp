#include "synth/planner/relays.hpp"

#include <algorithm>
#include <array>

#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/time_bound.hpp"
#include "synth/moves/transfer/relay_search.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"
#include "synth/planner/floors.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// A plan that takes no more of its bound than this needs no relay.
constexpr double kNearBound = 1.01;
// Searches for relays, one after the other until one is near the bound. A few equal parts are found at once, and are
// enough if messages take most of the relay's time. A few hundred are enough if many tasks balance one another;
// otherwise more are tried. Boxes of few elements need few equal parts, or their stretches differ by an element and the
// longest sets the pace.
enum class MeshesOfEnds : std::uint8_t { any, on_one_mesh, between_meshes };
struct Attempt {
  std::int64_t sends = 0;
  PartCounts counts = PartCounts::any;
  MeshesOfEnds ends = MeshesOfEnds::any;
  double beyond = kNearBound;  // only where the best so far takes more of the bound than this
};
constexpr double kFarFromBound = 1.03;
constexpr std::int64_t kSendsOfMany = 2000;
constexpr std::array kAttempts = {
    Attempt{20, PartCounts::dividing, MeshesOfEnds::on_one_mesh},
    Attempt{300, PartCounts::any},
    Attempt{kSendsOfMany, PartCounts::any},
    Attempt{40, PartCounts::dividing, MeshesOfEnds::on_one_mesh},
    Attempt{80, PartCounts::dividing, MeshesOfEnds::on_one_mesh},
    Attempt{160, PartCounts::dividing, MeshesOfEnds::on_one_mesh},
    Attempt{6000, PartCounts::any, MeshesOfEnds::between_meshes, kFarFromBound},
};
// A search over more sends than this takes longer than a second, and nobody could list the relay's sends.
constexpr std::int64_t kSendsMax = 100'000;
constexpr std::int64_t kNanosecondsOfSend = 1200;

struct Found {
  std::shared_ptr<const RelayRecipe> recipe;
  StepCost cost;
  double busiest_seconds = 0;  // by bytes alone
};

std::optional<Found> relay_of(const Cluster& cluster, const std::vector<RelayTask>& tasks, std::int64_t element_bytes,
                              double bound, const std::vector<std::int32_t>& parts, bool one_mesh) {
  RelayRecipe recipe = find_relay(cluster, tasks, element_bytes, bound, parts,
                                  one_mesh ? RelayTrees::hubs : RelayTrees::hubs_and_halves);
  const auto transfer = transfer_of(tasks, recipe);
  if (!transfer || transfer->sends.empty()) return std::nullopt;
  const TransferCost cost(cluster, *transfer, element_bytes);
  recipe.stretches = one_mesh ? cost.best_stretches() : cost.best_stretches_of_any();
  const StepCost price = cost.cost(recipe.stretches);
  return Found{std::make_shared<const RelayRecipe>(std::move(recipe)), price, cost.busiest_seconds()};
}

// The bound of time is not defined for targets with pending axes: there what each device and unit lacks is a floor.
double bound_of(const ArrayType& from, const ArrayType& to, const RunMachine& machine) {
  return to.layout().pending().empty() ? time_bound(machine, from, to) : Floors(from, to, machine).of_any();
}

// The searches for one change of layout.
class Searches {
 public:
  // `seconds`: of what the relay has to be faster than.
  Searches(bool one_mesh, double bound, double seconds) : one_mesh_(one_mesh), bound_(bound), seconds_(seconds) {}

  const std::optional<Found>& best() const { return best_; }

  bool is_worth(const Attempt& attempt) const {
    if (attempt.ends == (one_mesh_ ? MeshesOfEnds::between_meshes : MeshesOfEnds::on_one_mesh)) return false;
    if (!best_) return true;
    if (best_->cost.seconds <= attempt.beyond * bound_ || is_hopeless()) return false;
    return attempt.sends != kSendsOfMany || gains_by_many_parts();
  }
  // So many parts of each task.
  bool is_new(const std::vector<std::int32_t>& parts) const {
    return std::find(tried_.begin(), tried_.end(), parts) == tried_.end();
  }
  void take(std::vector<std::int32_t> parts, std::optional<Found> found) {
    tried_.push_back(std::move(parts));
    if (!found) return;
    last_ = *found;
    if (!best_ || found->cost.seconds < best_->cost.seconds) best_ = std::move(found);
  }

 private:
  // More parts are more messages: where these take most of the time, no relay will be fast.
  bool is_hopeless() const {
    constexpr double kMostOfTheTime = 3;
    constexpr double kTooSlow = 1.3;
    const bool by_messages = best_->cost.seconds > kMostOfTheTime * best_->busiest_seconds;
    return one_mesh_ && by_messages && best_->cost.seconds > kTooSlow * seconds_;
  }
  // Many more parts help only if links are not busy alike. If they are, a relay that cuts boxes into several parts
  // already, or whose time is not that of its links, gains nothing by them.
  bool gains_by_many_parts() const {
    constexpr std::int32_t kSeveral = 5;
    constexpr double kNotOfLinks = 1.5;
    const bool alike = last_.busiest_seconds <= kNearBound * bound_;
    const std::int32_t parts = *std::max_element(tried_.back().begin(), tried_.back().end());
    return !alike || (parts <= kSeveral && last_.cost.seconds <= kNotOfLinks * bound_);
  }

  bool one_mesh_;
  double bound_;
  double seconds_;
  std::vector<std::vector<std::int32_t>> tried_;
  std::optional<Found> best_;
  Found last_;
};

std::int64_t least_sends(const std::vector<RelayTask>& tasks) {
  std::int64_t sends = 0;
  for (const RelayTask& task : tasks) sends += static_cast<std::int64_t>(task.needers.size());
  return sends;
}

}  // namespace

std::optional<Chain> relay_move(const ArrayType& from, const ArrayType& to, Prices& prices, double seconds) {
  const RunMachine& machine = prices.machine();
  const bool one_mesh = from.mesh() == to.mesh();
  if (std::max(from.devices(), to.devices()) > kExactDevicesMax) return std::nullopt;
  if (from.mesh().has_devices_of(to.mesh()) && machine.levels.size() < 2) return std::nullopt;
  if (copies(from) == 1 && copies(to) == 1) return std::nullopt;  // nobody can do anything for anybody
  const double bound = bound_of(from, to, machine);
  if (seconds <= kNearBound * bound) return std::nullopt;
  const Cluster cluster(machine);
  const std::vector<RelayTask> tasks = relay_tasks(from, to);
  const std::int64_t sends = least_sends(tasks);
  if (tasks.empty() || sends > kSendsMax) return std::nullopt;
  const std::int64_t element_bytes = bytes_of(to.element());
  Searches search(one_mesh, bound, seconds);
  for (const Attempt& attempt : kAttempts) {
    if (!search.is_worth(attempt)) continue;
    std::vector<std::int32_t> parts = relay_parts(tasks, element_bytes, attempt.sends, attempt.counts);
    if (!search.is_new(parts)) continue;
    prices.worked(std::max(sends, attempt.sends) * kNanosecondsOfSend);
    auto found = relay_of(cluster, tasks, element_bytes, bound, parts, one_mesh);
    search.take(std::move(parts), std::move(found));
  }
  if (!search.best() || search.best()->cost.seconds >= seconds) return std::nullopt;
  prices.know(search.best()->recipe, search.best()->cost);
  return Chain{relay_step(to, search.best()->recipe)};
}

}  // namespace tessera::synth
