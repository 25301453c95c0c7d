#include "runtime/device/gpu/gpu_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/check.hpp"
#include "runtime/device/gpu/borrowed_memory.hpp"
#include "runtime/device/gpu/complex_sums.hpp"
#include "runtime/device/gpu/counting_launcher.hpp"
#include "runtime/device/gpu/cut_boxes.hpp"
#include "runtime/device/gpu/gpu_steps.hpp"
#include "runtime/device/steps/copies.hpp"
#include "runtime/device/steps/sums.hpp"

namespace tessera::device {

base::Status GpuEngine::begin() {
  const Current current(*place_->gpu);
  return place_->launcher.begin();
}

template <class F>
base::Status GpuEngine::step(const synth::Operation* operation, F&& act, std::uint32_t origin) {
  return base::guarded([&]() -> base::Status {
    const std::scoped_lock lock(*place_->mutex);
    const Current current(*place_->gpu);
    place_->gpu->works_for(operation);
    base::Status done = base::guarded([&]() -> base::Status {
      TESSERA_TRY_STATUS(place_->launcher.begin_step(origin));
      return act(place_->launcher);
    });
    place_->gpu->works_for(nullptr);
    return done;
  });
}

template <class Step, class F>
base::Status GpuEngine::take_known(const synth::Operation* operation, const Step& known, F&& act,
                                   std::uint32_t origin) {
  const auto taken = [&](GpuLauncher& launcher) -> base::Status {
    write_key(known, key_);
    if (launcher.repeat(key_)) return base::Done{};
    TESSERA_TRY_STATUS(act(launcher));
    launcher.end_step(key_);
    return base::Done{};
  };
  return step(operation, taken, origin);
}

std::shared_ptr<runtime::Pool> GpuEngine::pool(int /*place*/) {
  return std::make_shared<GpuPool>(shared_from_this(), place_->memory);
}
std::int64_t GpuEngine::memory_bytes_max(int /*place*/) const { return place_->gpu->budget(); }
std::string GpuEngine::name(int /*place*/) const { return "GPU " + place_->gpu->label(); }
bool GpuEngine::is_lost(int /*place*/) const {
  const std::scoped_lock lock(*place_->mutex);
  return place_->gpu->is_lost();
}
int GpuEngine::gpu(int /*place*/) const { return place_->gpu->number(); }
void* GpuEngine::stream(int /*place*/) const { return place_->gpu->stream(); }
std::shared_ptr<runtime::Pool> GpuEngine::borrowed(int /*place*/, const std::byte* begin, std::int64_t bytes,
                                                   std::shared_ptr<const void> keep) {
  return std::make_shared<BorrowedMemory>(shared_from_this(), *place_, begin, bytes, std::move(keep));
}

base::Status GpuEngine::act(const std::function<base::Status(GpuLauncher&)>& what) { return step(nullptr, what); }

bool GpuEngine::takes(const runtime::LocalStep& step) const { return takes_step(step); }
base::Status GpuEngine::take(const runtime::LocalStep& local) {
  const auto taken = [&](Launcher& launcher) {
    const bool multiplies = std::holds_alternative<synth::Contract>(local.apply.operation);
    const auto narrow = multiplies ? place_->widened.operands_of(local) : std::nullopt;
    return take_step(launcher, local, multiplies ? place_->products.call(narrow) : GemmCall{});
  };
  return take_known(&local.apply.operation, local, taken, local.origin);
}
bool GpuEngine::takes(const runtime::ChainStep& chain) const { return takes_chain(chain); }
base::Status GpuEngine::take(const runtime::ChainStep& chain) {
  const std::uint32_t origin = chain.steps.empty() ? 0 : chain.steps.front().origin;
  return take_known(nullptr, chain, [&](Launcher& launcher) { return take_chain(launcher, chain); }, origin);
}

// A step that cannot be taken says so when it is.
std::vector<runtime::Room> GpuEngine::room_of(const runtime::LocalStep& local) {
  const std::scoped_lock lock(*place_->mutex);
  CountingLauncher counting(place_->gpu->facts().processors);
  runtime::Room room;
  const bool multiplies = std::holds_alternative<synth::Contract>(local.apply.operation);
  const auto narrow = multiplies ? place_->widened.operands_of(local) : std::nullopt;
  const GemmCall count = multiplies ? place_->products.count(counting, narrow, room.lasting) : GemmCall{};
  static_cast<void>(take_step(counting, local, count));
  room.of_step = counting.bytes();
  return {room};
}
std::vector<runtime::Room> GpuEngine::room_of(const runtime::ChainStep& chain) {
  CountingLauncher counting(place_->gpu->facts().processors);
  static_cast<void>(take_chain(counting, chain));
  return {{counting.bytes(), 0}};
}
base::Status GpuEngine::make_room(int /*place*/, const runtime::Room& room) {
  return step(nullptr, [&](GpuLauncher& launcher) -> base::Status {
    TESSERA_TRY_STATUS(place_->constants.begin());
    TESSERA_TRY_STATUS(place_->indices.begin());
    if (room.lasting > 0) TESSERA_TRY_STATUS(place_->products.begin());
    return launcher.make_room(room.of_step);
  });
}
void GpuEngine::leave_room() {
  const std::scoped_lock lock(*place_->mutex);
  place_->launcher.leave_room();
}

base::Status GpuEngine::copy(const runtime::ItemList<runtime::BoxMove>& moves, const runtime::ListHints& hints) {
  const auto copied = [&](Launcher& launcher) { return device::copy(launcher, moves); };
  return hints.key.empty() ? step(nullptr, copied) : take_known(nullptr, hints, copied, 0);
}
namespace {

// A tile of complex numbers as one of twice as many parts.
runtime::TileOut as_parts(const runtime::TileOut& tile) {
  if (!synth::is_complex(tile.element)) return tile;
  return {synth::part_of(tile.element), synth::Shape{2 * runtime::count(tile.shape)}, tile.data};
}

}  // namespace

base::Status GpuEngine::combine(synth::ReduceOp op, const runtime::ItemList<runtime::BoxSum>& sums) {
  if (are_complex(sums)) return in_parts(sums, [&](const auto& parts) { return combine(op, parts); });
  return step(nullptr, [&](Launcher& launcher) { return device::combine(launcher, op, sums); });
}
base::Status GpuEngine::fill_identity(synth::ReduceOp op, const runtime::ItemList<runtime::TileOut>& tiles) {
  const auto parts = [&](std::int64_t i) { return as_parts(tiles.at(i)); };
  const runtime::ItemList<runtime::TileOut> all(tiles.size(), parts);
  return step(nullptr, [&](Launcher& launcher) { return device::fill_identity(launcher, op, all); });
}

base::Status GpuEngine::fill(const runtime::ItemList<runtime::TileOut>& tiles, std::span<const std::byte> element) {
  if (element.size() > sizeof(std::uint64_t)) return fill_by_copies(tiles, element);
  return step(nullptr, [&](Launcher& launcher) { return fill_tiles(launcher, tiles, element); });
}

// Kernels fill with eight bytes at the most.
base::Status GpuEngine::fill_by_copies(const runtime::ItemList<runtime::TileOut>& tiles,
                                       std::span<const std::byte> element) {
  for (std::int64_t i = 0; i < tiles.size(); ++i) {
    const runtime::TileOut tile = tiles.at(i);
    std::vector<std::byte> filled;
    for (std::int64_t k = runtime::count(tile.shape); k > 0; --k)
      filled.insert(filled.end(), element.begin(), element.end());
    const runtime::TileTarget to{runtime::dense_strides(tile.shape), tile.data};
    TESSERA_TRY_STATUS(write(runtime::dense_view(tile.element, tile.shape, filled.data()), to));
  }
  return base::Done{};
}

base::Result<const std::byte*> GpuEngine::constant(std::span<const std::byte> element) {
  const std::byte* at = nullptr;
  TESSERA_TRY_STATUS(step(nullptr, [&](GpuLauncher&) -> base::Status {
    TESSERA_TRY(found, place_->constants.find(element));
    at = found == 0 ? nullptr : memory_at(found);
    return base::Done{};
  }));
  return at;
}
base::Status GpuEngine::write_index(const runtime::ItemList<runtime::TileOut>& tiles, std::int64_t index) {
  return step(nullptr, [&](GpuLauncher& launcher) { return place_->indices.write(launcher, tiles, index); });
}

base::Status GpuEngine::write(const runtime::TileView& host, const runtime::TileTarget& to) {
  if (runtime::is_empty(host.shape)) return base::Done{};
  if (runtime::is_dense(host.shape, to.strides)) {
    return step(nullptr, [&](GpuLauncher& launcher) -> base::Status {
      TESSERA_TRY_STATUS(launcher.begin_work());
      return place_->staging.write(address_at(to.data), host.data, bytes_of(host.element, host.shape));
    });
  }
  return for_each_part(host.shape, bytes_of(host.element, host.shape),
                       [&](const synth::Shape& begin, const synth::Shape& extents) {
                         return write_part(runtime::part_of(host, begin, extents), part_of(to, host.element, begin));
                       });
}

base::Status GpuEngine::write_part(const runtime::TileView& host, const runtime::TileTarget& to) {
  return step(nullptr, [&](GpuLauncher& launcher) -> base::Status {
    TESSERA_TRY_STATUS(launcher.begin_work());
    const std::int64_t bytes = bytes_of(host.element, host.shape);
    TESSERA_TRY(room, launcher.scratch(bytes));
    TESSERA_TRY_STATUS(place_->staging.write(room, host.data, bytes));
    const runtime::BoxMove move{runtime::dense_view(host.element, host.shape, memory_at(room)), to};
    return device::copy(launcher, std::span(&move, 1));
  });
}

base::Status GpuEngine::read(const runtime::TileView& from, const runtime::TileOut& host) {
  if (runtime::is_empty(from.shape)) return wait();
  return for_each_part(from.shape, runtime::is_dense(from.shape, from.strides) ? 0 : bytes_of(from.element, from.shape),
                       [&](const synth::Shape& begin, const synth::Shape& extents) {
                         const runtime::TileTarget dense{runtime::dense_strides(host.shape), host.data};
                         return read_part(runtime::part_of(from, begin, extents),
                                          {host.element, extents, part_of(dense, host.element, begin).data});
                       });
}

base::Status GpuEngine::read_part(const runtime::TileView& from, const runtime::TileOut& host) {
  return step(nullptr, [&](GpuLauncher& launcher) -> base::Status {
    const std::int64_t bytes = bytes_of(from.element, from.shape);
    Address source = address_at(from.data);
    if (!runtime::is_dense(from.shape, from.strides)) {
      TESSERA_TRY(room, launcher.scratch(bytes));
      const runtime::BoxMove move{from, {runtime::dense_strides(from.shape), memory_at(room)}};
      TESSERA_TRY_STATUS(device::copy(launcher, std::span(&move, 1)));
      source = room;
    }
    TESSERA_TRY_STATUS(launcher.begin_work());
    TESSERA_TRY_STATUS(place_->staging.read(host.data, source, bytes));
    return launcher.wait();
  });
}

base::Result<std::int64_t> GpuEngine::mark() {
  std::int64_t made = -1;
  const auto add = [&](GpuLauncher& launcher) -> base::Status {
    TESSERA_TRY_STATUS(launcher.begin_work());
    TESSERA_TRY(mark, place_->marks.add());
    made = mark;
    return base::Done{};
  };
  TESSERA_TRY_STATUS(step(nullptr, add));
  return made;
}
base::Result<std::vector<double>> GpuEngine::marked(std::int64_t mark) {
  std::vector<double> seconds;
  const auto take = [&](GpuLauncher& launcher) -> base::Status {
    TESSERA_TRY_STATUS(launcher.begin_work());
    TESSERA_TRY(known, place_->marks.take(mark));
    seconds.push_back(known);
    return base::Done{};
  };
  TESSERA_TRY_STATUS(step(nullptr, take));
  return seconds;
}

base::Status GpuEngine::turn_ends() {
  return step(nullptr, [&](GpuLauncher& launcher) { return launcher.begin_work(); });
}

base::Status GpuEngine::wait() {
  return step(nullptr, [&](GpuLauncher& launcher) {
    launcher.forget_steps();
    place_->indices.forget();
    place_->widened.forget();
    return launcher.wait();
  });
}

}  // namespace tessera::device
