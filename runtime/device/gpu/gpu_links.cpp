#include "runtime/device/gpu/gpu_links.hpp"

#include <algorithm>

#include "runtime/device/gpu/cut_boxes.hpp"
#include "runtime/device/steps/copies.hpp"
#include "runtime/device/steps/sums.hpp"

namespace tessera::device {

namespace {

using runtime::BoxMove;
using runtime::BoxSum;
using runtime::TileView;

constexpr std::int64_t kPackedAligned = 64;
constexpr const char* kCopy = "a copy from another GPU";

std::int64_t packed_bytes(const TileView& box) {
  return (bytes_of(box.element, box.shape) + kPackedAligned - 1) / kPackedAligned * kPackedAligned;
}

TileView box_part(const TileView& box, const synth::Shape& begin, const synth::Shape& extents) {
  return runtime::part_of(box, begin, extents);
}

}  // namespace

GpuLinks::~GpuLinks() {
  for (std::size_t place = 0; place < marks_.size(); ++place) {
    const Current current(gpu(place));
    gpu(place).calls().end_event(marks_[place]);
  }
}

base::Status GpuLinks::begin() {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const Current current(gpu(place));
    void* mark = nullptr;
    TESSERA_TRY_STATUS(gpu(place).check(gpu(place).calls().new_event(&mark, cuda::kEventNoTimes), "an event"));
    marks_.push_back(mark);
    for (std::size_t other = 0; other < places_.size(); ++other) {
      TESSERA_TRY(can, make_reachable(place, other));
      reaches_.push_back(can);
    }
  }
  return base::Done{};
}

// The place's GPU is current. One that may not reach the other after all is no failure.
base::Result<bool> GpuLinks::make_reachable(std::size_t place, std::size_t other) {
  Gpu& mine = gpu(place);
  const Gpu& its = gpu(other);
  if (mine.number() == its.number()) return true;
  int can = 0;
  TESSERA_TRY_STATUS(mine.check(mine.calls().can_access_peer(&can, mine.device(), its.device()), "whom it can reach"));
  if (can == 0) return false;
  const int code = mine.calls().enable_peer(its.context(), 0);
  return code == 0 || code == cuda::kPeerAccessAlreadyEnabled;
}

base::Status GpuLinks::follow(std::size_t place, std::size_t other) {
  const auto marked = [&](GpuLauncher& launcher) -> base::Status {
    TESSERA_TRY_STATUS(launcher.begin_work());
    return gpu(other).check(gpu(other).calls().record(marks_[other], gpu(other).stream()), "an event");
  };
  const auto waited = [&](GpuLauncher& launcher) -> base::Status {
    TESSERA_TRY_STATUS(launcher.begin_work());
    return gpu(place).check(gpu(place).calls().stream_waits(gpu(place).stream(), marks_[other], 0), kCopy);
  };
  TESSERA_TRY_STATUS(places_[other]->act(marked));
  return places_[place]->act(waited);
}

// Dense copies of boxes that another place has, in room of the step that `here` takes for its place. The other place's
// own room is in use until they have come.
base::Result<std::vector<TileView>> GpuLinks::bring(GpuLauncher& here, std::size_t to, std::size_t from,
                                                    std::span<const TileView> boxes) {
  std::int64_t bytes = 0;
  for (const TileView& box : boxes) bytes += packed_bytes(box);
  TESSERA_TRY(room, here.scratch(bytes));
  const auto packed_at = [&](Address address) {
    std::vector<TileView> packed;
    for (const TileView& box : boxes) {
      packed.push_back(runtime::dense_view(box.element, box.shape, memory_at(address)));
      address += static_cast<Address>(packed_bytes(box));
    }
    return packed;
  };
  const auto fetch = [&](Address packed) -> base::Status {
    Gpu& gpu = this->gpu(to);
    const Current current(gpu);
    TESSERA_TRY_STATUS(here.begin_work());
    TESSERA_TRY_STATUS(gpu.check(gpu.calls().stream_waits(gpu.stream(), marks_[from], 0), kCopy));
    const int code = gpu.calls().copy_between(room, gpu.context(), packed, this->gpu(from).context(),
                                              static_cast<std::size_t>(bytes), gpu.stream());
    TESSERA_TRY_STATUS(gpu.check(code, kCopy));
    return gpu.check(gpu.calls().record(marks_[to], gpu.stream()), "an event");
  };
  const auto pack = [&](GpuLauncher& there) -> base::Status {
    TESSERA_TRY(packed, there.scratch(bytes));
    const std::vector<TileView> targets = packed_at(packed);
    const auto move = [&](std::int64_t i) -> BoxMove {
      const auto k = static_cast<std::size_t>(i);
      return {boxes[k], {targets[k].strides, memory_at(address_at(targets[k].data))}};
    };
    TESSERA_TRY_STATUS(device::copy(there, runtime::ItemList<BoxMove>(static_cast<std::int64_t>(boxes.size()), move)));
    TESSERA_TRY_STATUS(there.begin_work());
    Gpu& gpu = this->gpu(from);
    TESSERA_TRY_STATUS(gpu.check(gpu.calls().record(marks_[from], gpu.stream()), "an event"));
    TESSERA_TRY_STATUS(fetch(packed));
    return gpu.check(gpu.calls().stream_waits(gpu.stream(), marks_[to], 0), kCopy);
  };
  TESSERA_TRY_STATUS(places_[from]->act(pack));
  return packed_at(room);
}

base::Status GpuLinks::copy_batch(std::size_t to, std::size_t from, std::span<const BoxMove> moves) {
  return places_[to]->act([&](GpuLauncher& here) -> base::Status {
    std::vector<TileView> boxes;
    for (const BoxMove& move : moves) boxes.push_back(move.from);
    TESSERA_TRY(brought, bring(here, to, from, boxes));
    const auto move = [&](std::int64_t i) -> BoxMove {
      return {brought[static_cast<std::size_t>(i)], moves[static_cast<std::size_t>(i)].to};
    };
    return device::copy(here, runtime::ItemList<BoxMove>(static_cast<std::int64_t>(moves.size()), move));
  });
}

base::Status GpuLinks::copy(std::size_t to, std::size_t from, std::span<const BoxMove> moves) {
  std::vector<BoxMove> batch;
  std::int64_t bytes = 0;
  for (const BoxMove& move : moves) {
    const TileView& box = move.from;
    const auto add = [&](const synth::Shape& begin, const synth::Shape& extents) -> base::Status {
      const TileView part = box_part(box, begin, extents);
      if (!batch.empty() && bytes + packed_bytes(part) > kPartBytes) {
        TESSERA_TRY_STATUS(copy_batch(to, from, batch));
        batch.clear();
        bytes = 0;
      }
      batch.push_back({part, part_of(move.to, box.element, begin)});
      bytes += packed_bytes(part);
      return base::Done{};
    };
    TESSERA_TRY_STATUS(for_each_part(box.shape, bytes_of(box.element, box.shape), add));
  }
  return batch.empty() ? base::Status(base::Done{}) : copy_batch(to, from, batch);
}

base::Status GpuLinks::combine_batch(std::size_t to, synth::ReduceOp op, std::vector<BoxSum> sums,
                                     const PlaceOf& place_of) {
  return places_[to]->act([&](GpuLauncher& here) -> base::Status {
    std::vector<std::vector<TileView*>> parts(places_.size());
    for (BoxSum& sum : sums) {
      for (TileView& part : sum.parts) parts[place_of(part.data)].push_back(&part);
    }
    for (std::size_t from = 0; from < parts.size(); ++from) {
      if (from == to || parts[from].empty()) continue;
      std::vector<TileView> boxes;
      for (const TileView* const part : parts[from]) boxes.push_back(*part);
      TESSERA_TRY(brought, bring(here, to, from, boxes));
      for (std::size_t k = 0; k < brought.size(); ++k) *parts[from][k] = brought[k];
    }
    const auto sum = [&](std::int64_t i) { return sums[static_cast<std::size_t>(i)]; };
    return device::combine(here, op, runtime::ItemList<BoxSum>(static_cast<std::int64_t>(sums.size()), sum));
  });
}

base::Status GpuLinks::combine(std::size_t to, synth::ReduceOp op, std::span<const BoxSum> sums,
                               const PlaceOf& place_of) {
  std::vector<BoxSum> batch;
  std::int64_t bytes = 0;
  for (const BoxSum& sum : sums) {
    const TileView& first = sum.parts.front();
    const auto parts = static_cast<std::int64_t>(sum.parts.size());
    const auto add = [&](const synth::Shape& begin, const synth::Shape& extents) -> base::Status {
      BoxSum part{{}, part_of(sum.to, first.element, begin)};
      for (const TileView& box : sum.parts) part.parts.push_back(box_part(box, begin, extents));
      const std::int64_t more = parts * packed_bytes(part.parts.front());
      if (!batch.empty() && bytes + more > kPartBytes) {
        TESSERA_TRY_STATUS(combine_batch(to, op, std::move(batch), place_of));
        batch.clear();
        bytes = 0;
      }
      batch.push_back(std::move(part));
      bytes += more;
      return base::Done{};
    };
    TESSERA_TRY_STATUS(for_each_part(first.shape, parts * bytes_of(first.element, first.shape), add));
  }
  return batch.empty() ? base::Status(base::Done{}) : combine_batch(to, op, std::move(batch), place_of);
}

}  // namespace tessera::device
