// Any box of an array that lies on devices, put together.
#pragma once

#include <vector>

#include "runtime/kernels/tile.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// Where an array lies: every device's box, and the memory of its tile.
struct Distributed {
  synth::ArrayType type;
  std::vector<synth::Box> boxes;
  std::vector<TileView> tiles;
};

class Gatherer {
 public:
  explicit Gatherer(Distributed array);
  const synth::ArrayType& type() const { return array_.type; }
  // The elements of `box`, dense and row-major; pending ones combined in ascending position along the pending axes.
  void read(const synth::Box& box, const TileOut& out) const;

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
