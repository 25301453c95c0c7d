// The places of every register's tiles as a program runs: the memory plan, the ranks' arenas and the inputs together.
// Loops and branches move places about.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/engine/tiles.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/ranks/parts.hpp"
#include "runtime/transfers/copied_ranges.hpp"
#include "runtime/values/value.hpp"

namespace tessera::runtime {

class Storage final : public Tiles {
 public:
  Storage(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, Team& team, Parts parts,
          const std::vector<Value>& inputs, Engine& engine);

  const synth::ArrayType& type(synth::RegisterId id) const override { return program_.registers[id]; }
  const TileMap& tiles(synth::RegisterId id) const override { return tiles_[id]; }
  const TileMaps& all_tiles() const { return tiles_; }
  std::int64_t devices(synth::RegisterId id) const { return type(id).devices(); }
  Team& team() const { return team_; }
  // The only one who looks into tiles.
  Engine& engine() const { return copies_ == nullptr ? engine_ : *cores_; }
  // Which rank has which device of the run.
  const DeviceRanks& ranks() const { return parts_.ranks(); }
  // The devices of a register that this rank has, by their numbers in its mesh, as everywhere here.
  Block block(synth::RegisterId id) const override { return ranks().block(team_.rank(), type(id).mesh()); }
  Block share(synth::RegisterId id, const Share& share) const override {
    return ranks().share(team_.rank(), share, type(id).mesh());
  }
  int owner(synth::RegisterId id, std::size_t device) const {
    return ranks().owner(type(id).mesh(), static_cast<std::int64_t>(device));
  }
  // The part of the arena that a register's device has.
  std::byte* part(synth::RegisterId id, std::size_t device) const {
    return memory_[static_cast<std::size_t>(type(id).mesh().run_device(static_cast<std::int64_t>(device)))];
  }
  std::byte* room(synth::RegisterId id, std::size_t device, std::int64_t offset) const override {
    std::byte* const begin = part(id, device) + offset;
    return copies_ == nullptr ? begin : copies_->find(begin);  // null for a step that needs no room
  }
  // The whole memory of a device's tile, of which a view sees a part. Nothing where a register has none.
  std::pair<const std::byte*, std::int64_t> home(synth::RegisterId id, std::size_t device) const;
  // The memory of a window's edges; nothing where a register has none.
  std::pair<const std::byte*, std::int64_t> home_of_edges(synth::RegisterId id, std::size_t device) const;
  // From now on tiles are in these copies in host memory, which `cores` works on; null: where the engine has them.
  void look_into(const CopiedRanges* copies, Engine* cores) {
    copies_ = copies;
    cores_ = cores;
  }
  const std::shared_ptr<Arena>& arena() const { return parts_.arena(); }

  // A device's tile to read; of this rank or a near one, in a phase that reads it.
  TileView view(synth::RegisterId id, std::size_t device) const override;
  // A box of it: of a window that has edges, one that lies inside, or in one slab of them.
  TileView box_of(synth::RegisterId id, std::size_t device, const synth::Box& box) const;
  // A device's tile to write; of a register that owns its place. Of a window with edges, these, as one line.
  TileOut out(synth::RegisterId id, std::size_t device) const override;
  // A box of it, which a window with edges has in one of them.
  template <class Box>
  TileTarget target(synth::RegisterId id, std::size_t device, const Box& box) const {
    const auto [tile, around] = out_around(id, device, box);
    return target_part(tile, around, box);
  }
  // Is it made as a part of another register?
  bool is_part(synth::RegisterId id) const { return places_[id.value].where == RegisterPlan::Where::part; }
  // The edges of a window, or of a part; null: it has none, or is neither.
  const WindowEdges* edges(synth::RegisterId id) const { return places_[id.value].edges; }
  // The number around the source of a window that sees it in a frame.
  std::optional<synth::LiteralId> frame(synth::RegisterId id) const;
  const std::byte* data(synth::RegisterId id, std::size_t device) const override;
  // All tiles of a register, with its type and boxes; of a part that has edges, these. Tiles of far ranks have no data.
  const std::vector<synth::Box>& boxes(synth::RegisterId id) const;
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
  // A window that moves begins there from now on.
  void begin_at(synth::RegisterId window, const synth::Shape& begin) { *places_[window.value].moving = begin; }
  // From now on `id` reads what `other` has, which is of the same type.
  void alias(synth::RegisterId id, synth::RegisterId other);
  // From now on the scalar is read there, whatever device it is; its place is not written.
  void keep_at(synth::RegisterId id, const std::byte* data) { places_[id.value].kept = data; }

 private:
  struct Place {
    RegisterPlan::Where where = RegisterPlan::Where::nowhere;
    synth::RegisterId source;
    const synth::Shape* begin = nullptr;  // slice: where in the source, in the plan; empty: where it lies there
    std::int64_t offset = 0;
    std::size_t input = 0;
    const std::byte* kept = nullptr;     // of a scalar that is not where its place is
    const WindowEdges* edges = nullptr;  // of a window, in the plan; their place is at `offset`
    synth::Shape* moving = nullptr;      // of a window that moves: what `begin` is
    bool is_line = false;                // reshape: of elements that lie apart
  };
  base::Status read_scalar(synth::RegisterId id, std::span<std::byte> value) const;
  TileView own_view(synth::RegisterId id, std::size_t device) const;
  // A box of a slice.
  TileView slice(synth::RegisterId id, std::size_t device, const synth::Box& box) const;
  // Where tiles are in copies, a view leads there.
  void lead_to_copy(TileView& view) const;
  // What the box is written to: a register's tile, or a slab of a window's edges; and which box that is.
  std::pair<TileOut, synth::Box> out_around(synth::RegisterId id, std::size_t device, const synth::Box& box) const;
  std::pair<TileOut, synth::Box> out_around(synth::RegisterId id, std::size_t device, const SteppedBox& box) const {
    return out_around(id, device, box.box);
  }
  TileView own_box(synth::RegisterId id, std::size_t device, const synth::Box& box) const;
  TileView dense(synth::RegisterId id, std::size_t device, const std::byte* data) const;
  TileView line(synth::RegisterId id, std::size_t device) const;
  bool is_far(synth::RegisterId id, std::size_t device) const { return !team_.is_near(owner(id, device)); }

  const synth::Program& program_;
  const TileMaps& tiles_;
  Team& team_;
  Parts parts_;
  const std::vector<Value>& inputs_;
  Engine& engine_;
  const CopiedRanges* copies_ = nullptr;
  Engine* cores_ = nullptr;
  std::vector<std::byte*> memory_;  // of every device of the run, its part
  std::vector<Place> places_;
  std::deque<synth::Shape> moving_;  // where windows that move begin
  std::vector<bool> known_;          // of every register: is it a scalar that every rank knows?
  std::map<std::uint32_t, std::array<std::byte, 8>> scalars_;
};

}  // namespace tessera::runtime
