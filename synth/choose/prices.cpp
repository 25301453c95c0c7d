#include "synth/choose/prices.hpp"

#include <algorithm>
#include <limits>

#include "synth/moves/prices/prices.hpp"
#include "synth/planner/choice.hpp"

namespace tessera::synth {

namespace {

constexpr double kNotAsked = -1;

// Does some device lack a part of its tile of `to`? Then bytes move, whatever the plan.
bool lacks_something(const ArrayType& from, const ArrayType& to) {
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    if (!contains(tile(from, device), tile(to, device))) return true;
  }
  return false;
}

// Every link of a level as fast as its fastest: what a bound takes any device to have.
Machine with_fastest_links(Machine machine) {
  for (MachineLevel& level : machine.levels) {
    for (const double bandwidth : level.unit_bandwidths)
      level.bandwidth_bytes_per_second = std::max(level.bandwidth_bytes_per_second, bandwidth);
    level.unit_bandwidths.clear();
  }
  return machine;
}

}  // namespace

LayoutPrices::LayoutPrices(MeshRef mesh, ElementType element, const Shape& shape, const Machine& machine,
                           PricedBy priced_by)
    : mesh_(std::move(mesh)), element_(element), shape_(shape), machine_(machine), priced_by_(priced_by) {
  if (priced_by_ == PricedBy::plans) return;
  auto fitting = machine_for(machine_, mesh_->devices_end());
  if (fitting.ok()) fitting = machine_for(with_fastest_links(std::move(fitting).value()), mesh_->devices_end());
  if (fitting.ok()) fitting_ = std::move(fitting).value();
}

int LayoutPrices::number_of(const Layout& layout) {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (types_[i].layout() == layout) return static_cast<int>(i);
  }
  auto type = ArrayType::make(element_, shape_, mesh_, layout);
  TESSERA_CHECK(type.ok(), "a value cannot have a layout of its space");
  types_.push_back(std::move(type).value());
  return static_cast<int>(types_.size() - 1);
}

double LayoutPrices::seconds(int from, int to) {
  seconds_.resize(types_.size());
  std::vector<double>& row = seconds_[static_cast<std::size_t>(from)];
  row.resize(std::max(row.size(), types_.size()), kNotAsked);
  double& known = row[static_cast<std::size_t>(to)];
  if (known == kNotAsked) known = planned(from, to);
  return known;
}

double LayoutPrices::planned(int from, int to) {
  if (same_type(type(from), type(to))) return 0;
  if (priced_by_ == PricedBy::bounds) return fitting_ ? bound_of_devices(*fitting_, type(from), type(to)).seconds : 0;
  ++plans_;
  const auto plan = plan_unverified(type(from), type(to), machine_, {}, &known_sums_);
  return plan.ok() ? plan->seconds : std::numeric_limits<double>::infinity();
}

bool LayoutPrices::is_free(int from, int to) {
  if (from == to) return true;
  if (layout(to).pending().empty() && (!layout(from).pending().empty() || lacks_something(type(from), type(to))))
    return false;
  return seconds(from, to) == 0;
}

}  // namespace tessera::synth
