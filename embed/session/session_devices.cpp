// What a session says of its devices and of the meshes over them.
#include <algorithm>

#include "embed/session/session_impl.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execute/world.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "synth/layout/device_ranges.hpp"
#include "synth/layout/place_matrix.hpp"

namespace tessera {

std::vector<std::pair<std::int64_t, std::int64_t>> Session::devices() const {
  const runtime::World world = impl_->world();
  const runtime::DeviceRanks ranks(world.team == nullptr ? 1 : world.team->size(), world.devices);
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const runtime::Block block = ranks.block(rank);
    result.emplace_back(block.begin, block.end);
  }
  return result;
}

std::vector<std::string> Session::gpus_of_devices() const {
  const runtime::World world = impl_->world();
  if (world.engine == nullptr || world.engine->is_host()) return {};
  const int ranks = world.team == nullptr ? 1 : world.team->size();
  const int rank = world.team == nullptr ? 0 : world.team->rank();
  const runtime::Block mine = runtime::DeviceRanks(ranks, world.devices).block(rank);
  std::vector<std::string> names(static_cast<std::size_t>(world.devices));
  const std::int64_t count = mine.end - mine.begin;
  if (count == 0) return names;
  const runtime::DeviceRanks places(world.engine->places(), count);
  for (std::int64_t device = 0; device < count; ++device)
    names[static_cast<std::size_t>(mine.begin + device)] = world.engine->name(places.owner(device));
  return names;
}

void* Session::gpu_stream(int gpu) const {
  const std::shared_ptr<runtime::Engine> engine = impl_->engine.ok() ? *impl_->engine : nullptr;
  for (int place = 0; engine != nullptr && !engine->is_host() && place < engine->places(); ++place) {
    if (engine->gpu(place) == gpu) return engine->stream(place);
  }
  return nullptr;
}

std::vector<NamedMesh> Session::meshes() const {
  const typeck::Environment& environment = impl_->state->environment;
  const synth::MeshRef by_default = environment.default_mesh(environment.now());
  std::vector<std::string> names = environment.mesh_names(environment.now());
  std::sort(names.begin(), names.end());
  std::vector<NamedMesh> result;
  for (const std::string& name : names) {
    const typeck::NamedMesh* mesh = environment.mesh(name, environment.now());
    if (mesh == nullptr) continue;
    NamedMesh& added = result.emplace_back(NamedMesh{name, {}, mesh->mesh == by_default});
    for (const synth::MeshAxis& axis : mesh->mesh->axes()) {
      for (const synth::NamedCut& cut : axis.cuts) {
        added.cuts.push_back({added.axes.size(), cut.name, cut.weights.values()});
      }
      added.axes.emplace_back(axis.name, axis.size);
    }
    if (mesh->mesh->matrix() != nullptr) added.place = mesh->mesh->matrix()->rows;
    if (!mesh->mesh->ranges().empty()) added.on = synth::print(mesh->mesh->ranges());
    for (std::int64_t at = 0; at < mesh->mesh->devices(); ++at)
      added.devices.push_back(mesh->mesh->run_device(mesh->mesh->device_at(at)));
  }
  return result;
}

}  // namespace tessera
