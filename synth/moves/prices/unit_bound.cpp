#include "synth/moves/prices/unit_bound.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/place/fit.hpp"

namespace tessera::synth {

namespace {

using Places = std::vector<std::int64_t>;

// The coordinates of a unit's devices: along each axis so many, from the first on.
struct Corner {
  Places first;
  Places widths;
};

// The positions along a part that the coordinates have; nothing where not all of these come with the same positions of
// the axis' other parts.
std::optional<Interval> positions_in(const Mesh& mesh, const AxisPart& part, const Corner& corner) {
  const std::int64_t inside = mesh.axes()[part.axis].size / end_of(part);
  const std::int64_t width = corner.widths[part.axis];
  const std::int64_t first = corner.first[part.axis] / inside % part.size;
  if (width <= inside) return Interval{first, first + 1};
  const std::int64_t count = width / inside;
  if (width % inside != 0 || (count > part.size && count % part.size != 0)) return std::nullopt;
  if (count >= part.size) return Interval{0, part.size};
  return first + count <= part.size ? std::optional(Interval{first, first + count}) : std::nullopt;
}

// The positions along a list of axes, ascending.
std::optional<Places> places_in(const Mesh& mesh, const AxisList& axes, const Corner& corner) {
  Places places{0};
  for (const AxisPart& part : axes) {
    const auto digits = positions_in(mesh, part, corner);
    if (!digits) return std::nullopt;
    Places finer;
    for (const std::int64_t place : places) {
      for (std::int64_t digit = digits->begin; digit < digits->end; ++digit) finer.push_back(place * part.size + digit);
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

// What the devices of a unit hold and need together.
struct UnitElements {
  double held = 0;
  double needed = 0;
  double both = 0;
  bool holds_all_parts = false;  // of the sums
  std::int64_t parts = 1;
  Places held_at;  // the first places of every dimension: units with the same ones hold the same, but for parts of sums
  Places needed_at;
};

std::optional<UnitElements> elements_of(const ArrayType& from, const ArrayType& to, const Corner& corner) {
  const auto parts = places_in(from.mesh(), from.layout().pending(), corner);
  if (!parts) return std::nullopt;
  UnitElements unit{1, 1, 1, false, std::ssize(*parts), {}, {}};
  unit.holds_all_parts = unit.parts == shard_count(from.layout().pending());
  for (std::size_t d = 0; d < to.rank(); ++d) {
    const auto before = places_in(from.mesh(), from.layout().split(d), corner);
    const auto after = places_in(to.mesh(), to.layout().split(d), corner);
    if (!before || !after) return std::nullopt;
    const std::vector<Interval> held = covered(cuts(from, d), *before);
    const std::vector<Interval> wanted = covered(cuts(to, d), *after);
    unit.held *= length_of(held);
    unit.needed *= length_of(wanted);
    unit.both *= length_of_both(held, wanted);
    unit.held_at.push_back(before->front());
    unit.needed_at.push_back(after->front());
  }
  return unit;
}

// All units of a level, each with what it holds and needs, whose sums lie alike in them.
class SumUnits {
 public:
  // Nothing where a unit's tiles are not all combinations of places.
  static std::optional<SumUnits> of(const PlaceMatrix& matrix, std::size_t level, std::size_t units,
                                    const ArrayType& from, const ArrayType& to) {
    SumUnits all;
    all.contributors_ = static_cast<double>(shard_count(from.layout().pending()));
    all.elements_ = static_cast<double>(array_bytes(to) / bytes_of(to.element()));
    for (std::size_t unit = 0; unit < units; ++unit) {
      base::look_for_stop();
      auto elements = elements_of(from, to, corner_of(matrix, level, unit));
      if (!elements) return std::nullopt;
      all.note(*elements);
      all.units_.push_back(std::move(*elements));
    }
    return all;
  }

  // Elements over all links of the level.
  double crossings() const {
    double needed = 0;
    double held_where_needed = 0;
    for (const UnitElements& unit : units_) needed += unit.needed;
    if (units_.front().holds_all_parts) {
      for (const UnitElements& unit : units_) held_where_needed += unit.both;
      return needed - held_where_needed;
    }
    for (const auto& [at, both] : contributed_) held_where_needed += both;
    return elements_ * (contributors_ / static_cast<double>(units_.front().parts) - 1) + needed - held_where_needed;
  }
  // Over the link of a unit, one way or the other: what it lacks, or has the only parts of.
  double over_link(std::size_t number) const {
    const UnitElements& unit = units_[number];
    const double lacked = unit.needed - (unit.holds_all_parts ? unit.both : 0);
    const double units_of_parts = contributors_ / static_cast<double>(unit.parts);
    const bool has_copies = static_cast<double>(holders_.at(unit.held_at)) > units_of_parts;
    const bool is_alone = needers_.at(unit.needed_at) == 1;
    return std::max(lacked, has_copies ? 0 : unit.held - (is_alone ? unit.both : 0));
  }

 private:
  // Digits of the unit's number, the level's own last, each split by the level's column, the first axis most
  // significant.
  static Corner corner_of(const PlaceMatrix& matrix, std::size_t level, std::size_t unit) {
    Corner corner{Places(matrix.rows.size(), 0), Places(matrix.rows.size(), 1)};
    for (std::size_t l = matrix.rows.front().size(); l-- > 0;) {
      for (std::size_t axis = matrix.rows.size(); axis-- > 0;) {
        const std::int64_t factor = matrix.rows[axis][l];
        if (l <= level) {
          const auto digit = static_cast<std::int64_t>(unit) % factor;
          unit /= static_cast<std::size_t>(factor);
          corner.first[axis] += digit * strides_at(matrix, axis, l);
        } else {
          corner.widths[axis] *= factor;
        }
      }
    }
    return corner;
  }
  static std::int64_t strides_at(const PlaceMatrix& matrix, std::size_t axis, std::size_t level) {
    std::int64_t stride = 1;
    for (std::size_t l = level + 1; l < matrix.rows[axis].size(); ++l) stride *= matrix.rows[axis][l];
    return stride;
  }
  void note(const UnitElements& unit) {
    contributed_[{unit.held_at, unit.needed_at}] = unit.both;
    ++holders_[unit.held_at];
    ++needers_[unit.needed_at];
  }

  double contributors_ = 1;
  double elements_ = 0;
  std::vector<UnitElements> units_;
  std::map<std::pair<Places, Places>, double> contributed_;  // where it is needed; each element once
  std::map<Places, std::int64_t> holders_;                   // how many units hold the same, or other parts of it
  std::map<Places, std::int64_t> needers_;
};

// How the mesh of both types lies on the machine, all of which it fills; nothing where there are two, or where no
// matrix says it.
std::optional<PlaceMatrix> matrix_of_both(const RunMachine& machine, const ArrayType& from, const ArrayType& to) {
  const Mesh& mesh = to.mesh();
  if (from.mesh() != mesh || mesh.devices_end() != Cluster(machine).devices() || mesh.devices() != mesh.devices_end())
    return std::nullopt;
  auto matrix = matrix_on(mesh, machine);
  const bool is_whole = matrix && matrix->rows.front().size() == machine.levels.size();
  return is_whole ? matrix : std::nullopt;
}

}  // namespace

double first_units_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to) {
  if (!to.layout().pending().empty()) return 0;
  const auto matrix = matrix_of_both(machine, from, to);
  return matrix ? first_units_bound(Cluster(machine), *matrix, from, to) : 0;
}

double first_units_bound(const Cluster& cluster, const PlaceMatrix& matrix, const ArrayType& from,
                         const ArrayType& to) {
  const auto element_bytes = static_cast<double>(bytes_of(to.element()));
  Corner corner{Places(matrix.rows.size(), 0), Places(matrix.rows.size(), 1)};
  double longest = 0;
  // From the devices outwards: the levels inside multiply the coordinates of a unit.
  for (std::size_t l = cluster.levels().size(); l-- > 0;) {
    if (const auto unit = elements_of(from, to, corner)) {
      const double lacked = unit->needed - (unit->holds_all_parts ? unit->both : 0);
      longest = std::max(longest, lacked * element_bytes / cluster.levels()[l].bandwidth_of(0));
    }
    for (std::size_t axis = 0; axis < corner.widths.size(); ++axis) corner.widths[axis] *= matrix.rows[axis][l];
  }
  return longest;
}

double sum_crossings_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to) {
  if (from.layout().pending().empty() || !to.layout().pending().empty()) return 0;
  const auto matrix = matrix_of_both(machine, from, to);
  if (!matrix) return 0;
  const Cluster cluster(machine);
  const auto element_bytes = static_cast<double>(bytes_of(to.element()));
  double longest = 0;
  for (std::size_t l = 0; l < cluster.levels().size(); ++l) {
    const Cluster::Level& level = cluster.levels()[l];
    if (level.unit_devices == 1) continue;
    const auto units = SumUnits::of(*matrix, l, level.units, from, to);
    if (!units) continue;
    longest = std::max(longest, units->crossings() * element_bytes / level.bandwidth_of_all());
    for (std::size_t unit = 0; unit < level.units; ++unit)
      longest = std::max(longest, units->over_link(unit) * element_bytes / level.bandwidth_of(unit));
  }
  return longest;
}

}  // namespace tessera::synth
