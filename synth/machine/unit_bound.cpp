#include "synth/machine/unit_bound.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "synth/layout/axis_parts.hpp"
#include "synth/place/fit.hpp"

namespace tessera::synth {

namespace {

using Places = std::vector<std::int64_t>;

// How many of a part's positions, from 0 on, the coordinates below `width` have; nothing where not all of these come
// with the same positions of the axis' other parts.
std::optional<std::int64_t> positions_below(const Mesh& mesh, const AxisPart& part, std::int64_t width) {
  const std::int64_t inside = mesh.axes()[part.axis].size / end_of(part);
  if (width <= inside) return 1;
  const std::int64_t count = width / inside;
  if (width % inside != 0 || (count > part.size && count % part.size != 0)) return std::nullopt;
  return std::min(count, part.size);
}

// The positions along a list of axes, ascending.
std::optional<Places> places_below(const Mesh& mesh, const AxisList& axes, const Places& widths) {
  Places places{0};
  for (const AxisPart& part : axes) {
    const auto count = positions_below(mesh, part, widths[part.axis]);
    if (!count) return std::nullopt;
    Places finer;
    for (const std::int64_t place : places) {
      for (std::int64_t digit = 0; digit < *count; ++digit) finer.push_back(place * part.size + digit);
    }
    places = std::move(finer);
  }
  return places;
}

// Intervals that are next to each other as one.
std::vector<Interval> covered(const Cuts& cuts, const Places& places) {
  std::vector<Interval> all;
  for (const std::int64_t place : places) {
    const Interval tile = cuts.tile(place);
    if (tile.length() == 0) continue;
    if (!all.empty() && all.back().end == tile.begin) {
      all.back().end = tile.end;
    } else {
      all.push_back(tile);
    }
  }
  return all;
}

double length_of(const std::vector<Interval>& intervals) {
  double length = 0;
  for (const Interval& interval : intervals) length += static_cast<double>(interval.length());
  return length;
}

double length_of_both(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  double length = 0;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Interval both{std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
    length += static_cast<double>(std::max<std::int64_t>(0, both.length()));
    ++(a[i].end < b[k].end ? i : k);
  }
  return length;
}

// The elements that the devices below these coordinates need and do not hold all contributions to.
std::optional<double> lacked_elements(const ArrayType& from, const ArrayType& to, const Places& widths) {
  const auto parts = places_below(from.mesh(), from.layout().pending(), widths);
  if (!parts) return std::nullopt;
  double needed = 1;
  double held = static_cast<std::int64_t>(parts->size()) == shard_count(from.layout().pending()) ? 1 : 0;
  for (std::size_t d = 0; d < to.rank(); ++d) {
    const auto before = places_below(from.mesh(), from.layout().split(d), widths);
    const auto after = places_below(to.mesh(), to.layout().split(d), widths);
    if (!before || !after) return std::nullopt;
    const std::vector<Interval> wanted = covered(cuts(to, d), *after);
    needed *= length_of(wanted);
    held *= length_of_both(covered(cuts(from, d), *before), wanted);
  }
  return needed - held;
}

// How the mesh of both types lies on the machine, all of which it fills; nothing where there are two, or where no
// matrix says it.
std::optional<PlaceMatrix> matrix_of_both(const Machine& machine, const ArrayType& from, const ArrayType& to) {
  const Mesh& mesh = to.mesh();
  if (from.mesh() != mesh || mesh.devices_end() != Cluster(machine).devices() || mesh.devices() != mesh.devices_end())
    return std::nullopt;
  auto matrix = matrix_on(mesh, machine);
  const bool is_whole = matrix && matrix->rows.front().size() == machine.levels.size();
  return is_whole ? matrix : std::nullopt;
}

}  // namespace

double first_units_bound(const Machine& machine, const ArrayType& from, const ArrayType& to) {
  if (!to.layout().pending().empty()) return 0;
  const auto matrix = matrix_of_both(machine, from, to);
  return matrix ? first_units_bound(Cluster(machine), *matrix, from, to) : 0;
}

double first_units_bound(const Cluster& cluster, const PlaceMatrix& matrix, const ArrayType& from,
                         const ArrayType& to) {
  const auto element_bytes = static_cast<double>(bytes_of(to.element()));
  Places widths(matrix.rows.size(), 1);
  double longest = 0;
  // From the devices outwards: the levels inside multiply the coordinates of a unit.
  for (std::size_t l = cluster.levels().size(); l-- > 0;) {
    const auto lacked = lacked_elements(from, to, widths);
    if (lacked) longest = std::max(longest, *lacked * element_bytes / cluster.levels()[l].bandwidth_of(0));
    for (std::size_t axis = 0; axis < widths.size(); ++axis) widths[axis] *= matrix.rows[axis][l];
  }
  return longest;
}

}  // namespace tessera::synth
