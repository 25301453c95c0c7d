// Slices that alone keep a whole array alive. A slice is a view of its source, which costs nothing, unless the source
// could have been freed: a device that keeps a quarter of an array then holds all of it. Such a slice is worth a copy
// where another array is made while only slices keep the source, and where the copies are at most half of it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "runtime/memory/lifetime.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"

namespace tessera::runtime {

// Collects the uses of arrays in a walk over a program. A slice counts if it is made in the body that makes its source,
// from the source itself or a reshape of it; any other use of the source's memory is the source's own.
class Pins {
 public:
  Pins(const TileMaps& tiles, const MemoryPlan& plan) : tiles_(tiles), plan_(plan) {}

  // An array of its own is made at a step of a body.
  void note_made(std::size_t body, std::size_t step, synth::RegisterId id);
  void note_slice(std::size_t body, synth::RegisterId id);
  // `now` is the present step of every body around.
  void note_use(synth::RegisterId id, const std::vector<std::size_t>& now, const std::vector<Lifetime>& lives);

  Copied worth_copying(const std::vector<Lifetime>& lives) const;
  // The uses of every array that has slices.
  SlicedUses take_sliced() &&;

 private:
  struct Source : SliceUses {
    std::size_t body = 0;
  };
  // The outermost slice that a register is part of, if that counts.
  synth::RegisterId slice_around(synth::RegisterId id) const;
  bool are_small(synth::RegisterId root, const Source& source) const;
  bool makes_between(std::size_t body, std::size_t after, std::size_t until) const;

  const TileMaps& tiles_;
  const MemoryPlan& plan_;
  std::vector<std::vector<std::size_t>> made_;  // of every body, the steps that make arrays, ascending
  std::map<synth::RegisterId, Source> sources_;
};

}  // namespace tessera::runtime
