#include "synth/planner/refinements.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/place_matrix.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

namespace {

// The pieces of a part that lie on a level each, where a matrix places the mesh, outermost first.
AxisList cut_at_levels(const Mesh& mesh, const AxisPart& part) {
  AxisList pieces{part};
  if (mesh.matrix() == nullptr) return pieces;
  std::int64_t end = 1;  // of the positions along the axis, the outer levels' digits
  for (const std::int64_t factor : mesh.matrix()->rows[part.axis]) {
    end *= factor;
    const AxisPart last = pieces.back();
    if (end <= last.before || end >= end_of(last) || end % last.before != 0 || end_of(last) % end != 0) continue;
    pieces.back().size = end / last.before;
    pieces.push_back(AxisPart{last.axis, end, end_of(last) / end});
  }
  return pieces;
}

std::int64_t smallest_prime(std::int64_t number) {
  for (std::int64_t p = 2; p * p <= number; ++p) {
    if (number % p == 0) return p;
  }
  return number;
}

// Digits of prime size, nearest first.
AxisList nearest_digits(const Mesh& mesh, const AxisList& unused, const std::vector<std::int64_t>& units) {
  AxisList digits;
  for (const AxisPart& part : unused) {
    for (AxisPart piece : cut_at_units(mesh, part, units)) {
      while (piece.size > 1) {
        const std::int64_t prime = smallest_prime(piece.size);
        digits.push_back(AxisPart{piece.axis, piece.before, prime});
        piece = AxisPart{piece.axis, piece.before * prime, piece.size / prime};
      }
    }
  }
  const auto nearer = [&](const AxisPart& a, const AxisPart& b) { return stride_of(mesh, a) < stride_of(mesh, b); };
  std::sort(digits.begin(), digits.end(), nearer);
  return digits;
}

}  // namespace

namespace {

AxisList cut_piece(const Mesh& mesh, const AxisPart& part, const std::vector<std::int64_t>& units) {
  AxisList pieces{part};
  for (const std::int64_t unit : units) {
    const AxisPart last = pieces.front();  // the outermost: units ascend
    const std::int64_t stride = stride_of(mesh, last);
    const std::int64_t inside = unit % stride == 0 ? unit / stride : 1;
    if (inside <= 1 || inside >= last.size || last.size % inside != 0) continue;
    pieces.front().size = last.size / inside;
    pieces.insert(pieces.begin() + 1, AxisPart{last.axis, last.before * (last.size / inside), inside});
  }
  return pieces;
}

}  // namespace

std::int64_t stride_of(const Mesh& mesh, const AxisPart& part) {
  const std::int64_t places = mesh.stride(part.axis) * (mesh.axes()[part.axis].size / end_of(part));
  return part.size == 1 ? places : std::abs(mesh.device_at(places) - mesh.device_at(0));
}

AxisList cut_at_units(const Mesh& mesh, const AxisPart& part, const std::vector<std::int64_t>& units) {
  AxisList pieces;
  for (const AxisPart& on_level : cut_at_levels(mesh, part)) {
    const AxisList cut = cut_piece(mesh, on_level, units);
    pieces.insert(pieces.end(), cut.begin(), cut.end());
  }
  return pieces;
}

Refinements::Refinements(const ArrayType& from, const ArrayType& to, const RunMachine& machine)
    : from_(from), to_(to), units_(Cluster(machine).unit_sizes()), ways_(to.rank() + 2) {
  if (to.rank() == 0) return;
  most_ = to.devices() <= kFewDevices ? 12 : 4;
  std::vector<AxisList> used = to.layout().splits();
  used.push_back(to.layout().pending());
  digits_ = nearest_digits(to.mesh(), unused(to.mesh(), used), units_);
  const auto propose = [](std::size_t count, std::vector<std::size_t>& counts) {
    if (count > 0 && std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
  };
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit) propose(digits_inside(*unit), inside_);
  // All that lie in one unit, the outermost first; then all; then ever fewer.
  counts_ = inside_;
  for (std::size_t count = digits_.size(); count > 0; --count) propose(count, counts_);
}

std::size_t Refinements::digits_inside(std::int64_t unit) const {
  const auto is_inside = [&](const AxisPart& digit) { return stride_of(to_.mesh(), digit) * digit.size <= unit; };
  return static_cast<std::size_t>(std::count_if(digits_.begin(), digits_.end(), is_inside));
}

bool Refinements::all_inside(std::size_t count) const {
  return std::all_of(digits_.begin(), digits_.begin() + static_cast<std::ptrdiff_t>(count), [&](const AxisPart& digit) {
    return units_.empty() || units_.front() % (stride_of(to_.mesh(), digit) * digit.size) == 0;
  });
}

// On many devices few are tried, and so one way for each number of digits before the next way.
std::optional<Refinement> Refinements::next() {
  const bool by_ways = to_.devices() > kExactDevicesMax;
  while (met_.size() < most_ && at_ < counts_.size() * ways_) {
    const std::size_t count = counts_[by_ways ? at_ % counts_.size() : at_ / ways_];
    const std::size_t way = by_ways ? at_ / counts_.size() : at_ % ways_;
    ++at_;
    auto type = cut(cut_by(count, way));
    if (!type || std::find(met_.begin(), met_.end(), type->layout()) != met_.end()) continue;
    met_.push_back(type->layout());
    return Refinement{std::move(*type), all_inside(count)};
  }
  return std::nullopt;
}

std::vector<std::vector<ArrayType>> Refinements::by_levels() const {
  std::vector<std::vector<ArrayType>> all;
  for (std::size_t way = 0; inside_.size() > 1 && way < ways_ && all.size() < most_; ++way) {
    std::vector<ArrayType> types;
    for (const std::size_t count : inside_) {
      if (auto type = cut(cut_by(count, way))) types.push_back(std::move(*type));
    }
    if (types.size() == inside_.size() && std::find(all.begin(), all.end(), types) == all.end())
      all.push_back(std::move(types));
  }
  return all;
}

// The target cut by so many digits, in one of the ways.
Refinements::Splits Refinements::cut_by(std::size_t count, std::size_t way) const {
  AxisList digits(digits_.begin(), digits_.begin() + static_cast<std::ptrdiff_t>(count));
  std::reverse(digits.begin(), digits.end());  // far ones are major
  if (way == 0) return following(digits);
  return way <= to_.rank() ? on_dimension(digits, way - 1) : dealt(digits);
}

// Each digit where the source has it, in the source's order, so that devices keep what they hold; what the source
// leaves unused too goes to the longest tiles.
Refinements::Splits Refinements::following(const AxisList& digits) const {
  Splits splits = to_.layout().splits();
  AxisList left = digits;
  for (std::size_t d = 0; from_.mesh() == to_.mesh() && d < from_.rank(); ++d) {
    const AxisList shared = shared_in_order(from_.layout().split(d), left).value_or(AxisList{});
    const auto rest = without(left, shared);
    if (shared.empty() || !rest) continue;
    splits[d].insert(splits[d].end(), shared.begin(), shared.end());
    left = *rest;
  }
  AxisList& longest = splits[longest_dimension(splits)];
  longest.insert(longest.end(), left.begin(), left.end());
  return splits;
}

Refinements::Splits Refinements::on_dimension(const AxisList& digits, std::size_t dimension) const {
  Splits splits = to_.layout().splits();
  splits[dimension].insert(splits[dimension].end(), digits.begin(), digits.end());
  return splits;
}

Refinements::Splits Refinements::dealt(const AxisList& digits) const {
  Splits splits = to_.layout().splits();
  for (const AxisPart& digit : digits) splits[longest_dimension(splits)].push_back(digit);
  return splits;
}

std::size_t Refinements::longest_dimension(const Splits& splits) const {
  std::size_t longest = 0;
  const auto tile = [&](std::size_t d) { return to_.shape()[d] / shard_count(splits[d]); };
  for (std::size_t d = 1; d < splits.size(); ++d) {
    if (tile(d) > tile(longest)) longest = d;
  }
  return longest;
}

std::optional<ArrayType> Refinements::cut(Splits splits) const {
  for (std::size_t d = 0; d < splits.size(); ++d) {
    if (!Cuts(to_.mesh(), to_.shape()[d], splits[d]).fill_every_tile()) return std::nullopt;
  }
  auto layout = Layout::make(to_.mesh(), std::move(splits), to_.layout().pending(), to_.layout().reduce());
  if (!layout.ok()) return std::nullopt;
  auto type = to_.with_layout(std::move(*layout));
  return type.ok() ? std::optional(std::move(*type)) : std::nullopt;
}

}  // namespace tessera::synth
