#include "embed/session/host_tiles.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "embed/arrays/array_impl.hpp"
#include "embed/host/host_memory.hpp"
#include "embed/kinds.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/memory/bytes.hpp"

namespace tessera::embed {

namespace {

// A tile, and where it is or goes.
struct GpuTile {
  runtime::TileView view;
  int place = 0;
  bool is_in_place = false;
};

bool is_in_place(const HostTiles& tiles, const runtime::TileView& view) {
  return !tiles.wants_copy && runtime::is_dense(view.shape, view.strides) && is_aligned(view.data, runtime::kAlignment);
}

base::Diagnostic elsewhere(const HostTiles& tiles, int gpu, const std::string& device, const std::string& where) {
  return base::make(Kind::bad_call, fmt::format("this memory is {}, and {} of {} {}",
                                                gpu < 0 ? "a processor's" : fmt::format("GPU {}'s", gpu), device,
                                                tiles.printed, where));
}

// The place of a tile's device, on whose GPU the tile has to be.
base::Result<int> place_of(const HostTiles& tiles, std::size_t k) {
  const runtime::Engine* const engine = tiles.engine.get();
  const int gpu = tiles.gpus[k];
  if (engine == nullptr || engine->is_host()) {
    return elsewhere(tiles, gpu, "this session's devices", "are processors")
        .suggest("run the session on it, Session(gpu=\"all\"), or bring the array to a processor first");
  }
  const std::int64_t device = tiles.devices().begin + static_cast<std::int64_t>(k);
  const int place = tiles.ranks.place(tiles.type.mesh().run_device(device), engine->places());
  if (engine->gpu(place) == gpu) return place;
  return elsewhere(tiles, gpu, fmt::format("device {}", device), fmt::format("is on {}", engine->name(place)))
      .suggest("bring it to that GPU first, or give the tiles one by one, each on its device's GPU");
}

// The bytes from the first element of a view to the last.
std::pair<const std::byte*, std::int64_t> range_of(const runtime::TileView& view) {
  const std::int64_t element_bytes = synth::bytes_of(view.element);
  std::int64_t first = 0;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    (view.strides[d] < 0 ? first : last) += view.strides[d] * (view.shape[d] - 1);
  return {view.data + first * element_bytes, (last - first + 1) * element_bytes};
}

// The pool that knows the memory of a view.
std::shared_ptr<runtime::Pool> pool_of(const HostTiles& tiles, const GpuTile& tile,
                                       const std::shared_ptr<const void>& keep) {
  const auto [begin, bytes] = range_of(tile.view);
  return tiles.engine->borrowed(tile.place, begin, bytes, keep);
}

base::Status copy_tiles(const HostTiles& tiles, const std::vector<GpuTile>& all, const runtime::Arena& arena) {
  std::vector<std::shared_ptr<runtime::Pool>> known;  // until they are copied
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].is_in_place || runtime::is_empty(all[k].view.shape)) continue;
    known.push_back(pool_of(tiles, all[k], nullptr));
    const runtime::BoxMove move{all[k].view, {runtime::dense_strides(all[k].view.shape), arena.part(k)}};
    TESSERA_TRY_STATUS(tiles.engine->copy({1, [&](std::int64_t) { return move; }}));
  }
  return known.empty() ? base::Done{} : tiles.engine->wait();
}

}  // namespace

Array array_in(const HostTiles& tiles, HeldMemory memory, std::vector<const std::byte*> data, bool borrowed) {
  const auto held = std::make_shared<const HeldMemory>(std::move(memory));
  const std::shared_ptr<const runtime::Arena> arena(held, held->own.get());
  runtime::Value value(tiles.type, arena, std::move(data), tiles.team, tiles.ranks);
  auto made = std::make_shared<Array::Impl>("array", tiles.printed, std::move(value));
  made->borrowed = borrowed;
  return Array(std::move(made));
}

base::Result<Array> array_on_gpus(const HostTiles& tiles, const std::shared_ptr<const void>& keep) {
  std::vector<GpuTile> all;
  std::vector<std::int64_t> bytes;
  std::vector<std::shared_ptr<runtime::Pool>> pools;
  for (std::size_t k = 0; k < tiles.views.size(); ++k) {
    TESSERA_TRY(place, place_of(tiles, k));
    const runtime::TileView& view = tiles.views[k];
    const bool is_empty = runtime::is_empty(view.shape);
    all.push_back({view, place, !is_empty && is_in_place(tiles, view)});
    bytes.push_back(runtime::count(view.shape) * synth::bytes_of(view.element));
    pools.push_back(all.back().is_in_place ? pool_of(tiles, all.back(), keep) : tiles.engine->pool(place));
  }
  TESSERA_TRY(arena, runtime::Arena::reserve(bytes, pools));
  TESSERA_TRY_STATUS(copy_tiles(tiles, all, *arena));
  std::vector<const std::byte*> data(static_cast<std::size_t>(tiles.type.devices()), nullptr);
  for (std::size_t k = 0; k < all.size(); ++k)
    data[static_cast<std::size_t>(tiles.devices().begin) + k] = arena->part(k);
  const bool borrowed = std::ranges::all_of(
      all, [](const GpuTile& tile) { return tile.is_in_place || runtime::is_empty(tile.view.shape); });
  return array_in(tiles, {arena, nullptr}, std::move(data), borrowed);
}

}  // namespace tessera::embed
