// Where every register's tiles are as a program runs: the memory plan, the arena and the inputs together. Loops and
// branches move places about.
#pragma once

#include <memory>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/memory/plan.hpp"
#include "runtime/value.hpp"

namespace tessera::runtime {

class Storage {
 public:
  Storage(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, std::shared_ptr<Arena> arena,
          const std::vector<Value>& inputs);

  const synth::ArrayType& type(synth::RegisterId id) const { return program_.registers[id]; }
  const TileMap& tiles(synth::RegisterId id) const { return tiles_[id]; }
  std::int64_t devices(synth::RegisterId id) const { return type(id).devices(); }
  const std::shared_ptr<Arena>& arena() const { return arena_; }

  // A device's tile to read.
  TileView view(synth::RegisterId id, std::size_t device) const;
  // A device's tile to write; of a register that owns its place.
  TileOut out(synth::RegisterId id, std::size_t device) const;
  // All tiles of a register; with its type and boxes.
  std::vector<TileView> views(synth::RegisterId id) const;
  Distributed array(synth::RegisterId id) const;

  // A replicated scalar, as device 0 has it.
  template <class T>
  T scalar(synth::RegisterId id) const {
    return *typed<T>(view(id, 0));
  }

  // The offset of a register that owns its place; and another one from now on.
  std::int64_t offset(synth::RegisterId id) const { return places_[id.value].offset; }
  void move_to(synth::RegisterId id, std::int64_t offset);
  // From now on `id` reads what `other` has, which is of the same type.
  void alias(synth::RegisterId id, synth::RegisterId other);

 private:
  struct Place {
    RegisterPlan::Where where = RegisterPlan::Where::nowhere;
    synth::RegisterId source;
    std::int64_t offset = 0;
    std::size_t input = 0;
  };
  const synth::Program& program_;
  const TileMaps& tiles_;
  std::shared_ptr<Arena> arena_;
  const std::vector<Value>& inputs_;
  std::vector<Place> places_;
};

}  // namespace tessera::runtime
