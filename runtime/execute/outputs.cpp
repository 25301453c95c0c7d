#include "runtime/execute/outputs.hpp"

#include <algorithm>
#include <set>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

using Where = RegisterPlan::Where;

// Tiles up to this size are copied out of a run's arena, so that a small value does not keep a large mapping.
constexpr std::int64_t kSmallTileBytes = std::int64_t{64} << 10U;

}  // namespace

// A part of an array does not keep the whole, and may lie askew.
bool Outputs::is_copied(synth::RegisterId id) const {
  const synth::RegisterId root = plan_[id].root;
  for (synth::RegisterId at = id; at != root; at = plan_[at].source) {
    if (plan_[at].where == Where::slice) return true;
  }
  if (plan_[root].where == Where::input) return false;
  return leaves_arena_ || storage_.tiles(root).bytes_max <= kSmallTileBytes;
}

bool Outputs::are_small_in_arena() const {
  std::set<synth::RegisterId> roots;
  std::int64_t kept = 0;
  std::int64_t all = 0;
  for (const synth::RegisterId id : program_.outputs) {
    const synth::RegisterId root = plan_[id].root;
    if (plan_[root].where != Where::input && roots.insert(root).second)
      kept = add_bytes(kept, storage_.tiles(root).bytes_total);
  }
  for (const std::int64_t bytes : plan_.arena_bytes) all = add_bytes(all, bytes);
  return kept < all / 4 * 3;
}

PartMap Outputs::copies_map() const {
  std::vector<std::int64_t> bytes;
  for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
    const synth::RegisterId id = program_.outputs[k];
    if (!is_copied(id)) continue;
    const synth::Mesh& mesh = storage_.type(id).mesh();
    bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(mesh.devices_end())));
    for (std::int64_t number = 0; number < mesh.devices(); ++number) {
      const std::int64_t tile = storage_.tiles(id).bytes[static_cast<std::size_t>(number)];
      bytes[static_cast<std::size_t>(mesh.run_device(number))] += aligned(tile);
    }
  }
  return {storage_.ranks(), bytes};
}

// In the part of a device of the run: behind the copies of the outputs before it.
std::int64_t Outputs::begin_of_copy(std::size_t output, std::int64_t device) const {
  const synth::DeviceId id{static_cast<std::uint32_t>(device)};
  std::int64_t begin = 0;
  for (std::size_t k = 0; k < output; ++k) {
    if (!is_copied(program_.outputs[k])) continue;
    const TileMap& tiles = storage_.tiles(program_.outputs[k]);
    const auto number = tiles.mesh->number_of(id);
    if (number.has_value()) begin += aligned(tiles.bytes[static_cast<std::size_t>(*number)]);
  }
  return begin;
}

base::Status Outputs::reserve() {
  const PartMap map = copies_map();
  const std::vector<std::shared_ptr<Pool>> pools = storage_.arena()->pools();
  const std::vector<std::int64_t> bytes = map.shares_bytes(storage_.team().rank(), static_cast<int>(pools.size()));
  TESSERA_TRY(arena, Arena::reserve(bytes, pools));
  arena_ = arena;
  return base::Done{};
}

base::Status Outputs::copy() {
  const PartMap map = copies_map();
  const std::vector<std::int64_t> nowhere(static_cast<std::size_t>(storage_.team().size()), 0);
  const Parts parts(storage_.team(), map, arena_, nowhere);  // only this rank's are written
  for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
    const synth::RegisterId id = program_.outputs[k];
    if (!is_copied(id)) continue;
    const Block mine = storage_.block(id);
    const auto move = [&](std::int64_t i) -> BoxMove {
      const TileView view = storage_.view(id, static_cast<std::size_t>(mine.begin + i));
      const std::int64_t at = storage_.type(id).mesh().run_device(mine.begin + i);
      return {view, {dense_strides(view.shape), parts.part(at) + begin_of_copy(k, at)}};
    };
    TESSERA_TRY_STATUS(storage_.engine().copy({mine.size(), move}, {.grain = mine.size()}));
  }
  return storage_.engine().wait();
}

std::vector<Value> Outputs::take(const std::vector<std::int64_t>& offsets) {
  const Parts parts(storage_.team(), copies_map(), arena_, offsets);
  std::vector<Value> values;
  for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
    const synth::RegisterId id = program_.outputs[k];
    values.push_back(is_copied(id) ? copied(k, parts) : whole(id));
  }
  // Memory that no value lies in is given back now; the rest goes with the values.
  std::vector<Arena::Range> kept;
  for (const auto& [root, held] : leases_) {
    const auto ranges = ranges_of(root);
    kept.insert(kept.end(), ranges.begin(), ranges.end());
  }
  storage_.arena()->release_all_but(std::move(kept));
  return values;
}

Value Outputs::whole(synth::RegisterId id) {
  std::vector<const std::byte*> tiles;
  for (const TileView& view : storage_.views(id)) tiles.push_back(view.data);
  const synth::RegisterId root = plan_[id].root;
  auto arena = plan_[root].where == Where::input ? input_arena(root) : leased(root);
  return {storage_.type(id), std::move(arena), std::move(tiles), team_, storage_.ranks()};
}

Value Outputs::copied(std::size_t output, const Parts& parts) const {
  const synth::RegisterId id = program_.outputs[output];
  std::vector<const std::byte*> tiles;
  for (std::int64_t d = 0; d < storage_.devices(id); ++d) {
    const std::int64_t device = storage_.type(id).mesh().run_device(d);
    std::byte* const part = parts.part(device);
    tiles.push_back(part == nullptr ? nullptr : part + begin_of_copy(output, device));
  }
  return {storage_.type(id), arena_, std::move(tiles), team_, storage_.ranks()};
}

std::shared_ptr<const Arena> Outputs::input_arena(synth::RegisterId root) const {
  const auto k = std::find(program_.inputs.begin(), program_.inputs.end(), root) - program_.inputs.begin();
  return inputs_[static_cast<std::size_t>(k)].arena();
}

// The ranges of this rank's devices.
std::vector<Arena::Range> Outputs::ranges_of(synth::RegisterId root) const {
  std::vector<Arena::Range> ranges;
  const Block mine = storage_.block(root);
  for (std::int64_t d = mine.begin; d < mine.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    ranges.emplace_back(storage_.view(root, device).data, storage_.tiles(root).bytes[device]);
  }
  return ranges;
}

std::shared_ptr<const Arena> Outputs::leased(synth::RegisterId root) {
  auto& held = leases_[root];
  if (held == nullptr) held = lease(storage_.arena(), ranges_of(root));
  return held;
}

}  // namespace tessera::runtime
