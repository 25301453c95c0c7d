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
  holders_begin_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int32_t c : source_class_) ++holders_begin_[static_cast<std::size_t>(c) + 1];
  std::partial_sum(holders_begin_.begin(), holders_begin_.end(), holders_begin_.begin());
  holders_.resize(source_class_.size());
  std::vector<std::int32_t> next(holders_begin_.begin(), holders_begin_.end() - 1);
  for (std::size_t device = 0; device < source_class_.size(); ++device) {
    holders_[static_cast<std::size_t>(next[static_cast<std::size_t>(source_class_[device])]++)] =
        static_cast<std::int32_t>(device);
  }
}

void Routing::number_targets(const ArrayType& to) {
  target_pending_ = positions(to.mesh(), to.layout().pending());
  target_class_ = classes(to, nullptr);
  std::vector<std::int32_t> seen(target_class_.size(), 0);
  for (std::size_t device = 0; device < target_class_.size(); ++device) {
    const std::int32_t number = seen[static_cast<std::size_t>(target_class_[device])]++;
    number_in_class_.push_back(number);
    wanters_.push_back(Wanter{target_class_[device], source_class_[device], number});
  }
  std::sort(wanters_.begin(), wanters_.end());
}

Routing::Senders Routing::nearest(std::int64_t cell_class, std::int32_t target) const {
  const std::int32_t* first = holders_.data() + holders_begin_[static_cast<std::size_t>(cell_class)];
  const std::int32_t* last = holders_.data() + holders_begin_[static_cast<std::size_t>(cell_class) + 1];
  for (const std::int64_t unit : rule_.unit_devices) {
    const std::int64_t begin = target / unit * unit;
    const std::int32_t* low = std::lower_bound(first, last, begin);
    const std::int32_t* high = std::lower_bound(low, last, begin + unit);
    if (low != high) return Senders{low, high - low};
  }
  return Senders{first, last - first};
}

std::int64_t Routing::rank(std::int64_t cell_class, std::int32_t target) const {
  const auto device = static_cast<std::size_t>(target);
  const auto cell = static_cast<std::int32_t>(cell_class);
  const std::int32_t number = number_in_class_[device];
  const auto holders = std::lower_bound(wanters_.begin(), wanters_.end(), Wanter{target_class_[device], cell, 0});
  const auto before = std::lower_bound(holders, wanters_.end(), Wanter{target_class_[device], cell, number});
  return number - (before - holders);
}

std::int64_t Routing::parts(std::int64_t senders, std::int64_t longest, std::int64_t elements) const {
  const double large_enough = static_cast<double>(elements) / piece_elements_;
  const std::int64_t most = std::min(senders, longest);
  if (large_enough >= static_cast<double>(most)) return most;
  return std::max<std::int64_t>(static_cast<std::int64_t>(large_enough), 1);
}

std::int64_t Routing::copies_at_most() const {
  constexpr double kEnough = 1e15;
  const auto senders = static_cast<std::int64_t>(devices() / static_cast<std::int64_t>(holders_begin_.size() - 1));
  double total = 0;
  for (std::int32_t target = 0; target < devices(); ++target) {
    double boxes = 1;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) boxes *= static_cast<double>(runs(d, target).size());
    total += boxes;
  }
  return static_cast<std::int64_t>(std::min(kEnough, total * static_cast<double>(senders)));
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
