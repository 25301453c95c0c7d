// Memory of the host's as arrays, and arrays as memory for the host.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "embed/array_impl.hpp"
#include "embed/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/session_impl.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/memory/arena.hpp"
#include "synth/layout/tiling.hpp"

namespace tessera {

namespace {

// Strides in elements; those of a dense array where none are given. Nothing where they do not fit.
std::optional<synth::Shape> element_strides(const std::vector<std::int64_t>& strides_bytes, const synth::Shape& shape,
                                            std::int64_t element_bytes) {
  if (strides_bytes.empty()) return runtime::dense_strides(shape);
  if (strides_bytes.size() != shape.size()) return std::nullopt;
  synth::Shape strides;
  for (const std::int64_t stride : strides_bytes) {
    if (stride % element_bytes != 0) return std::nullopt;
    strides.push_back(stride / element_bytes);
  }
  return strides;
}

Diagnostics wrong_strides(const synth::Shape& shape, std::int64_t element_bytes) {
  return embed::bad_call(
      fmt::format("an array of {} dimensions has that many strides, each a multiple of {} bytes, or none", shape.size(),
                  element_bytes));
}

// The memory of an array's tiles: ours, the host's, or some of both.
struct HeldMemory {
  std::shared_ptr<runtime::Arena> own;
  std::shared_ptr<const void> keep;
};

bool is_aligned(const std::byte* data, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0;
}

bool is_readable_in_place(const runtime::TileView& view, std::int64_t element_bytes) {
  return runtime::is_dense(view.shape, view.strides) && is_aligned(view.data, element_bytes);
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
  if (is_aligned(view.data, element_bytes)) {
    runtime::copy_elements(view, runtime::TileOut{view.element, view.shape, to});
  } else {
    copy_unaligned(view, element_bytes, 0, view.data, to);
  }
}

// The array of these tiles: read where they are, or copied.
Result<Array> array_of(const synth::ArrayType& type, std::string printed, const std::vector<runtime::TileView>& tiles,
                       std::shared_ptr<const void> keep, const std::shared_ptr<runtime::Pool>& pool) {
  const std::int64_t element_bytes = synth::bytes_of(type.element());
  std::vector<std::int64_t> copied_bytes;
  bool borrowed = true;
  for (const runtime::TileView& tile : tiles) {
    const bool empty = runtime::is_empty(tile.shape);
    if (!empty && tile.data == nullptr) return embed::bad_call("a tile without memory");
    if (!empty && type.element() == synth::ElementType::boolean && has_bad_bool(tile, 0, tile.data))
      return embed::bad_call("a bool of the host's is neither 0 nor 1");
    const bool in_place = empty || is_readable_in_place(tile, element_bytes);
    borrowed = borrowed && in_place;
    copied_bytes.push_back(in_place ? 0 : runtime::count(tile.shape) * element_bytes);
  }
  std::shared_ptr<runtime::Arena> own;
  if (!borrowed) {
    auto arena = runtime::Arena::reserve(copied_bytes, pool);
    if (!arena) return embed::to_public({}, arena.errors());
    own = std::move(*arena);
  }
  std::vector<const std::byte*> data;
  for (std::size_t device = 0; device < tiles.size(); ++device) {
    if (copied_bytes[device] > 0) copy_tile(tiles[device], element_bytes, own->part(device));
    data.push_back(copied_bytes[device] > 0 ? own->part(device) : tiles[device].data);
  }
  const auto held = std::make_shared<const HeldMemory>(HeldMemory{std::move(own), std::move(keep)});
  const std::shared_ptr<const runtime::Arena> memory(held, held->own.get());
  auto made = std::make_shared<Array::Impl>("array", std::move(printed), runtime::Value(type, memory, std::move(data)));
  made->borrowed = borrowed;
  return Array(std::move(made));
}

// The whole array's elements, each once: of every box the first device that has it.
std::vector<std::int64_t> first_holders(const synth::ArrayType& type) {
  std::set<synth::Box> seen;
  std::vector<std::int64_t> devices;
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    if (seen.insert(synth::tile(type, device)).second) devices.push_back(device);
  }
  return devices;
}

std::byte* begin_of(std::byte* data, const synth::Box& box, const synth::Shape& strides, std::int64_t element_bytes) {
  for (std::size_t d = 0; d < box.size(); ++d) data += box[d].begin * strides[d] * element_bytes;
  return data;
}

}  // namespace

Result<Array> Session::borrow(std::string_view type, const std::vector<HostMemory>& tiles,
                              std::shared_ptr<const void> keep) {
  return embed::safely([&]() -> Result<Array> {
    const embed::Entry entry(impl_->busy);
    if (!entry.alone()) return embed::session_is_busy();
    if (!impl_->team.ok()) return embed::to_public({}, impl_->team.errors());
    if (*impl_->team != nullptr) return embed::bad_call("memory is borrowed by one process, not by ranks: use set()");
    impl_->begin_work();
    embed::Texts texts = *impl_->state->texts;
    auto types = impl_->read_types({std::string(type)}, texts);
    if (!types) return embed::to_public(texts, types.errors());
    const synth::ArrayType& read = types->front();
    if (std::ssize(tiles) != read.devices()) {
      return embed::bad_call(
          fmt::format("{} is on {} devices, but {} tiles are given", synth::print(read), read.devices(), tiles.size()));
    }
    const std::int64_t element_bytes = synth::bytes_of(read.element());
    std::vector<runtime::TileView> views;
    for (std::size_t device = 0; device < tiles.size(); ++device) {
      const synth::Shape shape = synth::shape_of(synth::tile(read, static_cast<std::int64_t>(device)));
      const auto strides = element_strides(tiles[device].strides_bytes, shape, element_bytes);
      if (!strides) return wrong_strides(shape, element_bytes);
      views.push_back({read.element(), shape, *strides, static_cast<const std::byte*>(tiles[device].data)});
    }
    return array_of(read, impl_->type_text(read), views, std::move(keep), impl_->memory);
  });
}

Result<Array> Session::array(std::string_view type, const HostMemory& whole, std::shared_ptr<const void> keep) {
  std::vector<HostMemory> tiles;
  auto cut = embed::safely([&]() -> Status {
    embed::Texts texts = *impl_->state->texts;
    const embed::Entry entry(impl_->busy);
    if (!entry.alone()) return embed::session_is_busy();
    impl_->begin_work();
    auto types = impl_->read_types({std::string(type)}, texts);
    if (!types) return embed::to_public(texts, types.errors());
    const synth::ArrayType& read = types->front();
    if (!read.layout().pending().empty())
      return embed::bad_call("the parts of a pending sum are not in one buffer: use borrow()");
    const std::int64_t element_bytes = synth::bytes_of(read.element());
    const auto strides = element_strides(whole.strides_bytes, read.shape(), element_bytes);
    if (!strides) return wrong_strides(read.shape(), element_bytes);
    std::vector<std::int64_t> strides_bytes;
    for (const std::int64_t stride : *strides) strides_bytes.push_back(stride * element_bytes);
    auto* const data = const_cast<std::byte*>(static_cast<const std::byte*>(whole.data));
    for (std::int64_t device = 0; device < read.devices(); ++device) {
      const synth::Box box = synth::tile(read, device);
      const bool is_there = data != nullptr && !synth::empty(box);
      tiles.push_back({is_there ? begin_of(data, box, *strides, element_bytes) : nullptr, strides_bytes});
    }
    return Done{};
  });
  if (!cut) return cut.diagnostics();
  return borrow(type, tiles, std::move(keep));
}

bool Array::borrowed() const { return impl_->borrowed; }

Result<Array::View> Array::view(std::int64_t device) const {
  if (device < 0 || device >= devices() || !impl_->value.has_device(device)) {
    return embed::bad_call(
        fmt::format("device {} of {} is not one of this process's for `{}`", device, devices(), impl_->name));
  }
  return embed::safely([&]() -> Result<View> {
    const synth::Box box = synth::tile(impl_->value.type(), device);
    const synth::Shape shape = synth::shape_of(box);
    View view{embed::to_public(box), {shape.begin(), shape.end()}, {}, impl_->value.tile(device).data()};
    const std::int64_t element_bytes = synth::bytes_of(impl_->value.type().element());
    for (const std::int64_t stride : runtime::dense_strides(shape))
      view.strides_bytes.push_back(stride * element_bytes);
    return view;
  });
}

Status Array::copy_to(void* data, const std::vector<std::int64_t>& strides_bytes) const {
  return embed::safely([&]() -> Status {
    const synth::ArrayType& type = impl_->value.type();
    const std::int64_t element_bytes = synth::bytes_of(type.element());
    const auto strides = element_strides(strides_bytes, type.shape(), element_bytes);
    if (!strides) return wrong_strides(type.shape(), element_bytes);
    auto* const target = static_cast<std::byte*>(data);
    if (!is_aligned(target, element_bytes))
      return embed::bad_call(fmt::format("the buffer is not aligned to {} bytes, as its elements are", element_bytes));
    if (impl_->value.team() != nullptr || !type.layout().pending().empty()) {
      const auto whole = runtime::gather(impl_->value);
      if (!whole) return embed::to_public({}, whole.errors());
      runtime::copy_elements(runtime::dense_view(type.element(), type.shape(), whole->bytes.data()),
                             runtime::TileTarget{*strides, target});
      return Done{};
    }
    const auto writing = runtime::writing_of(runtime::count(type.shape()) * element_bytes);
    for (const std::int64_t device : first_holders(type)) {
      const synth::Box box = synth::tile(type, device);
      if (synth::empty(box)) continue;
      runtime::copy_elements(
          runtime::dense_view(type.element(), synth::shape_of(box), impl_->value.tile(device).data()),
          runtime::TileTarget{*strides, begin_of(target, box, *strides, element_bytes)}, writing);
    }
    return Done{};
  });
}

}  // namespace tessera
