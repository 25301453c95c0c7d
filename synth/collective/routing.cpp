#include "synth/collective/routing.hpp"

#include <numeric>

#include "base/check.hpp"
#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

__extension__ using Wide = __int128;

// The tile of `parts` that holds an element.
std::int64_t tile_of(std::int64_t extent, std::int64_t parts, std::int64_t element) {
  return static_cast<std::int64_t>((static_cast<Wide>(element + 1) * parts - 1) / extent);
}

// Where the target array's interval lies in a source array of that extent; may be empty. Offsets of any size are safe.
Interval in_source(Interval target, std::int64_t source_extent, std::int64_t offset) {
  const auto clamp = [&](Wide at) {
    return static_cast<std::int64_t>(std::clamp<Wide>(at, 0, static_cast<Wide>(source_extent)));
  };
  return Interval{clamp(static_cast<Wide>(target.begin) + offset), clamp(static_cast<Wide>(target.end) + offset)};
}

}  // namespace

Routing::Routing(const ArrayType& from, const ArrayType& to, const Offset* offset, SenderRule rule)
    : rule_(std::move(rule)), piece_elements_(rule_.piece_bytes / static_cast<double>(bytes_of(to.element()))) {
  TESSERA_CHECK(from.devices() == to.devices(), "copies between meshes of different sizes");
  TESSERA_CHECK(from.rank() == to.rank(), "copies between arrays of different rank");
  for (std::size_t d = 0; d < to.rank(); ++d) add_dimension(from, to, d, offset == nullptr ? 0 : (*offset)[d]);
  number_sources(from);
  number_targets(to);
  share_senders();
}

void Routing::add_dimension(const ArrayType& from, const ArrayType& to, std::size_t d, std::int64_t offset) {
  Dimension dimension;
  dimension.target_tile = positions(to.mesh(), to.layout().split(d));
  const std::int64_t target_tiles = shard_count(to.layout().split(d));
  const std::int64_t cells = shard_count(from.layout().split(d));
  const std::int64_t source_extent = from.shape()[d];
  for (std::int64_t t = 0; t < target_tiles; ++t) {
    const Interval tile = cut(to.shape()[d], target_tiles, t);
    const Interval wanted = in_source(tile, source_extent, offset);
    auto& runs = dimension.runs.emplace_back();
    for (std::int64_t at = wanted.begin; at < wanted.end;) {
      const std::int64_t cell = tile_of(source_extent, cells, at);
      const std::int64_t end = std::min(cut(source_extent, cells, cell).end, wanted.end);
      runs.push_back(Run{static_cast<std::int32_t>(cell), Interval{at - offset, end - offset}});
      at = end;
    }
  }
  dimensions_.push_back(std::move(dimension));
}

// A device's class: its tile's number in every dimension and its position along the pending axes, as one number.
std::vector<std::int32_t> Routing::classes(const ArrayType& type, std::vector<std::int64_t>* strides) const {
  std::vector<std::int32_t> result = positions(type.mesh(), type.layout().pending());
  std::int64_t stride = shard_count(type.layout().pending());
  for (std::size_t d = type.rank(); d-- > 0;) {
    const std::vector<std::int32_t> tiles = positions(type.mesh(), type.layout().split(d));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += static_cast<std::int32_t>(tiles[i] * stride);
    if (strides != nullptr) strides->push_back(stride);
    stride *= shard_count(type.layout().split(d));
  }
  return result;
}

void Routing::number_sources(const ArrayType& from) {
  std::vector<std::int64_t> strides;
  source_class_ = classes(from, &strides);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) dimensions_[d].class_stride = strides[strides.size() - 1 - d];
  pending_count_ = shard_count(from.layout().pending());
  std::int64_t count = pending_count_;
  for (const AxisList& split : from.layout().splits()) count *= shard_count(split);
  replicas_ = devices() / count;
  holders_.resize(source_class_.size());
  std::vector<std::int32_t> met(static_cast<std::size_t>(count), 0);
  for (std::size_t device = 0; device < source_class_.size(); ++device) {
    const auto of = static_cast<std::size_t>(source_class_[device]);
    holders_[of * static_cast<std::size_t>(replicas_) + static_cast<std::size_t>(met[of]++)] =
        static_cast<std::int32_t>(device);
  }
}

std::size_t Routing::unit_count() const {
  std::int64_t count = 1;
  for (const std::int64_t unit : rule_.unit_devices) count += devices() / unit;
  return static_cast<std::size_t>(count);
}

std::pair<Routing::Senders, std::size_t> Routing::nearest(std::int64_t cell_class, std::int32_t target) const {
  const std::int32_t* first = holders_.data() + cell_class * replicas_;
  const std::int32_t* last = first + replicas_;
  const std::size_t group = static_cast<std::size_t>(cell_class) * unit_count();
  std::int64_t units = 1;
  for (const std::int64_t unit : rule_.unit_devices) {
    const std::int64_t begin = target / unit * unit;
    const std::int32_t* low = std::lower_bound(first, last, begin);
    const std::int32_t* high = std::lower_bound(low, last, begin + unit);
    if (low != high) {
      const Senders near{static_cast<std::int32_t>(low - holders_.data()), static_cast<std::int32_t>(high - low)};
      return {near, group + static_cast<std::size_t>(units + target / unit)};
    }
    units += devices() / unit;
  }
  return {Senders{static_cast<std::int32_t>(first - holders_.data()), static_cast<std::int32_t>(replicas_)}, group};
}

// Who shares senders with whom, counted where that is not too much to remember; else as if just the devices of one
// target tile shared them.
void Routing::share_senders() {
  constexpr double kSharesMax = 8e6;
  if (replicas_ == 1) return;
  if (static_cast<double>(devices()) * static_cast<double>(cells_max()) > kSharesMax) return;
  std::vector<std::int64_t> totals(holders_.size() / static_cast<std::size_t>(replicas_) * unit_count(), 0);
  std::vector<std::size_t> groups;
  for (std::int32_t target = 0; target < devices(); ++target) {
    shares_begin_.push_back(shares_.size());
    walk_cells(target, [&](std::int64_t cell_class, const Box& box) {
      if (source_class_[static_cast<std::size_t>(target)] == cell_class) return;
      auto [senders, group] = nearest(cell_class, target);
      senders.offset = totals[group];
      totals[group] += elements(box);
      shares_.push_back(senders);
      groups.push_back(group);
    });
  }
  for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i].total = totals[groups[i]];
}

Routing::Senders Routing::senders_of(std::int64_t cell_class, std::int32_t target, std::size_t fetch,
                                     std::int64_t elements) const {
  if (replicas_ == 1) return Senders{static_cast<std::int32_t>(cell_class), 1};
  if (!shares_.empty()) return shares_[fetch];
  Senders senders = nearest(cell_class, target).first;
  senders.offset = number_in_tile_[static_cast<std::size_t>(target)] * elements;
  senders.total = tile_copies_ * elements;
  return senders;
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
  target_pending_ = positions(to.mesh(), to.layout().pending());
  std::int64_t tiles = shard_count(to.layout().pending());
  for (const AxisList& split : to.layout().splits()) tiles *= shard_count(split);
  tile_copies_ = static_cast<std::int32_t>(devices() / tiles);
  std::vector<std::int32_t> met(static_cast<std::size_t>(tiles), 0);
  for (const std::int32_t of : classes(to, nullptr)) number_in_tile_.push_back(met[static_cast<std::size_t>(of)]++);
}

std::int64_t Routing::received_elements(std::int32_t target) const {
  std::int64_t wanted = 1;
  std::int64_t own = source_class_[static_cast<std::size_t>(target)];
  std::int64_t held = own % pending_count_ == target_pending_[static_cast<std::size_t>(target)] ? 1 : 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const std::vector<Run>& all = runs(d, target);
    if (all.empty()) return 0;
    const std::int64_t cell = own / dimensions_[d].class_stride;
    own -= cell * dimensions_[d].class_stride;
    const auto by_cell = [](const Run& run, std::int64_t wanted_cell) { return run.cell < wanted_cell; };
    const auto mine = std::lower_bound(all.begin(), all.end(), cell, by_cell);
    wanted *= all.back().interval.end - all.front().interval.begin;
    held *= mine != all.end() && mine->cell == cell ? mine->interval.length() : 0;
  }
  return wanted - held;
}

std::vector<BoxCopy> copies(const ArrayType& from, const ArrayType& to, const Offset* offset) {
  return all_copies(Routing(from, to, offset));
}

std::vector<BoxCopy> all_copies(const Routing& routing) {
  std::vector<BoxCopy> all;
  for (std::int32_t target = 0; target < routing.devices(); ++target) {
    const auto begin = static_cast<std::ptrdiff_t>(all.size());
    routing.walk_target(target, [&](std::int32_t source, std::int32_t receiver, const Box& box, std::int64_t) {
      all.push_back(BoxCopy{source, receiver, box});
    });
    std::sort(all.begin() + begin, all.end(), [](const BoxCopy& a, const BoxCopy& b) { return a.box < b.box; });
  }
  return all;
}

}  // namespace tessera::synth
