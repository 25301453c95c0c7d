// Meshes: grids of devices with named axes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "synth/layout/device_ranges.hpp"
#include "synth/layout/weights.hpp"

namespace tessera::synth {

inline constexpr std::size_t kMeshAxesMax = 8;

// The largest product of an axis' weights' sums over all axes, each by the cut with the largest: so that every tile of
// every layout begins at a share that fits 63 bits.
inline constexpr std::int64_t kWeightProductMax = std::int64_t{1} << 60;

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  std::vector<NamedCut> cuts = {};  // beside the even one, which has no name; at most 255
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

// A device of the run, whatever meshes it is in; in the machine's order.
using DeviceId = base::Id<struct DeviceTag>;

struct PlaceMatrix;

class Mesh;
using MeshRef = std::shared_ptr<const Mesh>;  // never null

// An immutable grid of devices of the run. Axes are listed outermost first; places are row-major, so on x:4,y:2 the
// device at (x=1, y=0) has place 2.
//
// Within a mesh devices are numbered from 0, in ascending order of DeviceId: a parameter or result called `device` is
// this number. A mesh of D devices lies on devices 0 to D - 1 of the run unless it says where, and then a number is the
// device itself. The number is the place, too, unless a matrix places the axes on the levels of a machine, or the
// ranges of devices do not ascend: the first device written has place 0. Rivals may also put the devices on the grid in
// an order of their own. Two meshes are the same iff their axes, orders and devices are.
//
// Example: x:4 on (4:6,0:2) has the devices 0, 1, 4, 5 of the run, which are its numbers 0, 1, 2, 3. Place 0 is number
// 2, device 4 of the run.
class Mesh {
 public:
  // Fails on more than 8 axes, a size below 1, a repeated name, more than 65,536 devices, or named cuts that have not a
  // weight for each position, that have one name, or whose sums are too large together.
  static base::Result<MeshRef> make(std::vector<MeshAxis> axes);
  // The axes where a matrix puts them; `bad-place` unless it has a row for each axis that multiplies to its size.
  static base::Result<MeshRef> placed(std::vector<MeshAxis> axes, const PlaceMatrix& matrix);
  // The axes on these devices of the run, in the order of the ranges; with a matrix, in the order that it gives to
  // them. `mesh-devices` unless these are as many different devices as the mesh has, each below kDevicesMax. Without
  // ranges on 0:D.
  static base::Result<MeshRef> make_on(std::vector<MeshAxis> axes, const std::vector<DeviceRange>& ranges,
                                       const PlaceMatrix* matrix = nullptr);
  // The devices in this order, row-major, each once: numbers of devices on a mesh of as many, or on 0:D.
  static base::Result<MeshRef> ordered(std::vector<MeshAxis> axes, std::vector<std::int32_t> devices,
                                       const Mesh* where = nullptr);
  // The mesh of a program that declares none: no axes, one device.
  static MeshRef single_device();

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::int64_t devices() const { return devices_; }
  std::optional<std::size_t> find(std::string_view axis_name) const;
  std::int64_t coordinate(std::int64_t device, std::size_t axis) const {
    return place(device) / strides_[axis] % axes_[axis].size;
  }
  // A device's row-major position: its number, but for an order of devices of its own.
  std::int64_t place(std::int64_t device) const {
    return places_.empty() ? device : places_[static_cast<std::size_t>(device)];
  }
  // The device at a row-major position.
  std::int64_t device_at(std::int64_t place) const {
    return devices_at_.empty() ? place : devices_at_[static_cast<std::size_t>(place)];
  }
  bool is_row_major() const { return places_.empty(); }
  DeviceId device_of_run(std::int64_t device) const {
    return DeviceId{static_cast<std::uint32_t>(ids_.empty() ? device : ids_[static_cast<std::size_t>(device)])};
  }
  // The same as a number, as copies and sends name devices.
  std::int32_t run_device(std::int64_t device) const { return static_cast<std::int32_t>(device_of_run(device).value); }
  // The device's number; nothing if it is not of the mesh.
  std::optional<std::int64_t> number_of(DeviceId device) const;
  // 1 + the largest device of the run that it has.
  std::int64_t devices_end() const { return ids_.empty() ? devices_ : ids_.back() + std::int64_t{1}; }
  // The devices as they were written, ranges that continue each other as one; none on 0:D.
  const std::vector<DeviceRange>& ranges() const { return ranges_; }
  // Do both have the same devices of the run?
  bool has_devices_of(const Mesh& other) const { return devices_ == other.devices_ && ids_ == other.ids_; }
  // The matrix that placed the axes, null if none did; it may be that of row-major order.
  const PlaceMatrix* matrix() const { return matrix_.get(); }
  // Has a matrix placed the axes of both in the same way, or of neither?
  bool has_matrix_of(const Mesh& other) const;
  // How much the position grows when the axis' coordinate grows by one.
  std::int64_t stride(std::size_t axis) const { return strides_[axis]; }

  friend bool operator==(const Mesh& a, const Mesh& b) {
    return a.axes_ == b.axes_ && a.places_ == b.places_ && a.ids_ == b.ids_;
  }

 private:
  explicit Mesh(std::vector<MeshAxis> axes);
  void put_in_order(std::vector<std::int32_t> devices);
  void put_on(const std::vector<DeviceRange>& ranges, const std::vector<std::int32_t>& order);
  std::vector<MeshAxis> axes_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int32_t> places_;      // of every device; none if they are in order
  std::vector<std::int32_t> devices_at_;  // at every place; none if they are in order
  std::vector<std::int32_t> ids_;         // of every number its device of the run; none on 0:D
  std::vector<DeviceRange> ranges_;
  std::shared_ptr<const PlaceMatrix> matrix_;  // null: none
  std::int64_t devices_ = 1;
};

std::vector<std::int64_t> axis_sizes(const Mesh& mesh);

// How many devices of the run are in one of the two or in both.
std::int64_t devices_of_both(const Mesh& a, const Mesh& b);

// `x:4,y:2`, `d:4 work(4,2,1,1),t:2`, `x:2,y:4 on 8:16` or `dp:16,tp:4 on (64:96,0:32) place [[4,4],[1,4]]`, as the
// command line writes it; empty for the single device 0.
std::string print(const Mesh& mesh);
// The same without `place`, as the JSON of plans writes it.
std::string print_axes(const Mesh& mesh);
base::Result<MeshRef> parse_mesh(std::string_view text);

// `bad-place`: the matrix, or the text in its place, and its fault.
base::Diagnostic bad_place(std::string_view matrix, std::string_view fault);

// `unknown-cut`, with the cuts that the axis has.
base::Diagnostic no_such_cut(const MeshAxis& axis, std::string_view cut);

}  // namespace tessera::synth
