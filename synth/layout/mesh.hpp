// Meshes: grids of devices with named axes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "synth/layout/weights.hpp"

namespace tessera::synth {

inline constexpr std::int64_t kDevicesMax = 65'536;
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

class Mesh;
using MeshRef = std::shared_ptr<const Mesh>;  // never null

// An immutable grid. Axes are listed outermost first; device id = row-major position, so on x:4,y:2 the device at
// (x=1, y=0) is device 2. Rivals may also put the devices on the grid in an order of their own. Two meshes are the same
// iff their axes and orders are.
class Mesh {
 public:
  // Fails on more than 8 axes, a size below 1, a repeated name, more than 65,536 devices, or named cuts that have not a
  // weight for each position, that have one name, or whose sums are too large together.
  static base::Result<MeshRef> make(std::vector<MeshAxis> axes);
  // The devices in this order, row-major, each once. Arrays on such a mesh have no pending sums.
  static base::Result<MeshRef> ordered(std::vector<MeshAxis> axes, const std::vector<std::int32_t>& devices);
  // The mesh of a program that declares none: no axes, one device.
  static MeshRef single_device();

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::int64_t devices() const { return devices_; }
  std::optional<std::size_t> find(std::string_view axis_name) const;
  std::int64_t coordinate(std::int64_t device, std::size_t axis) const {
    return place(device) / strides_[axis] % axes_[axis].size;
  }
  // A device's row-major position: its id, but for an order of devices of its own.
  std::int64_t place(std::int64_t device) const {
    return places_.empty() ? device : places_[static_cast<std::size_t>(device)];
  }
  bool is_row_major() const { return places_.empty(); }
  // How much the position grows when the axis' coordinate grows by one.
  std::int64_t stride(std::size_t axis) const { return strides_[axis]; }

  friend bool operator==(const Mesh& a, const Mesh& b) { return a.axes_ == b.axes_ && a.places_ == b.places_; }

 private:
  explicit Mesh(std::vector<MeshAxis> axes);
  std::vector<MeshAxis> axes_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int32_t> places_;  // of every device; none if they are in order
  std::int64_t devices_ = 1;
};

// `x:4,y:2` or `d:4 work(4,2,1,1),t:2`, as the command line and the JSON of plans write it; empty for the single
// device.
std::string print(const Mesh& mesh);
base::Result<MeshRef> parse_mesh(std::string_view text);

// `unknown-cut`, with the cuts that the axis has.
base::Diagnostic no_such_cut(const MeshAxis& axis, std::string_view cut);

}  // namespace tessera::synth
