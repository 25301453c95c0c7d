// The places of every register's tiles as a program runs: the memory plan, the ranks' arenas and the inputs together.
// Loops and branches move places about.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/memory/plan.hpp"
#include "runtime/ranks/parts.hpp"
#include "runtime/values/value.hpp"

namespace tessera::runtime {

class Storage {
 public:
  Storage(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, Team& team, Parts parts,
          const std::vector<Value>& inputs);

  const synth::ArrayType& type(synth::RegisterId id) const { return program_.registers[id]; }
  const TileMap& tiles(synth::RegisterId id) const { return tiles_[id]; }
  std::int64_t devices(synth::RegisterId id) const { return type(id).devices(); }
  Team& team() const { return team_; }
  // Which rank has which device of the run.
  const DeviceRanks& ranks() const { return parts_.ranks(); }
  // The devices of a register that this rank has, by their numbers in its mesh, as everywhere here.
  Block block(synth::RegisterId id) const { return ranks().block(team_.rank(), type(id).mesh()); }
  int owner(synth::RegisterId id, std::size_t device) const {
    return ranks().owner(type(id).mesh(), static_cast<std::int64_t>(device));
  }
  // The part of the arena that a register's device has.
  std::byte* part(synth::RegisterId id, std::size_t device) const {
    return memory_[static_cast<std::size_t>(type(id).mesh().run_device(static_cast<std::int64_t>(device)))];
  }
  const std::shared_ptr<Arena>& arena() const { return parts_.arena(); }

  // A device's tile to read; of this rank or a near one, in a phase that reads it.
  TileView view(synth::RegisterId id, std::size_t device) const;
  // A device's tile to write; of a register that owns its place.
  TileOut out(synth::RegisterId id, std::size_t device) const;
  // All tiles of a register, with its type and boxes. Tiles of far ranks have no data.
  std::vector<TileView> views(synth::RegisterId id) const;
  Distributed array(synth::RegisterId id) const;

  // A replicated scalar, as the first device of this rank has it. Ranks without one are sent it, unless every rank
  // knows it anyway.
  template <class T>
  base::Result<T> scalar(synth::RegisterId id) const {
    T value{};
    TESSERA_TRY_STATUS(read_scalar(id, std::as_writable_bytes(std::span(&value, 1))));
    return value;
  }

  // True if every rank knows the scalar, but this rank has none of its devices: it then keeps the value apart. Other
  // ranks keep it in its tile.
  bool knows_itself(synth::RegisterId id) const { return known_[id.value] && block(id).empty(); }
  TileOut own_scalar(synth::RegisterId id) { return {type(id).element(), {}, scalars_[id.value].data()}; }

  // The offset of a register that owns its place; and another one from now on.
  std::int64_t offset(synth::RegisterId id) const { return places_[id.value].offset; }
  void move_to(synth::RegisterId id, std::int64_t offset);
  // From now on `id` reads what `other` has, which is of the same type.
  void alias(synth::RegisterId id, synth::RegisterId other);

 private:
  struct Place {
    RegisterPlan::Where where = RegisterPlan::Where::nowhere;
    synth::RegisterId source;
    const synth::Shape* begin = nullptr;  // slice: where in the source, in the plan; empty: where it lies there
    std::int64_t offset = 0;
    std::size_t input = 0;
  };
  base::Status read_scalar(synth::RegisterId id, std::span<std::byte> value) const;
  TileView slice(synth::RegisterId id, std::size_t device) const;
  TileView dense(synth::RegisterId id, std::size_t device, const std::byte* data) const;
  bool is_far(synth::RegisterId id, std::size_t device) const { return !team_.is_near(owner(id, device)); }

  const synth::Program& program_;
  const TileMaps& tiles_;
  Team& team_;
  Parts parts_;
  const std::vector<Value>& inputs_;
  std::vector<std::byte*> memory_;  // of every device of the run, its part
  std::vector<Place> places_;
  std::vector<bool> known_;  // of every register: is it a scalar that every rank knows?
  std::map<std::uint32_t, std::array<std::byte, 8>> scalars_;
};

}  // namespace tessera::runtime
