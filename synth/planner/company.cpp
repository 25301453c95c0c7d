#include "synth/planner/company.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/prices/tasks_bound.hpp"
#include "synth/moves/transfer/relay_search.hpp"
#include "synth/moves/transfer/transfer_cost.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// Searches end with the first of these numbers of sends that brings the relay so near to its bound.
constexpr std::int64_t kSendsWanted[] = {300, 2000, 6000};
constexpr double kAtBound = 1.002;
constexpr std::int64_t kOneByte = 1;  // tasks count elements as often as they have bytes

// Arrays of one type that change alike: they go the same ways.
struct ChangeClass {
  LayoutChange change;
  std::vector<std::size_t> arrays;
  std::size_t first_task = 0;  // of all
  std::size_t tasks = 0;
};

std::vector<ChangeClass> classes_of(const std::vector<LayoutChange>& changes) {
  std::vector<ChangeClass> classes;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto alike = [&](const ChangeClass& known) { return known.change == changes[i]; };
    auto found = std::find_if(classes.begin(), classes.end(), alike);
    if (found == classes.end()) found = classes.insert(classes.end(), ChangeClass{changes[i], {}, 0, 0});
    found->arrays.push_back(i);
  }
  return classes;
}

// The tasks of all classes, one after the other.
std::vector<RelayTask> tasks_of(std::vector<ChangeClass>& classes) {
  std::vector<RelayTask> all;
  for (ChangeClass& next : classes) {
    base::look_for_stop();
    std::vector<RelayTask> tasks = relay_tasks(next.change.from, next.change.to);
    next.first_task = all.size();
    next.tasks = tasks.size();
    for (RelayTask& task : tasks) {
      task.arrays = std::ssize(next.arrays) * bytes_of(next.change.to.element());
      all.push_back(std::move(task));
    }
  }
  return all;
}

template <class T>
std::vector<T> part_of_list(const std::vector<T>& all, const ChangeClass& of) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(of.first_task);
  return {begin, begin + static_cast<std::ptrdiff_t>(of.tasks)};
}

// The relay of all, as one recipe for every class.
struct JointRelay {
  std::vector<RelayRecipe> recipes;
  std::int64_t hops = 0;
  std::int64_t stretches = 1;
  double seconds = 0;
};

std::optional<JointRelay> priced(const Cluster& cluster, const std::vector<ChangeClass>& classes,
                                 const std::vector<RelayTask>& tasks, const RelayRecipe& whole) {
  JointRelay joint;
  std::vector<Transfer> transfers;
  for (const ChangeClass& next : classes) {
    RelayRecipe& recipe = joint.recipes.emplace_back(RelayRecipe{1, 0, part_of_list(whole.tasks, next)});
    const std::vector<RelayTask> own = part_of_list(tasks, next);
    recipe.hops = hops_of(own, recipe);
    auto transfer = transfer_of(own, recipe);
    if (!transfer) return std::nullopt;
    transfers.push_back(std::move(*transfer));
  }
  std::vector<TransferCost::Part> parts;
  for (std::size_t c = 0; c < classes.size(); ++c)
    parts.push_back({&transfers[c], bytes_of(classes[c].change.to.element()), std::ssize(classes[c].arrays)});
  const TransferCost cost(cluster, parts);
  joint.stretches = cost.best_stretches_of_any();
  joint.seconds = cost.seconds(joint.stretches);
  for (RelayRecipe& recipe : joint.recipes) {
    recipe.stretches = joint.stretches;
    joint.hops = std::max(joint.hops, recipe.hops);
  }
  return joint;
}

std::optional<JointRelay> best_relay(const Cluster& cluster, const std::vector<ChangeClass>& classes,
                                     const std::vector<RelayTask>& tasks, double bound) {
  std::optional<JointRelay> best;
  std::vector<std::int32_t> tried;
  for (const std::int64_t sends : kSendsWanted) {
    base::look_for_stop();
    std::vector<std::int32_t> parts = relay_parts(tasks, kOneByte, sends);
    if (parts == tried) continue;
    auto found = priced(cluster, classes, tasks,
                        find_relay(cluster, tasks, kOneByte, bound, parts, RelayTrees::hubs_and_halves));
    tried = std::move(parts);
    if (found && (!best || found->seconds < best->seconds)) best = std::move(found);
    if (best && best->seconds <= kAtBound * bound) break;
  }
  return best;
}

// The most bytes that a device holds of all sources and targets.
std::int64_t peak_of(const std::vector<ChangeClass>& classes, std::int64_t devices) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(devices), 0);
  const auto add = [&](const ArrayType& type, std::int64_t arrays) {
    for (std::int64_t d = 0; d < type.devices(); ++d)
      bytes[type.mesh().device_of_run(d).value] += arrays * elements(tile(type, d)) * bytes_of(type.element());
  };
  for (const ChangeClass& next : classes) {
    add(next.change.from, std::ssize(next.arrays));
    if (next.change.from != next.change.to) add(next.change.to, std::ssize(next.arrays));
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

// An array of which nothing has to come from elsewhere is planned by itself.
base::Result<Plan> plan_of_class(const ChangeClass& of, const RelayRecipe* recipe, const Machine& machine) {
  if (recipe == nullptr || of.tasks == 0) return plan(of.change.from, of.change.to, machine);
  return plan_of_steps(of.change.from, {relay_step(of.change.to, std::make_shared<const RelayRecipe>(*recipe))},
                       machine);
}

base::Result<RunMachine> machine_of(const std::vector<LayoutChange>& changes, const Machine& machine) {
  std::int64_t devices = 1;
  for (const LayoutChange& change : changes) devices = std::max(devices, run_devices(change.from, change.to));
  return machine_for(machine, devices);
}

base::Result<CompanyPlan> planned(const std::vector<LayoutChange>& changes, const Machine& given) {
  TESSERA_TRY(machine, machine_of(changes, given));
  const Cluster cluster(machine);
  std::vector<ChangeClass> classes = classes_of(changes);
  const std::vector<RelayTask> tasks = tasks_of(classes);
  CompanyPlan company;
  company.plans.resize(changes.size());
  std::optional<JointRelay> relay;
  if (!tasks.empty()) {
    company.lower_bound_seconds = tasks_bound(cluster, tasks);
    relay = best_relay(cluster, classes, tasks, company.lower_bound_seconds);
    if (!relay) return base::make(base::Kind::internal, "a relay that was found does not fit its arrays");
    company.hops = relay->hops;
    company.stretches = relay->stretches;
    company.seconds = relay->seconds;
  }
  company.peak_bytes = classes.empty() ? 0 : peak_of(classes, cluster.devices());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    base::look_for_stop();
    TESSERA_TRY(made, plan_of_class(classes[c], relay ? &relay->recipes[c] : nullptr, given));
    const auto shared = std::make_shared<const Plan>(std::move(made));
    for (const std::size_t array : classes[c].arrays) {
      company.plans[array] = shared;
      company.received_bytes_total += shared->received_bytes_total;
      company.lower_bound_bytes_total += shared->lower_bound_bytes_total;
    }
  }
  return company;
}

}  // namespace

base::Result<CompanyPlan> plan_company(const std::vector<LayoutChange>& changes, const Machine& machine,
                                       base::StopToken stop) {
  return base::guarded_until_stopped([&] {
    const base::StopScope scope(stop);
    return planned(changes, machine);
  });
}

}  // namespace tessera::synth
