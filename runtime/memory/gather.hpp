// Any box of an array that lies on devices, put together.
#pragma once

#include <functional>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/memory/stepped_box.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

class Engine;

// An array as it lies: every device's box, the memory of its tile, and the rank that has it.
struct Distributed {
  synth::ArrayType type;
  DeviceRanks ranks;
  std::vector<synth::Box> boxes;
  std::vector<TileView> tiles;
  Engine* engine = nullptr;  // that alone can look into the tiles; none: they are in host memory
};

// Gives the memory from which a box's elements can be read.
using ParcelSource = std::function<TileView(const TileBox&)>;

class Gatherer {
 public:
  explicit Gatherer(Distributed array);
  const synth::ArrayType& type() const { return array_.type; }
  // The elements of `box`, dense and row-major; pending ones combined in ascending position along the pending axes.
  void read(const synth::Box& box, const TileOut& out) const;
  // The same from parcels that may have come from elsewhere: those that parcels(box) names.
  void read(const synth::Box& box, const TileOut& out, const ParcelSource& source) const;
  std::vector<TileBox> parcels(const synth::Box& box) const;

 private:
  // One box of the array, and the devices whose tiles make it up: one of the replicas for each pending position.
  struct Source {
    synth::Box box;
    std::vector<std::size_t> devices;
  };
  Distributed array_;
  std::vector<Source> sources_;
};

}  // namespace tessera::runtime
