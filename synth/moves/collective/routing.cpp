#include "synth/moves/collective/routing.hpp"

#include <numeric>

#include "base/check.hpp"
#include "base/stop_scope.hpp"
#include "base/wide.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/relief.hpp"

namespace tessera::synth {

namespace {

struct WideInterval {
  base::Wide begin = 0;
  base::Wide end = 0;
};

base::Wide quotient_up(base::Wide a, base::Wide b) { return a / b + (a % b > 0 ? 1 : 0); }

// The numbers k whose positions offset + step*k lie in an interval.
WideInterval numbers_at(std::int64_t offset, std::int64_t step, Interval positions) {
  const base::Wide begin = static_cast<base::Wide>(positions.begin) - offset;
  const base::Wide end = static_cast<base::Wide>(positions.end) - offset;
  if (step > 0) return {quotient_up(begin, step), quotient_up(end, step)};
  const base::Wide back = -static_cast<base::Wide>(step);
  return {quotient_up(1 - end, back), quotient_up(1 - begin, back)};
}

WideInterval both(const WideInterval& a, const WideInterval& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

// Any shift is safe: numbers in an interval of the target are as small as its positions.
Interval numbers_in(const Shift& shift, std::int64_t source_extent, Interval target) {
  const WideInterval numbers =
      both(numbers_at(shift.offset, shift.step, {0, source_extent}), numbers_at(shift.add, shift.spread, target));
  if (numbers.begin >= numbers.end) return {};
  return {static_cast<std::int64_t>(numbers.begin), static_cast<std::int64_t>(numbers.end)};
}

SenderRule sender_rule(const Cluster& cluster) {
  SenderRule rule;
  for (const Cluster::Level& level : cluster.levels()) {
    rule.piece_bytes = std::max(rule.piece_bytes, level.latency * level.bandwidth);
    // The last of those that have several devices is the innermost.
    if (level.unit_devices > 1) rule.unit_bandwidth = level.bandwidth / cluster.levels().back().bandwidth;
  }
  rule.unit_devices = cluster.unit_sizes();
  rule.devices = cluster.devices();
  return rule;
}

Routing::Routing(const ArrayType& from, const ArrayType& to, const Offset* offset, SenderRule rule,
                 std::pmr::memory_resource* memory)
    : memory_(memory),
      dimensions_(memory),
      rule_(std::move(rule)),
      target_pending_(static_cast<std::size_t>(to.devices()), memory),
      source_class_(static_cast<std::size_t>(from.devices()), memory),
      own_class_(memory),
      target_ids_(memory),
      holders_(source_class_.size(), memory),
      number_in_tile_(memory),
      groups_(memory),
      fetches_(memory),
      fetches_begin_(memory) {
  constexpr double kNeverCut = 1e18;
  const double piece = std::ceil(rule_.piece_bytes / static_cast<double>(bytes_of(to.element())));
  piece_elements_ = static_cast<std::int64_t>(std::min(piece, kNeverCut));
  TESSERA_CHECK(from.rank() == to.rank(), "copies between arrays of different rank");
  dimensions_.reserve(to.rank());
  for (std::size_t d = 0; d < to.rank(); ++d) add_dimension(from, to, d, offset == nullptr ? Shift() : (*offset)[d]);
  number_sources(from);
  name_devices(from.mesh(), to.mesh());
  write_positions(to.mesh(), to.layout().pending(), target_pending_);
  for (const std::int64_t unit : rule_.unit_devices) unit_count_ += units_of(unit);
  if (replicas_ > 1 && !share_senders()) number_targets(to);
}

void Routing::add_dimension(const ArrayType& from, const ArrayType& to, std::size_t d, const Shift& shift) {
  Dimension& dimension = dimensions_.emplace_back(memory_);
  dimension.target_tile.resize(target_pending_.size());
  write_positions(to.mesh(), to.layout().split(d), dimension.target_tile);
  const Cuts targets = cuts(to, d);
  const Cuts cells = cuts(from, d);
  dimension.runs.reserve(static_cast<std::size_t>(targets.tiles() + cells.tiles()));
  dimension.runs_begin.reserve(static_cast<std::size_t>(targets.tiles() + 1));
  for (std::int64_t t = 0; t < targets.tiles(); ++t) {
    const Interval wanted = numbers_in(shift, cells.extent(), targets.tile(t));
    dimension.runs_begin.push_back(dimension.runs.size());
    for (std::int64_t at = wanted.begin; at < wanted.end;) {
      const std::int64_t cell = cells.place_of(shift.offset + shift.step * at);
      const base::Wide beyond = numbers_at(shift.offset, shift.step, cells.tile(cell)).end;
      const auto end = static_cast<std::int64_t>(std::min<base::Wide>(beyond, wanted.end));
      dimension.runs.push_back(Run{static_cast<std::int32_t>(cell), Interval{at, end}});
      at = end;
    }
  }
  dimension.runs_begin.push_back(dimension.runs.size());
}

// A device's class: its tile's number in every dimension and its position along the pending axes, as one number.
void Routing::write_classes(const ArrayType& type, std::span<std::int32_t> into, Strides* strides) const {
  write_positions(type.mesh(), type.layout().pending(), into);
  std::pmr::vector<std::int32_t> tiles(into.size(), memory_);
  std::int64_t stride = shard_count(type.layout().pending());
  for (std::size_t d = type.rank(); d-- > 0;) {
    write_positions(type.mesh(), type.layout().split(d), tiles);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += static_cast<std::int32_t>(tiles[i] * stride);
    if (strides != nullptr) strides->push_back(stride);
    stride *= shard_count(type.layout().split(d));
  }
}

void Routing::number_sources(const ArrayType& from) {
  Strides strides;
  write_classes(from, source_class_, &strides);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) dimensions_[d].class_stride = strides[strides.size() - 1 - d];
  pending_count_ = shard_count(from.layout().pending());
  std::int64_t count = pending_count_;
  for (const AxisList& split : from.layout().splits()) count *= shard_count(split);
  replicas_ = from.devices() / count;
  std::pmr::vector<std::int32_t> met(static_cast<std::size_t>(count), 0, memory_);
  for (std::size_t device = 0; device < source_class_.size(); ++device) {
    const auto of = static_cast<std::size_t>(source_class_[device]);
    holders_[of * static_cast<std::size_t>(replicas_) + static_cast<std::size_t>(met[of]++)] =
        from.mesh().run_device(static_cast<std::int64_t>(device));
  }
}

// If the two meshes have other devices, a target device may hold nothing of the source.
void Routing::name_devices(const Mesh& from, const Mesh& to) {
  if (to.devices_end() != to.devices()) {
    for (std::int64_t d = 0; d < to.devices(); ++d) target_ids_.push_back(to.run_device(d));
  }
  if (from.has_devices_of(to)) return;
  for (std::int64_t d = 0; d < to.devices(); ++d) {
    const auto number = from.number_of(to.device_of_run(d));
    own_class_.push_back(number ? source_class_[static_cast<std::size_t>(*number)] : -1);
  }
}

// The senders of every source class: all its holders, then those in each unit of each level, innermost first.
std::pmr::vector<Routing::Senders> Routing::senders_by_unit() const {
  const auto units = static_cast<std::size_t>(unit_count_);
  std::pmr::vector<Senders> all(holders_.size() / static_cast<std::size_t>(replicas_) * units, memory_);
  for (std::size_t i = 0; i < holders_.size(); ++i) {
    const std::size_t of_class = i / static_cast<std::size_t>(replicas_) * units;
    const auto add = [&](std::size_t unit) {
      Senders& senders = all[of_class + unit];
      if (senders.count++ == 0) senders.first = static_cast<std::int32_t>(i);
    };
    add(0);
    std::int64_t before = 1;
    for (const std::int64_t unit : rule_.unit_devices) {
      add(static_cast<std::size_t>(before + holders_[i] / unit));
      before += units_of(unit);
    }
  }
  return all;
}

template <class F>
std::size_t Routing::first_unit(std::int64_t device, F&& f) const {
  std::int64_t before = 1;
  for (const std::int64_t unit : rule_.unit_devices) {
    const auto number = static_cast<std::size_t>(before + device / unit);
    if (f(number)) return number;
    before += units_of(unit);
  }
  return 0;
}

// The number of the nearest unit that has holders of the class.
std::size_t Routing::nearest(std::int64_t source_class, std::int64_t device) const {
  const auto of_class = static_cast<std::size_t>(source_class * unit_count_);
  return first_unit(device, [&](std::size_t unit) { return groups_[of_class + unit].count > 0; });
}

Routing::Senders Routing::search_nearest(std::int64_t source_class, std::int32_t target) const {
  const auto first = holders_.begin() + static_cast<std::ptrdiff_t>(source_class * replicas_);
  const auto last = first + static_cast<std::ptrdiff_t>(replicas_);
  for (const std::int64_t unit : rule_.unit_devices) {
    const std::int64_t begin = run_device(target) / unit * unit;
    const auto low = std::lower_bound(first, last, begin);
    const auto high = std::lower_bound(low, last, begin + unit);
    if (low != high)
      return Senders{static_cast<std::int32_t>(low - holders_.begin()), static_cast<std::int32_t>(high - low)};
  }
  return Senders{static_cast<std::int32_t>(first - holders_.begin()), static_cast<std::int32_t>(replicas_)};
}

// Records which devices share senders. Returns false if that needs too much memory; senders are then shared among the
// devices of one target tile only.
bool Routing::share_senders() {
  constexpr double kFetchesMax = 4e5;
  const double classes = static_cast<double>(holders_.size()) / static_cast<double>(replicas_);
  const double most = std::max(static_cast<double>(devices()) * static_cast<double>(cells_max()),
                               classes * static_cast<double>(unit_count_));
  if (most > kFetchesMax) return false;
  groups_ = senders_by_unit();
  std::int64_t most_fetched = 0;  // by a device
  std::pmr::vector<std::int64_t> fetched_far(static_cast<std::size_t>(unit_count_), 0, memory_);
  for (std::int32_t target = 0; target < devices(); ++target) {
    base::look_for_stop();
    fetches_begin_.push_back(fetches_.size());
    const std::size_t innermost = first_unit(run_device(target), [](std::size_t) { return true; });
    std::int64_t fetched = 0;
    walk_cells(target, [&](const Cell& cell, const RunOf&) {
      if (own_class(target) == cell.source_class) return;
      const std::size_t unit = nearest(cell.source_class, run_device(target));
      const std::size_t group = static_cast<std::size_t>(cell.source_class * unit_count_) + unit;
      fetches_.push_back(Fetch{static_cast<std::int32_t>(group), groups_[group].total});
      groups_[group].total += cell.elements;
      fetched += cell.elements;
      if (unit != innermost) fetched_far[innermost] += cell.elements;
    });
    most_fetched = std::max(most_fetched, fetched);
  }
  if (rule_.unit_bandwidth > 0 && !rule_.unit_devices.empty()) relieve_near_senders(most_fetched, fetched_far);
  return true;
}

void Routing::relieve_near_senders(std::int64_t most_fetched, std::span<const std::int64_t> fetched_far) {
  // For each class its group of the whole machine, then the innermost units' groups, then those of units in between.
  const auto groups = static_cast<std::size_t>(unit_count_);
  const auto units = static_cast<std::size_t>(units_of(rule_.unit_devices.front()));
  const std::size_t classes = groups_.size() / groups;
  LinksBetween links;
  links.bandwidth = rule_.unit_bandwidth;
  for (std::size_t u = 1; u <= units; ++u) links.brought_into.push_back(static_cast<double>(fetched_far[u]));
  std::vector<UnitHolders> all;
  std::vector<std::size_t> group_of;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t u = 1; u <= units; ++u) {
      const Senders& senders = groups_[c * groups + u];
      if (senders.count == 0) continue;
      group_of.push_back(c * groups + u);
      all.push_back(UnitHolders{c, u - 1, static_cast<double>(senders.count), static_cast<double>(senders.total),
                                sent_far(c, holders_[static_cast<std::size_t>(senders.first)])});
    }
  }
  relieve(all, classes, static_cast<double>(replicas_), links, static_cast<double>(most_fetched));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double others = static_cast<double>(replicas_) - all[i].count;
    if (all[i].from_far == 0 || all[i].from_far < others * static_cast<double>(piece_elements_)) continue;
    groups_[group_of[i]].from_near = static_cast<std::int64_t>(all[i].fetched - all[i].from_far);
  }
}

// Elements that a holder of the class sends to devices without a holder in their own innermost unit.
double Routing::sent_far(std::size_t source_class, std::int64_t holder) const {
  const std::size_t of_class = source_class * static_cast<std::size_t>(unit_count_);
  double sent = 0;
  const auto add = [&](std::size_t unit) {
    const Senders& senders = groups_[of_class + unit];
    if (senders.total > 0) sent += static_cast<double>(senders.total) / static_cast<double>(senders.count);
  };
  bool innermost = true;
  first_unit(holder, [&](std::size_t unit) {
    if (!std::exchange(innermost, false)) add(unit);
    return false;
  });
  add(0);
  return sent;
}

Routing::Share Routing::share_of(const Cell& cell, std::int32_t target, std::size_t fetch) const {
  if (replicas_ == 1) return Share{Senders{static_cast<std::int32_t>(cell.source_class), 1, cell.elements}, 0};
  if (!fetches_begin_.empty()) {
    const Fetch& found = fetches_[fetch];
    return Share{groups_[static_cast<std::size_t>(found.group)], found.offset};
  }
  Share share{search_nearest(cell.source_class, target),
              number_in_tile_[static_cast<std::size_t>(target)] * cell.elements};
  share.senders.total = tile_copies_ * cell.elements;
  return share;
}

std::int64_t Routing::copies_at_most() const {
  constexpr double kEnough = 1e15;
  double total = 0;
  for (std::int32_t target = 0; target < devices(); ++target) {
    double boxes = 1;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) boxes *= static_cast<double>(runs(d, target).size());
    total += boxes;
  }
  return static_cast<std::int64_t>(std::min(kEnough, total * static_cast<double>(replicas_)));
}

std::int64_t Routing::cells_max() const {
  double most = 0;
  for (std::int32_t target = 0; target < devices(); ++target) {
    double cells = 1;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) cells *= static_cast<double>(runs(d, target).size());
    most = std::max(most, cells);
  }
  return static_cast<std::int64_t>(most);
}

void Routing::number_targets(const ArrayType& to) {
  std::int64_t tiles = shard_count(to.layout().pending());
  for (const AxisList& split : to.layout().splits()) tiles *= shard_count(split);
  tile_copies_ = static_cast<std::int32_t>(devices() / tiles);
  std::pmr::vector<std::int32_t> met(static_cast<std::size_t>(tiles), 0, memory_);
  std::pmr::vector<std::int32_t> tile_of(target_pending_.size(), memory_);
  write_classes(to, tile_of, nullptr);
  for (const std::int32_t of : tile_of) number_in_tile_.push_back(met[static_cast<std::size_t>(of)]++);
}

// The elements of a target tile's runs, which lie in ascending or in descending cells, that are in one cell.
std::int64_t Routing::numbers_of_cell(std::span<const Run> all, std::int32_t cell) {
  const bool ascends = all.front().cell <= all.back().cell;
  const auto before = [&](const Run& run, std::int32_t wanted) {
    return ascends ? run.cell < wanted : run.cell > wanted;
  };
  const auto mine = std::lower_bound(all.begin(), all.end(), cell, before);
  return mine != all.end() && mine->cell == cell ? mine->interval.length() : 0;
}

std::int64_t Routing::received_elements(std::int32_t target) const {
  std::int64_t wanted = 1;
  // Numbers of classes are small; narrow divisions take a fraction of the time.
  const bool holds = own_class(target) >= 0;
  auto own = holds ? static_cast<std::uint32_t>(own_class(target)) : 0;
  const auto pending = static_cast<std::uint32_t>(target_pending_[static_cast<std::size_t>(target)]);
  std::int64_t held = holds && own % static_cast<std::uint32_t>(pending_count_) == pending ? 1 : 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const std::span<const Run> all = runs(d, target);
    if (all.empty()) return 0;
    const auto stride = static_cast<std::uint32_t>(dimensions_[d].class_stride);
    const auto cell = static_cast<std::int32_t>(own / stride);
    own %= stride;
    wanted *= all.back().interval.end - all.front().interval.begin;
    held *= numbers_of_cell(all, cell);
  }
  return wanted - held;
}

namespace {

// The copies to one device out of some sources, in order of their boxes: which cells come in unless some are cut. Their
// devices are numbers of their meshes.
template <class Wants>
std::vector<BoxCopy> copies_to(const Routing& routing, const Mesh& from, std::int32_t target, const Wants& wants) {
  std::vector<BoxCopy> copies;
  const auto number = [&](std::int32_t source) {
    return static_cast<std::int32_t>(*from.number_of(DeviceId{static_cast<std::uint32_t>(source)}));
  };
  const auto wants_device = [&](std::int32_t source) { return wants(number(source)); };
  routing.walk_target(target, wants_device, [&](std::int32_t source, std::int32_t, const Box& box, std::int64_t) {
    copies.push_back(BoxCopy{number(source), target, box});
  });
  const auto before = [](const BoxCopy& a, const BoxCopy& b) { return a.box < b.box; };
  if (!std::is_sorted(copies.begin(), copies.end(), before)) std::sort(copies.begin(), copies.end(), before);
  return copies;
}

}  // namespace

std::vector<BoxCopy> copies(const ArrayType& from, const ArrayType& to, const Offset* offset) {
  return all_copies(Routing(from, to, offset), from.mesh());
}

bool is_local_copy(const BoxCopy& copy, const ArrayType& from, const ArrayType& to) {
  return from.mesh().device_of_run(copy.source) == to.mesh().device_of_run(copy.target);
}

std::vector<BoxCopy> copies(const RunMachine& machine, const ArrayType& from, const ArrayType& to,
                            const Offset* offset) {
  return all_copies(Routing(from, to, offset, sender_rule(Cluster(machine))), from.mesh());
}

std::vector<BoxCopy> all_copies(const Routing& routing, const Mesh& from) {
  std::vector<BoxCopy> all;
  for (std::int32_t target = 0; target < routing.devices(); ++target) {
    const std::vector<BoxCopy> some = copies_to(routing, from, target, [](std::int32_t) { return true; });
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

CopyWalk::CopyWalk(const ArrayType& from, const ArrayType& to, const Offset* offset)
    : routing_(std::make_shared<const Routing>(from, to, offset)), from_(from.mesh_ref()) {}

std::int64_t CopyWalk::copies_at_most() const { return routing_->copies_at_most(); }

void CopyWalk::to(std::int32_t target, const std::function<bool(std::int32_t source)>& wants,
                  const std::function<void(const BoxCopy&)>& f) const {
  for (const BoxCopy& copy : copies_to(*routing_, *from_, target, wants)) f(copy);
}

std::int64_t CopyWalk::received_elements(std::int32_t target) const { return routing_->received_elements(target); }

}  // namespace tessera::synth
