// Memory of the host's as arrays.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "embed/arrays/array_impl.hpp"
#include "embed/host/convert.hpp"
#include "embed/host/host_memory.hpp"
#include "embed/kinds.hpp"
#include "embed/session/host_tiles.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/ranks/parts.hpp"
#include "runtime/ranks/region.hpp"
#include "synth/layout/tiling.hpp"
#include "tessera/array_type.hpp"

namespace tessera {

namespace {

bool is_readable_in_place(const runtime::TileView& view, std::int64_t element_bytes) {
  return runtime::is_dense(view.shape, view.strides) && embed::is_aligned(view.data, element_bytes);
}

// A bool of the host's that is neither 0 nor 1 would be read as both.
bool has_bad_bool(const runtime::TileView& view, std::size_t dimension, const std::byte* at) {
  if (dimension == view.shape.size()) return static_cast<std::uint8_t>(*at) > 1;
  for (std::int64_t i = 0; i < view.shape[dimension]; ++i) {
    if (has_bad_bool(view, dimension + 1, at + i * view.strides[dimension])) return true;
  }
  return false;
}

// A copy by bytes, for elements that are not aligned.
void copy_unaligned(const runtime::TileView& view, std::int64_t element_bytes, std::size_t dimension,
                    const std::byte* from, std::byte*& to) {
  if (dimension == view.shape.size()) {
    std::memcpy(to, from, static_cast<std::size_t>(element_bytes));
    to += element_bytes;
    return;
  }
  for (std::int64_t i = 0; i < view.shape[dimension]; ++i)
    copy_unaligned(view, element_bytes, dimension + 1, from + i * view.strides[dimension] * element_bytes, to);
}

void copy_tile(const runtime::TileView& view, std::int64_t element_bytes, std::byte* to) {
  if (embed::is_aligned(view.data, element_bytes)) {
    runtime::copy_elements(view, runtime::TileOut{view.element, view.shape, to});
  } else {
    copy_unaligned(view, element_bytes, 0, view.data, to);
  }
}

using embed::array_in;
using embed::HostTiles;

bool is_read_in_place(const HostTiles& tiles, const runtime::TileView& view) {
  return runtime::is_empty(view.shape) ||
         (!tiles.wants_copy && is_readable_in_place(view, synth::bytes_of(tiles.type.element())));
}

base::Status check_views(const HostTiles& tiles) {
  for (const runtime::TileView& view : tiles.views) {
    if (runtime::is_empty(view.shape)) continue;
    if (view.data == nullptr) return base::make(embed::Kind::bad_call, "a tile without memory");
    if (!tiles.is_on_gpus() && tiles.type.element() == synth::ElementType::boolean && has_bad_bool(view, 0, view.data))
      return base::make(embed::Kind::bad_call, "a bool of the host's is neither 0 nor 1");
  }
  return base::Done{};
}

// Tiles that nobody else reads: where they are, or copied.
base::Result<Array> array_here(const HostTiles& tiles, std::shared_ptr<const void> keep,
                               const std::shared_ptr<runtime::Pool>& pool) {
  if (tiles.is_on_gpus()) return embed::array_on_gpus(tiles, keep);
  const std::int64_t element_bytes = synth::bytes_of(tiles.type.element());
  std::vector<std::int64_t> copied_bytes;
  for (const runtime::TileView& view : tiles.views)
    copied_bytes.push_back(is_read_in_place(tiles, view) ? 0 : runtime::count(view.shape) * element_bytes);
  const bool borrowed =
      std::all_of(copied_bytes.begin(), copied_bytes.end(), [](std::int64_t bytes) { return bytes == 0; });
  std::shared_ptr<runtime::Arena> own;
  if (!borrowed) {
    TESSERA_TRY(arena, runtime::Arena::reserve(copied_bytes, pool));
    own = std::move(arena);
  }
  std::vector<const std::byte*> data(static_cast<std::size_t>(tiles.type.devices()), nullptr);
  for (std::size_t k = 0; k < tiles.views.size(); ++k) {
    const bool is_copied = copied_bytes[k] > 0;
    if (is_copied) copy_tile(tiles.views[k], element_bytes, own->part(k));
    data[static_cast<std::size_t>(tiles.devices().begin) + k] = is_copied ? own->part(k) : tiles.views[k].data;
  }
  return array_in(tiles, {std::move(own), std::move(keep)}, std::move(data), borrowed);
}

// Copies of this rank's tiles where the ranks of its machine can read them; `at` says to them where.
struct SharedTiles {
  runtime::PartMap map;
  std::shared_ptr<runtime::Arena> arena;
  std::int64_t at = 0;
};

base::Result<SharedTiles> shared_tiles(const HostTiles& tiles) {
  const synth::Mesh& mesh = tiles.type.mesh();
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(mesh.devices_end()), 0);
  for (std::int64_t device = 0; device < mesh.devices(); ++device)
    bytes[static_cast<std::size_t>(mesh.run_device(device))] = synth::tile_bytes(tiles.type, device);
  runtime::PartMap map(tiles.ranks, bytes);
  const int rank = tiles.team->rank();
  const std::int64_t mine = map.arena_bytes(rank);
  TESSERA_TRY(arena, runtime::Arena::reserve(std::span(&mine, 1), tiles.team->region()));
  for (std::size_t k = 0; k < tiles.views.size(); ++k) {
    if (runtime::is_empty(tiles.views[k].shape)) continue;
    const std::int64_t device = mesh.run_device(tiles.devices().begin + static_cast<std::int64_t>(k));
    copy_tile(tiles.views[k], synth::bytes_of(tiles.type.element()), arena->part(0) + map.offset(rank, device));
  }
  const std::int64_t at = tiles.team->region()->offset_of(arena->part(0));
  return SharedTiles{std::move(map), std::move(arena), at};
}

// The array of the tiles that all ranks give, of all ranks at once. Only ranks that share no memory read their tiles
// where the host has them: what another rank is to read has to lie where it can.
base::Result<Array> array_of_ranks(const base::Result<HostTiles>& given, std::string_view type,
                                   std::shared_ptr<const void> keep, runtime::Team& team,
                                   const std::shared_ptr<runtime::Pool>& pool) {
  base::Status status = given ? base::Status(base::Done{}) : base::Status(given.errors());
  std::optional<SharedTiles> shared;
  std::optional<Array> array;
  if (given && team.region() != nullptr) {
    auto made = base::guarded([&] { return shared_tiles(*given); });
    if (made)
      shared = std::move(*made);
    else
      status = made.errors();
  } else if (given) {
    auto made = base::guarded([&] { return array_here(*given, std::move(keep), pool); });
    if (made)
      array = std::move(*made);
    else
      status = made.errors();
  }
  const auto hash = static_cast<std::int64_t>(std::hash<std::string_view>{}(type));
  TESSERA_TRY(agreed, team.agree_on(std::move(status), {hash, shared ? shared->at : 0}));
  if (array) return std::move(*array);
  std::vector<std::int64_t> offsets;
  for (const runtime::Team::Words& words : agreed) offsets.push_back(words[1]);
  const runtime::Parts parts(team, shared->map, shared->arena, offsets);
  std::vector<const std::byte*> data;
  for (std::int64_t device = 0; device < given->type.devices(); ++device)
    data.push_back(parts.part(given->type.mesh().run_device(device)));
  return array_in(*given, {shared->arena, nullptr}, std::move(data), false);
}

}  // namespace

// The tiles that the host gives, of a type that is read in the session as it is now.
static base::Result<HostTiles> host_tiles(Session::Impl& session, std::string_view type,
                                          const std::vector<HostMemory>& tiles, embed::Texts& texts) {
  TESSERA_TRY(types, session.read_types({std::string(type)}, texts));
  const synth::ArrayType& read = types.front();
  HostTiles made{read, session.type_text(read), *session.team, session.device_ranks(read), nullptr, {}, {}};
  made.wants_copy = std::ranges::any_of(tiles, &HostMemory::copy);
  for (const HostMemory& tile : tiles) made.gpus.push_back(tile.gpu);
  if (made.is_on_gpus()) {
    TESSERA_TRY(engine, session.engine);
    made.engine = engine;
  }
  const runtime::Block devices = made.devices();
  if (std::ssize(tiles) != devices.size()) {
    return base::make(embed::Kind::bad_call,
                      fmt::format("{} is on {} devices{}, but {} tiles are given", made.printed, devices.size(),
                                  made.team == nullptr ? "" : " of this rank", tiles.size()));
  }
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const synth::Shape shape = synth::shape_of(synth::tile(read, devices.begin + static_cast<std::int64_t>(k)));
    const auto strides = embed::element_strides(tiles[k].strides_bytes, shape, synth::bytes_of(read.element()));
    if (!strides) return embed::wrong_strides(shape, synth::bytes_of(read.element()));
    made.views.push_back({read.element(), shape, *strides, static_cast<const std::byte*>(tiles[k].data)});
  }
  TESSERA_TRY_STATUS(check_views(made));
  return made;
}

// The tiles of an array that the host has as a whole.
static base::Result<std::vector<HostMemory>> cut(Session::Impl& session, std::string_view type, const HostMemory& whole,
                                                 embed::Texts& texts) {
  TESSERA_TRY(types, session.read_types({std::string(type)}, texts));
  const synth::ArrayType& read = types.front();
  if (!read.layout().pending().empty())
    return base::make(embed::Kind::bad_call, "the parts of a pending sum are not in one buffer: use borrow()");
  const std::int64_t element_bytes = synth::bytes_of(read.element());
  const auto strides = embed::element_strides(whole.strides_bytes, read.shape(), element_bytes);
  if (!strides) return embed::wrong_strides(read.shape(), element_bytes);
  std::vector<std::int64_t> strides_bytes;
  for (const std::int64_t stride : *strides) strides_bytes.push_back(stride * element_bytes);
  auto* const data = const_cast<std::byte*>(static_cast<const std::byte*>(whole.data));
  const runtime::Block devices = HostTiles::devices_here(session.team->get(), session.device_ranks(read), read);
  std::vector<HostMemory> tiles;
  for (std::int64_t device = devices.begin; device < devices.end; ++device) {
    const synth::Box box = synth::tile(read, device);
    const bool is_there = data != nullptr && !synth::empty(box);
    tiles.push_back({is_there ? embed::begin_of(data, box, *strides, element_bytes) : nullptr, strides_bytes, whole.gpu,
                     whole.copy});
  }
  return tiles;
}

// `tiles_of` gives the tiles of this rank's devices.
template <class F>
static Result<Array> array_of(Session::Impl& session, std::string_view type, std::shared_ptr<const void> keep,
                              const F& tiles_of) {
  return embed::safely([&]() -> Result<Array> {
    const embed::Entry entry(session.busy);
    if (!entry.alone()) return embed::session_is_busy();
    if (!session.team.ok()) return embed::to_public({}, session.team.errors());
    session.begin_work();
    embed::Texts texts = *session.state->texts;
    const auto given = base::guarded([&]() -> base::Result<HostTiles> {
      TESSERA_TRY(tiles, tiles_of(texts));
      return host_tiles(session, type, tiles, texts);
    });
    runtime::Team* const team = session.team->get();
    auto made = team != nullptr ? array_of_ranks(given, type, std::move(keep), *team, session.memory)
                : given         ? array_here(*given, std::move(keep), session.memory)
                                : base::Result<Array>(given.errors());
    if (!made) return embed::to_public(texts, made.errors());
    return std::move(*made);
  });
}

Result<Array> Session::borrow(std::string_view type, const std::vector<HostMemory>& tiles,
                              std::shared_ptr<const void> keep) {
  return array_of(*impl_, type, std::move(keep),
                  [&](embed::Texts&) -> base::Result<std::vector<HostMemory>> { return tiles; });
}

Result<Array> Session::array(std::string_view type, const HostMemory& whole, std::shared_ptr<const void> keep) {
  return array_of(*impl_, type, std::move(keep), [&](embed::Texts& texts) { return cut(*impl_, type, whole, texts); });
}

Result<ArrayType> Session::read_type(std::string_view type) {
  return embed::safely([&]() -> Result<ArrayType> {
    const embed::Entry entry(impl_->busy);
    if (!entry.alone()) return embed::session_is_busy();
    impl_->begin_work();
    embed::Texts texts = *impl_->state->texts;
    const auto types = impl_->read_types({std::string(type)}, texts);
    if (!types) return embed::to_public(texts, types.errors());
    const synth::ArrayType& read = types->front();
    ArrayType result{
        impl_->type_text(read), embed::to_public(read.element()), {}, {}, !read.layout().pending().empty()};
    result.shape.assign(read.shape().begin(), read.shape().end());
    for (std::int64_t device = 0; device < read.devices(); ++device)
      result.tiles.push_back(embed::to_public(synth::tile(read, device)));
    return result;
  });
}

}  // namespace tessera
