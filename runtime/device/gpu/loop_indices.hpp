// The indices of loops on a GPU, which count themselves: a turn that differs from the one before only by its number
// launches the same.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/device/gpu/gpu_memory.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

class GpuLauncher;

class LoopIndices {
 public:
  LoopIndices(Gpu& gpu, GpuMemory& memory) : gpu_(gpu), memory_(memory) {}
  ~LoopIndices();
  LoopIndices(const LoopIndices&) = delete;
  LoopIndices& operator=(const LoopIndices&) = delete;

  // There is room for them.
  base::Status begin();
  // The i64 scalars become the index.
  base::Status write(GpuLauncher& launcher, const runtime::ItemList<runtime::TileOut>& tiles, std::int64_t index);
  // What was counted is not known any more.
  void forget() { counted_.clear(); }

 private:
  struct Counted {
    Address counter = 0;
    std::int64_t index = 0;
  };
  base::Result<Counted*> counter_of(Address places);

  Gpu& gpu_;
  GpuMemory& memory_;
  Address counters_ = 0;
  std::map<Address, Counted> counted_;  // by the table of the places
  std::int64_t generation_ = 0;         // of the tables
};

}  // namespace tessera::device
