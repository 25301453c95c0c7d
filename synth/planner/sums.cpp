#include "synth/planner/sums.hpp"
#include "synth/moves/collective/direct_reduction.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/floors.hpp"
#include "synth/planner/programs.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/sum_steps.hpp"

namespace tessera::synth {

namespace {

// So many steps are priced; what has been found by then is enough. Pricing takes longer on many devices.
constexpr std::int64_t kPricedMax = 128;
constexpr std::int64_t kPricedMaxOnMany = 48;
constexpr std::int64_t kPricedMaxBeyond = 12;
// Rounding may make no bound of what just is one.
constexpr double kNearlyAll = 1 - 1e-9;

std::int64_t priced_at_most(std::int64_t devices) {
  if (devices <= kFewDevices) return kPricedMax;
  return devices <= kExactDevicesMax ? kPricedMaxOnMany : kPricedMaxBeyond;
}

}  // namespace

Resolutions::Resolutions(const ArrayType& from, const ArrayType& to, const AxisList& resolve, Prices& prices)
    : from_(from),
      to_(to),
      resolve_(resolve),
      copied_along_(from.mesh() == to.mesh() ? free_axes(to) : AxisList{}),
      prices_(prices),
      bound_bytes_(std::max(tile_bytes_max(from), tile_bytes_max(to))),
      bandwidth_(prices.machine().levels.back().bandwidth_bytes_per_second),
      latency_(least_delay(prices.machine())),
      has_programs_(has_programs(prices.machine(), from.mesh(), shard_count(resolve))),
      has_slow_links_(has_programs_ && prices.machine().levels.size() > 1),
      priced_max_(priced_at_most(from.devices())) {
  const Cluster cluster(prices.machine());
  for (const Cluster::Level& level : cluster.levels()) bandwidths_.push_back(level.bandwidth_of_all());
  for (std::size_t d = 0; d < to.rank() && !free_axes(from).empty(); ++d)
    may_cut_ = may_cut_ || !wanted_on(from, to, resolve, d).empty();
}

base::Result<std::optional<Way>> Resolutions::next(const Choice& choice) {
  if (!is_started_) TESSERA_TRY_STATUS(start());
  Entry entry;
  while (take_least(entry)) {
    if (choice.is_hopeless(entry.least.bound, entry.way->received_bytes)) continue;
    if (!entry.steps.empty()) {
      if ((is_found_ && (priced_max_ <= 0 || !prices_.may_go_on())) ||
          (prices_.is_overdrawn() && from_.devices() <= kExactDevicesMax)) {
        gave_up_ = true;
        continue;
      }
      Way way = *entry.way;
      for (const Collective& step : entry.steps) TESSERA_TRY_STATUS(way.take(step, prices_));
      entry.steps.clear();
      --priced_max_;
      entry.least = least_of(way, entry.left);
      entry.way = std::make_shared<const Way>(std::move(way));
      push(std::move(entry));
      continue;
    }
    if (is_met(*entry.way)) continue;
    if (entry.left.empty()) {
      is_found_ = true;
      return std::optional<Way>{*entry.way};
    }
    expand(entry.way, entry.left);
  }
  return std::optional<Way>{};
}

base::Status Resolutions::start() {
  is_started_ = true;
  if (resolve_.empty()) {
    push(Entry{{}, 0, std::make_shared<const Way>(Way{{}, from_}), {}, {}});
    return base::Done{};
  }
  for (const Chain& chain : cut_further({}, from_)) TESSERA_TRY_STATUS(begin_at(chain));
  for (const Slices cuts : {Slices::all, Slices::leading}) {
    if (const auto parts = target_in_parts(from_, to_, resolve_, cuts)) TESSERA_TRY_STATUS(begin_towards(*parts));
  }
  if (prices_.machine().levels.size() > 1) TESSERA_TRY_STATUS(begin_with_one_slice());
  return has_slow_links_ ? begin_with_more_parts() : base::Done{};
}

// Cut by one of the axes that hold the same: to gather it again may stay inside the units, where that by all does not.
base::Status Resolutions::begin_with_one_slice() {
  for (const AxisPart& part : free_axes(from_)) {
    for (std::size_t d = 0; d < from_.rank(); ++d) {
      if (fits(from_, d, {part})) TESSERA_TRY_STATUS(begin_at({slice_step({part}, d)}));
    }
  }
  return base::Done{};
}

// Of several devices that hold the same value one keeps it, and the sum is scattered over all of them at once, by a
// program that brings every part over the slow links straight to where it belongs: `f32[64]{+a} -> f32[64@(a,b)]`
// becomes a sum over (a,b). It takes all axes along which devices hold the same, or those by which the target cuts a
// dimension, or one of them; the other axes cut the array.
base::Status Resolutions::begin_with_more_parts() {
  if (from_.mesh() != to_.mesh()) return base::Done{};
  const AxisList free = free_axes(from_);
  std::vector<AxisList> sets{free};
  for (std::size_t d = 0; d < to_.rank(); ++d) {
    if (wanted_on(from_, to_, resolve_, d).empty()) continue;
    if (const auto wanted = shared_in_order(to_.layout().split(d), free)) sets.push_back(canonical_set(*wanted));
  }
  for (const AxisPart& part : free) sets.push_back({part});
  std::vector<AxisList> met{AxisList{}};
  for (const AxisList& more : sets) {
    if (std::find(met.begin(), met.end(), more) != met.end()) continue;
    met.push_back(more);
    const auto others = without(free, more);
    std::vector<Chain> starts{Chain{}};
    for (std::size_t d = 0; others && !others->empty() && d < from_.rank(); ++d) {
      if (fits(from_, d, *others)) starts.push_back({slice_step(*others, d)});
    }
    for (const Chain& start : starts) TESSERA_TRY_STATUS(begin_as_sum(start, more));
  }
  return base::Done{};
}

base::Status Resolutions::begin_as_sum(const Chain& start, const AxisList& more) {
  Way way{{}, from_};
  for (const Collective& step : start) TESSERA_TRY_STATUS(way.take(step, prices_));
  TESSERA_TRY_STATUS(way.take(keep_step(more, from_.layout().reduce()), prices_));
  AxisList left = canonical_set(concatenated(resolve_, more));
  const Least least = least_of(way, left);
  push(Entry{least, 0, std::make_shared<const Way>(std::move(way)), std::move(left), {}});
  return base::Done{};
}

base::Status Resolutions::begin_towards(const ArrayType& parts) {
  const Chain slices = free_slices(from_, parts);
  if (!slices.empty()) {
    for (const Chain& chain : cut_further(slices, from_)) TESSERA_TRY_STATUS(begin_at(chain));
  }
  for (const Chain& chain : cut_further({}, parts)) {
    TESSERA_TRY(finer, after_chain(chain, parts));
    if (tile_bytes_max(finer) <= bound_bytes_) TESSERA_TRY_STATUS(begin_at(direct_move(from_, finer, true)));
  }
  return base::Done{};
}

base::Status Resolutions::begin_at(const Chain& steps) {
  Way way{{}, from_};
  for (const Collective& step : steps) TESSERA_TRY_STATUS(way.take(step, prices_));
  const auto same = [&](const Entry& entry) { return entry.way->type == way.type; };
  if (std::any_of(entries_.begin(), entries_.end(), same)) return base::Done{};
  const Least least = least_of(way, resolve_);
  push(Entry{least, 0, std::make_shared<const Way>(std::move(way)), resolve_, {}});
  return base::Done{};
}

void Resolutions::expand(const WayRef& way, const AxisList& left) {
  for (std::size_t d = 0; d < to_.rank(); ++d) {
    const AxisList wanted = wanted_on(way->type, to_, left, d);
    if (!wanted.empty()) offer(way, left, reduce_scatter_step(wanted, d));
    if (priced_max_ > 0) {
      for (Collective& step : scatters_that_cut(way->type, to_, wanted, d)) offer(way, left, std::move(step));
    }
    if (auto step = scatter_into(way->type, to_, left, d)) offer(way, left, std::move(*step));
    if (has_slow_links_) offer_orders(way, left, d);
  }
  offer(way, left, all_reduce_step(left));
  if (priced_max_ <= 0) return;
  if (left != resolve_) offer_moves(way, left);
  const AxisList parts = single_axes(way->type, left, prices_.machine());
  if (parts.size() < 2) return;
  for (const AxisPart& part : parts) {
    for (std::size_t d = 0; d < to_.rank(); ++d) {
      if (fits(way->type, d, {part})) offer(way, left, reduce_scatter_step({part}, d));
    }
    offer(way, left, all_reduce_step({part}));
  }
}

// All axes at once into one dimension, in the orders that the target does not ask for: by a program these take no
// longer, and what is then left to move may stay inside the units.
void Resolutions::offer_orders(const WayRef& way, const AxisList& left, std::size_t dimension) {
  constexpr std::size_t kAxesMax = 3;
  if (left.size() < 2 || left.size() > kAxesMax || !fits(way->type, dimension, left)) return;
  AxisList order = left;
  const auto before = [](const AxisPart& a, const AxisPart& b) {
    return std::pair(a.axis, a.before) < std::pair(b.axis, b.before);
  };
  std::sort(order.begin(), order.end(), before);
  do {
    offer(way, left, reduce_scatter_step(canonical(order), dimension));
  } while (std::next_permutation(order.begin(), order.end(), before));
}

// Between two reductions what has been cut may have to make room where the target wants the next axis.
void Resolutions::offer_moves(const WayRef& way, const AxisList& left) {
  for (const Slices cuts : {Slices::all, Slices::leading}) {
    const auto parts = target_in_parts(way->type, to_, left, cuts);
    if (!parts) continue;
    for (const Chain& chain : cut_further({}, *parts)) {
      const auto finer = after_chain(chain, *parts);
      if (!finer.ok() || tile_bytes_max(*finer) > bound_bytes_ || *finer == way->type) continue;
      push(Entry{way->seconds + least_after(*finer, left), 0, way, left, direct_move(way->type, *finer, true)});
    }
  }
}

void Resolutions::offer(const WayRef& way, const AxisList& left, Collective step) {
  auto rest = without(left, axes_of(step));
  const auto after = apply(step, way->type);
  if (!rest || !after.ok()) return;
  const Least least = least_of_step(step, way->type, *after) + least_after(*after, *rest);
  push(Entry{way->seconds + least, 0, way, std::move(*rest), {std::move(step)}});
}

Resolutions::Least Resolutions::least_of(const Way& way, const AxisList& left) const {
  return way.seconds + least_after(way.type, left);
}

// A device adds to its tile what all others of its group have of it.
Resolutions::Least Resolutions::least_of_step(const Collective& step, const ArrayType& before,
                                              const ArrayType& after) const {
  const std::int64_t devices = shard_count(axes_of(step));
  const std::int64_t bytes = tile_bytes_max(std::holds_alternative<AllReduce>(step.effect) ? before : after);
  const auto received = static_cast<double>(DirectReduction(kind_of(step), devices).received(bytes, 0));
  if (received == 0) return {};
  // What all groups have, each once; it is brought together, and in an all_reduce brought back.
  const std::int64_t groups = before.devices() / devices;
  double payload = static_cast<double>(array_bytes(before)) * static_cast<double>(groups);
  for (const AxisList& split : before.layout().splits()) payload /= static_cast<double>(shard_count(split));
  if (std::holds_alternative<AllReduce>(step.effect)) payload *= 2;
  if (const auto* scatter = std::get_if<ReduceScatter>(&step.effect))
    payload /= static_cast<double>(shard_count(scatter->cut));
  const double links = std::max(received / bandwidth_, payload * seconds_to_bring_together(axes_of(step)));
  // By a program with fewer peers: with p in a hop what is added up grows p + 1 times at most.
  const auto peers =
      has_programs_ ? static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(devices - 1))) : devices - 1;
  const double others = links + static_cast<double>(peers - 1) * latency_;
  return {others + latency_, others + farthest_latency(axes_of(step))};
}

// The units of every level, outermost first, over which each group of devices that differ along the axes is spread;
// nothing where groups are spread unevenly.
const std::vector<double>& Resolutions::units_spread_over(const AxisList& axes) const {
  const auto known = std::find_if(spread_.begin(), spread_.end(), [&](const auto& one) { return one.first == axes; });
  if (known != spread_.end()) return known->second;
  std::vector<double> units;
  // On as many devices as this so few steps are priced that their order says what is found.
  const bool finds_by_order = from_.devices() > kFewDevices && from_.devices() <= kExactDevicesMax;
  const auto levels = finds_by_order || axes.empty()
                          ? std::nullopt
                          : levels_of_sum(prices_.machine(), from_.mesh(), canonical_set(axes));
  if (levels) {
    units.assign(bandwidths_.size(), 1);
    double all = 1;
    std::size_t filled = 0;
    for (const ReduceLevel& level : *levels) {
      for (; filled < level.machine_level; ++filled) units[filled] = all;
      all *= static_cast<double>(level.factor);
    }
    for (; filled < units.size(); ++filled) units[filled] = all;
  }
  spread_.emplace_back(axes, std::move(units));
  return spread_.back().second;
}

// Parts of a byte of the sum cross links of a level once for each unit but one. The seconds for a byte on all links of
// the level together, for the level that takes longest.
double Resolutions::seconds_to_bring_together(const AxisList& axes) const {
  double longest = 0;
  const std::vector<double>& units = units_spread_over(axes);
  for (std::size_t l = 0; l < units.size(); ++l) longest = std::max(longest, (units[l] - 1) / bandwidths_[l]);
  return longest * kNearlyAll;
}

// The same with what follows: the sum crosses to all units but one of those that the target wants it in. Where a unit
// has all parts, and others have copies of them, nothing may have to cross.
double Resolutions::seconds_to_finish(const ArrayType& type, const AxisList& left) const {
  const std::vector<double> parts = units_spread_over(left);  // a copy: the next call may move what is remembered
  const std::vector<double>& wanted = units_spread_over(copied_along_);
  if (parts.empty() || wanted.empty()) return seconds_to_bring_together(left);
  const bool has_copies = !free_axes(type).empty();
  double longest = 0;
  for (std::size_t l = 0; l < parts.size(); ++l) {
    if (parts[l] == 1 && has_copies) continue;
    longest = std::max(longest, (parts[l] - 1 + wanted[l] - 1) / bandwidths_[l]);
  }
  return longest * kNearlyAll;
}

// One message at least crosses the slowest level that groups along the axes are spread over.
double Resolutions::farthest_latency(const AxisList& axes) const {
  const std::vector<double>& units = units_spread_over(axes);
  double latency = latency_;
  double outside = 1;
  for (std::size_t l = 0; l < units.size(); ++l) {
    if (units[l] > outside) latency = std::max(latency, prices_.machine().levels[l].latency_seconds);
    outside = units[l];
  }
  return latency;
}

// Pending parts have to be scattered at the least, of copies as much as is wanted, and the sum has to come to all who
// want it; all others have to be brought to the devices that miss them.
Resolutions::Least Resolutions::least_after(const ArrayType& type, const AxisList& left) const {
  if (left.empty()) {
    prices_.worked(Floors::work(to_, prices_.machine()));
    const double least = floor_of(type);
    return {least, least};
  }
  const auto size = static_cast<double>(shard_count(left));
  double received = static_cast<double>(tile_bytes_max(type)) * (size - 1) / size;
  if (received == 0) return {};
  if (may_cut_) received /= static_cast<double>(shard_count(free_axes(type)));
  const auto bytes = static_cast<double>(array_bytes(type));
  const double scattered = std::max(received / bandwidth_, bytes * seconds_to_bring_together(left));
  const double finished = std::max(scattered, bytes * seconds_to_finish(type, left));
  return {scattered + latency_, finished + farthest_latency(left)};
}

// Many ways lead to one layout.
double Resolutions::floor_of(const ArrayType& type) const {
  const auto [known, is_new] = floors_.try_emplace({&type.mesh(), type.layout()}, 0);
  if (!is_new) return known->second;
  if (target_ == nullptr) target_ = Floors::tiles_of(from_, to_);
  return known->second = Floors(type, to_, prices_.machine(), target_).of_any();
}

void Resolutions::push(Entry entry) {
  entry.number = count_++;
  const auto later = [](const Entry& a, const Entry& b) {
    return std::pair(a.least.seconds, a.number) > std::pair(b.least.seconds, b.number);
  };
  entries_.push_back(std::move(entry));
  std::push_heap(entries_.begin(), entries_.end(), later);
}

bool Resolutions::take_least(Entry& entry) {
  if (entries_.empty()) return false;
  const auto later = [](const Entry& a, const Entry& b) {
    return std::pair(a.least.seconds, a.number) > std::pair(b.least.seconds, b.number);
  };
  std::pop_heap(entries_.begin(), entries_.end(), later);
  entry = std::move(entries_.back());
  entries_.pop_back();
  return true;
}

// Has the layout been met on a way that is as fast and receives no more?
bool Resolutions::is_met(const Way& way) {
  const bool met = std::any_of(met_.begin(), met_.end(), [&](const Met& m) {
    return m.layout == way.type.layout() && m.seconds <= way.seconds && m.received_bytes <= way.received_bytes;
  });
  if (!met) met_.push_back(Met{way.type.layout(), way.seconds, way.received_bytes});
  return met;
}

}  // namespace tessera::synth
