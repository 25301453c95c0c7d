// Collectives in their elementary form: box copies between devices, and reductions of boxes in a fixed order. Cost,
// verification and both backends read these and nothing else. Devices are numbers of their type's mesh: a source's of
// the mesh that it is read on, a target's of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/collective/collective.hpp"

namespace tessera::synth {

// Elements of `box` (coordinates of the target array) go from one device's tile to another's. On one mesh source ==
// target is a local copy; is_local_copy says it for any two.
struct BoxCopy {
  std::int32_t source = 0;
  std::int32_t target = 0;
  Box box;
  friend auto operator<=>(const BoxCopy&, const BoxCopy&) = default;
};
bool is_local_copy(const BoxCopy& copy, const ArrayType& from, const ArrayType& to);

// Where the elements of a source lie in the target, along one dimension: for every number k, source element
// offset + step*k lies at target position add + spread*k, as far as there are both. A step below 0 reverses; the spread
// is at least 1.
//
// Most often target element r is source element r + offset. `{1, 3}` takes every third element, the second one first;
// `{0, 1, 1, 3}` puts elements where such a selection took them.
struct Shift {
  std::int64_t offset = 0;
  std::int64_t step = 1;
  std::int64_t add = 0;
  std::int64_t spread = 1;

  Shift() = default;
  Shift(std::int64_t by) : offset(by) {}
  Shift(std::int64_t first, std::int64_t stride, std::int64_t at = 0, std::int64_t apart = 1)
      : offset(first), step(stride), add(at), spread(apart) {}
  friend auto operator<=>(const Shift&, const Shift&) = default;
};
// The numbers of the elements that a source of this extent has and that lie in the target's interval.
Interval numbers_in(const Shift& shift, std::int64_t source_extent, Interval target);

// The position of the target array in the source array, per dimension. The target may be larger than the source;
// elements without a source are not copied. Boxes of copies are then of the numbers of elements, which are positions of
// the target if it is not spread.
using Offset = base::FixedVector<Shift, kRankMax>;

// The copies that fill every device's tile of `to` from tiles of `from`, local ones included; in order of target
// device, then box. A device that holds an element itself never receives it. Else the nearest replica sends; equally
// near ones share what they send evenly. Pending sets are equal, and elements travel only between devices of equal
// pending coordinates. The meshes may be any two: a device of both keeps its elements. With an offset, the arrays may
// have other extents.
std::vector<BoxCopy> copies(const ArrayType& from, const ArrayType& to, const Offset* offset = nullptr);

// The same on a machine: "nearest" is the replica that the fewest links lie before. Prices are of
// these copies.
std::vector<BoxCopy> copies(const RunMachine& machine, const ArrayType& from, const ArrayType& to,
                            const Offset* offset = nullptr);

class Routing;

// The same copies, generated device by device without storing them all: between n devices there may be n * n.
class CopyWalk {
 public:
  CopyWalk(const ArrayType& from, const ArrayType& to, const Offset* offset = nullptr);

  // An upper bound of the number of all copies.
  std::int64_t copies_at_most() const;
  // f with the copies to one device, out of the sources that `wants` takes, in order of their boxes. Several threads
  // may ask at once.
  void to(std::int32_t target, const std::function<bool(std::int32_t source)>& wants,
          const std::function<void(const BoxCopy&)>& f) const;
  // The elements that copies bring to a device from others.
  std::int64_t received_elements(std::int32_t target) const;

 private:
  std::shared_ptr<const Routing> routing_;
  MeshRef from_;
};

// Elements of `box` on `target` are the combination of what the contributors hold, in this order, left to right.
// Devices that reduce together share one list of contributors: between n devices there may be n lists of n otherwise.
struct BoxReduction {
  std::int32_t target = 0;
  Box box;
  std::shared_ptr<const std::vector<std::int32_t>> contributors;
  std::size_t position = 0;  // of the target among the contributors
};

// reduce_scatter and all_reduce: for every device its tile of `to` from all positions along the axes that `to` no
// longer has pending, in ascending position along them (so that both give the same bits).
std::vector<BoxReduction> reductions(const ArrayType& from, const ArrayType& to);

// For keep: does this device keep the value?
bool keeps_value(const ArrayType& before, const AxisList& axes, std::int64_t device);

}  // namespace tessera::synth
