#include "runtime/device/write/apart.hpp"

#include <bit>
#include <map>
#include <vector>

#include "runtime/device/steps/reductions.hpp"
#include "runtime/device/write/formula.hpp"
#include "runtime/device/write/maps.hpp"
#include "runtime/memory/chains.hpp"

namespace tessera::device {

namespace {

using synth::RegisterId;

// The chain's tiles, and beside them those of values that have no place of their own.
class ApartTiles final : public runtime::Tiles {
 public:
  explicit ApartTiles(const runtime::Tiles& tiles) : tiles_(tiles) {}

  base::Status make_room(Launcher& launcher, RegisterId id) {
    const runtime::Block mine = block(id);
    for (std::int64_t d = mine.begin; d < mine.end; ++d) {
      const std::int64_t count = runtime::count(shape_on(tiles_, id, static_cast<std::size_t>(d)));
      const std::int64_t bytes = count * synth::bytes_of(type(id).element());
      TESSERA_TRY(room, launcher.scratch(std::max<std::int64_t>(bytes, 1)));
      rooms_[id].push_back(std::bit_cast<std::byte*>(room));
    }
    return base::Done{};
  }
  void see_as(RegisterId view, RegisterId of) {
    const auto room = rooms_.find(of);
    if (room != rooms_.end()) rooms_[view] = room->second;
  }

  const synth::ArrayType& type(RegisterId id) const override { return tiles_.type(id); }
  const runtime::TileMap& tiles(RegisterId id) const override { return tiles_.tiles(id); }
  runtime::Block block(RegisterId id) const override { return tiles_.block(id); }
  runtime::Block share(RegisterId id, const runtime::Share& share) const override { return tiles_.share(id, share); }
  runtime::TileView view(RegisterId id, std::size_t device) const override {
    return rooms_.count(id) == 0 ? tiles_.view(id, device) : runtime::dense_view(out(id, device));
  }
  runtime::TileOut out(RegisterId id, std::size_t device) const override {
    const auto room = rooms_.find(id);
    if (room == rooms_.end()) return tiles_.out(id, device);
    const auto number = device - static_cast<std::size_t>(block(id).begin);
    return {type(id).element(), shape_on(tiles_, id, device), room->second[number]};
  }
  std::byte* room(RegisterId id, std::size_t device, std::int64_t offset) const override {
    return tiles_.room(id, device, offset);
  }

 private:
  const runtime::Tiles& tiles_;
  std::map<RegisterId, std::vector<std::byte*>> rooms_;  // by device
};

base::Status reduce_tiles(Launcher& launcher, const ApartTiles& tiles, const synth::Apply& apply,
                          const synth::Reduce& how) {
  std::vector<ReducePart> parts;
  const runtime::Block mine = tiles.block(apply.results[0]);
  for (std::int64_t d = mine.begin; d < mine.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    parts.push_back({tiles.view(apply.operands[0], device), tiles.out(apply.results[0], device)});
  }
  return reduce(launcher, how.kind, how.dimensions, parts);
}

}  // namespace

base::Status run_apart(Launcher& launcher, const runtime::ChainStep& chain) {
  ApartTiles tiles(chain.tiles);
  const synth::Program none;
  for (const synth::Step& step : chain.steps) {
    const auto& apply = std::get<synth::Apply>(step.node);
    const RegisterId result = apply.results[0];
    if (std::holds_alternative<synth::Reshape>(apply.operation)) tiles.see_as(result, apply.operands[0]);
    if (!runtime::is_computed(apply)) continue;
    if (chain.plan[result].where == runtime::RegisterPlan::Where::blocks)
      TESSERA_TRY_STATUS(tiles.make_room(launcher, result));
    if (const auto* const map = std::get_if<synth::Map>(&apply.operation)) {
      const runtime::LocalStep local{none, tiles, apply};
      TESSERA_TRY_STATUS(run_maps(launcher, tiles, formula_of(local, *map), nullptr));
    } else {
      TESSERA_TRY_STATUS(reduce_tiles(launcher, tiles, apply, std::get<synth::Reduce>(apply.operation)));
    }
  }
  return base::Done{};
}

}  // namespace tessera::device
