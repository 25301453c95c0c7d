#include "runtime/values/move_value.hpp"

#include <span>
#include <utility>
#include <vector>

#include "runtime/kernels/copy.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/ranks/parts.hpp"
#include "runtime/ranks/reads.hpp"
#include "runtime/ranks/region.hpp"

namespace tessera::runtime {

namespace {

bool moves(const Value& value, const DeviceRanks& ranks) {
  const synth::Mesh& mesh = value.type().mesh();
  for (std::int64_t device = 0; device < value.type().devices(); ++device) {
    if (value.ranks().owner(mesh, device) != ranks.owner(mesh, device)) return true;
  }
  return false;
}

// This rank's tiles, each at the begin of its device's part.
base::Status copy_tiles(Team& team, const Distributed& array, const DeviceRanks& ranks, const Parts& parts) {
  const synth::Mesh& mesh = array.type.mesh();
  ReadPlanner planner(team, array.ranks, array.type.mesh_ref());
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    const auto number = static_cast<std::size_t>(device);
    planner.read(ranks.owner(mesh, device), number, array.boxes[number]);
  }
  const ReadPlan plan = planner.take();
  TESSERA_TRY(reading, Reading::begin(team, plan, array));
  TESSERA_TRY_STATUS(reading.await());
  const Block mine = ranks.block(team.rank(), mesh);
  for (std::int64_t device = mine.begin; device < mine.end; ++device) {
    const auto number = static_cast<std::size_t>(device);
    const synth::Box& box = array.boxes[number];
    if (synth::empty(box)) continue;
    TESSERA_TRY_STATUS(reading.fetch({TileBox{number, box}}));
    std::byte* const part = parts.part(mesh.run_device(device));
    copy_elements(reading.box({number, box}), TileOut{array.type.element(), synth::shape_of(box), part});
  }
  return reading.end();
}

}  // namespace

base::Result<Value> on_ranks(const Value& value, const DeviceRanks& ranks, std::shared_ptr<Pool> memory) {
  if (value.team() == nullptr || !moves(value, ranks)) return value.dealt(ranks);
  const Distributed array = distributed(value);
  Team& team = *value.team();
  const synth::Mesh& mesh = value.type().mesh();
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(mesh.devices_end()), 0);
  for (std::int64_t device = 0; device < mesh.devices(); ++device)
    bytes[static_cast<std::size_t>(mesh.run_device(device))] = synth::tile_bytes(value.type(), device);
  const PartMap map(ranks, bytes);
  const std::int64_t mine = map.arena_bytes(team.rank());
  auto arena = Arena::reserve(std::span(&mine, 1), team.region() != nullptr ? team.region() : std::move(memory));
  const base::Status ready = arena ? base::Status(base::Done{}) : base::Status(arena.errors());
  const std::int64_t at = team.region() != nullptr && arena ? team.region()->offset_of((*arena)->part(0)) : 0;
  TESSERA_TRY(agreed, team.agree(ready, {0, at}));
  std::vector<std::int64_t> offsets;
  for (const Team::Words& words : agreed) offsets.push_back(words[1]);
  const Parts parts(team, map, *arena, offsets);
  TESSERA_TRY_STATUS(copy_tiles(team, array, ranks, parts));
  std::vector<const std::byte*> tiles;
  for (std::int64_t device = 0; device < mesh.devices(); ++device) tiles.push_back(parts.part(mesh.run_device(device)));
  return Value(value.type(), *arena, std::move(tiles), value.team(), ranks);
}

}  // namespace tessera::runtime
