// Collectives in their elementary form: box copies between devices, and reductions of boxes in a fixed order. Cost,
// verification and both backends read these and nothing else. Devices are numbers of their type's mesh: a source's of
// the mesh that it is read on, a target's of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "synth/cluster/machine.hpp"
#include "synth/collective/collective.hpp"
#include "synth/layout/array_type.hpp"

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

// The position of the target array in the source array: target element r is source element r + offset, per dimension.
// The target may be larger than the source; elements without a source are not copied.
using Offset = base::FixedVector<std::int64_t, kRankMax>;

// The copies that fill every device's tile of `to` from tiles of `from`, local ones included; in order of target
// device, then box. A device that holds an element itself never receives it. Else the nearest replica sends; equally
// near ones share what they send evenly. Pending sets are equal, and elements travel only between devices of equal
// pending coordinates. The meshes may be any two: a device of both keeps its elements. With an offset, the arrays may
// have other extents.
std::vector<BoxCopy> copies(const ArrayType& from, const ArrayType& to, const Offset* offset = nullptr);

// The same on a machine that machine_for gave: "nearest" is the replica that the fewest links lie before. Prices are of
// these copies.
std::vector<BoxCopy> copies(const Machine& machine, const ArrayType& from, const ArrayType& to,
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
