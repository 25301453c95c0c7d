// Private to synth: refinements of a target. Where devices near each other are to hold the same tile, each may fetch a
// part of it from afar and get the rest from its neighbours. A refinement is the target cut further along axes that it
// leaves unused. Its tiles lie inside the target's, so nothing on the way is larger than the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/layout/cluster/machine.hpp"

namespace tessera::synth {

// How far apart in numbers of devices the neighbours along a part are, which lies on one level where a matrix places
// it.
std::int64_t stride_of(const Mesh& mesh, const AxisPart& part);
// The part cut where a unit of the machine ends, if one does end inside, major first. Units are in devices, ascending.
AxisList cut_at_units(const Mesh& mesh, const AxisPart& part, const std::vector<std::int64_t>& units);

// The refinements of the target that a plan may pass through, the more promising ones first: at most
// 12, fewer on many devices, where each takes longer to price.
struct Refinement {
  ArrayType type;
  bool inside = false;  // by axes that lie within the innermost units: the gather after it crosses none of their links
};
class Refinements {
 public:
  // All three outlive this.
  Refinements(const ArrayType& from, const ArrayType& to, const RunMachine& machine);
  std::optional<Refinement> next();
  // Lists of refinements, each of which is gathered into the next: by the axes inside the outermost units, then by
  // those inside smaller ones. So every level's links carry only what lies beyond them. None unless two levels have
  // units with such axes. Example: f32[64@(x,y,z)] -> f32[64], of which x parts pods, y nodes and z the devices of one,
  // goes through f32[64@(y,z)] and f32[64@z].
  std::vector<std::vector<ArrayType>> by_levels() const;

 private:
  using Splits = std::vector<AxisList>;
  std::size_t digits_inside(std::int64_t unit) const;
  Splits cut_by(std::size_t count, std::size_t way) const;
  std::optional<ArrayType> cut(Splits splits) const;
  Splits following(const AxisList& digits) const;
  Splits on_dimension(const AxisList& digits, std::size_t dimension) const;
  Splits dealt(const AxisList& digits) const;
  std::size_t longest_dimension(const Splits& splits) const;
  bool all_inside(std::size_t count) const;

  const ArrayType& from_;
  const ArrayType& to_;
  std::vector<std::int64_t> units_;  // devices of each, ascending
  AxisList digits_;                  // that the target leaves unused, of prime size, nearest first
  std::vector<std::size_t> inside_;  // how many of them lie in units of the levels, the outermost first
  std::vector<std::size_t> counts_;  // how many of them to use
  std::size_t ways_ = 0;             // to use them
  std::size_t most_ = 0;
  std::size_t at_ = 0;
  std::vector<Layout> met_;
};

}  // namespace tessera::synth
