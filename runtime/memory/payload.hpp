// The payload that is alive under a memory plan.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"

namespace tessera::runtime {

// Calls f(device of the run, bytes of its tile).
template <class F>
void for_each_device(const TileMap& tiles, const F& f) {
  for (std::size_t number = 0; number < tiles.bytes.size(); ++number)
    f(tiles.mesh->device_of_run(static_cast<std::int64_t>(number)).value, tiles.bytes[number]);
}

// The payload alive on every device of the run as a program runs.
class Payload {
 public:
  Payload(const TileMaps& tiles, const MemoryPlan& plan, const std::vector<synth::RegisterId>& inputs);
  void add(const std::vector<synth::RegisterId>& born);
  void remove(const std::vector<synth::RegisterId>& died);
  // The largest over devices, now; stops at the largest number. In a step, with what it needs beside its arrays.
  std::int64_t largest() const;
  std::int64_t largest(const StepPlan& step) const;
  // The bytes that a step needs beside its arrays on a device, if that is of its mesh.
  std::int64_t beside(const StepPlan& step, std::size_t device) const;
  // The bytes that are alive on a device now.
  std::int64_t of(std::size_t device) const { return alive_[device]; }

 private:
  const TileMaps& tiles_;
  const MemoryPlan& plan_;
  std::vector<std::int64_t> alive_;
};

}  // namespace tessera::runtime
