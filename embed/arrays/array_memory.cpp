// Arrays as memory for the host.
#include <fmt/format.h>

#include <set>

#include "embed/arrays/array_impl.hpp"
#include "embed/arrays/lost_value.hpp"
#include "embed/host/convert.hpp"
#include "embed/host/host_memory.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/kernels/copy.hpp"
#include "synth/layout/tiling.hpp"

namespace tessera {

namespace {

// The whole array's elements, each once: of every box the first device that has it.
std::vector<std::int64_t> first_holders(const synth::ArrayType& type) {
  std::set<synth::Box> seen;
  std::vector<std::int64_t> devices;
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    if (seen.insert(synth::tile(type, device)).second) devices.push_back(device);
  }
  return devices;
}

}  // namespace

bool Array::borrowed() const { return impl_->borrowed; }

static Result<Array::View> view_of(const Array::Impl& array, std::int64_t device, bool in_place) {
  if (device < 0 || device >= array.value.type().devices() || !array.value.has_device(device)) {
    return embed::bad_call(fmt::format("device {} of {} is not one of this process's for `{}`", device,
                                       array.value.type().devices(), array.name));
  }
  return embed::safely([&]() -> Result<Array::View> {
    const std::shared_ptr<runtime::Engine> engine = in_place ? array.value.engine() : nullptr;
    const auto here = engine != nullptr ? base::Result<runtime::Value>(array.value) : array.value.on_host();
    if (!here) return embed::to_public({}, here.errors());
    const synth::Box box = synth::tile(array.value.type(), device);
    const synth::Shape shape = synth::shape_of(box);
    Array::View view{embed::to_public(box), {shape.begin(), shape.end()}, {}, here->tile(device).data()};
    const std::int64_t element_bytes = synth::bytes_of(array.value.type().element());
    for (const std::int64_t stride : runtime::dense_strides(shape))
      view.strides_bytes.push_back(stride * element_bytes);
    if (engine == nullptr) return view;
    const int place = engine->place_of(view.data);
    if (engine->is_lost(place)) {
      if (const base::Status why = engine->wait(); !why.ok())
        return embed::to_public({}, embed::reading_failed(why.errors(), array.name));
    }
    view.gpu = engine->gpu(place);
    return view;
  });
}

Result<Array::View> Array::view(std::int64_t device) const { return view_of(*impl_, device, false); }
Result<Array::View> Array::view_in_place(std::int64_t device) const { return view_of(*impl_, device, true); }

Status Array::copy_to(void* data, const std::vector<std::int64_t>& strides_bytes) const {
  return embed::safely([&]() -> Status {
    const synth::ArrayType& type = impl_->value.type();
    const std::int64_t element_bytes = synth::bytes_of(type.element());
    const auto strides = embed::element_strides(strides_bytes, type.shape(), element_bytes);
    if (!strides) return embed::failure(embed::wrong_strides(type.shape(), element_bytes));
    auto* const target = static_cast<std::byte*>(data);
    if (target == nullptr && !runtime::is_empty(type.shape())) return embed::bad_call("there is no memory to copy to");
    if (!embed::is_aligned(target, element_bytes))
      return embed::bad_call(fmt::format("the buffer is not aligned to {} bytes, as its elements are", element_bytes));
    if (impl_->value.team() != nullptr || !type.layout().pending().empty()) {
      const auto whole = runtime::gather(impl_->value);
      if (!whole) return embed::to_public({}, whole.errors());
      runtime::copy_elements(runtime::dense_view(type.element(), type.shape(), whole->bytes.data()),
                             runtime::TileTarget{*strides, target});
      return Done{};
    }
    const auto here = impl_->value.on_host();
    if (!here) return embed::to_public({}, here.errors());
    const auto writing = runtime::writing_of(runtime::count(type.shape()) * element_bytes);
    for (const std::int64_t device : first_holders(type)) {
      const synth::Box box = synth::tile(type, device);
      if (synth::empty(box)) continue;
      runtime::copy_elements(runtime::dense_view(type.element(), synth::shape_of(box), here->tile(device).data()),
                             runtime::TileTarget{*strides, embed::begin_of(target, box, *strides, element_bytes)},
                             writing);
    }
    return Done{};
  });
}

}  // namespace tessera
