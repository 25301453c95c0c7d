#include "runtime/device/gpu/loop_indices.hpp"

#include <vector>

#include "runtime/device/gpu/gpu_launcher.hpp"
#include "runtime/device/text/count.hpp"

namespace tessera::device {

namespace {

constexpr std::size_t kCounters = 256;

}  // namespace

LoopIndices::~LoopIndices() {
  if (counters_ != 0) memory_.give_back(counters_);
}

base::Status LoopIndices::begin() {
  constexpr std::int64_t kBytes = kCounters * sizeof(std::int64_t);
  if (counters_ == 0) counters_ = memory_.take(kBytes);
  return counters_ == 0 ? base::Status(no_room(gpu_, kBytes)) : base::Done{};
}

base::Result<LoopIndices::Counted*> LoopIndices::counter_of(Address places) {
  TESSERA_TRY_STATUS(begin());
  const auto known = counted_.find(places);
  if (known != counted_.end()) return &known->second;
  if (counted_.size() == kCounters) forget();
  const Address counter = counters_ + counted_.size() * sizeof(std::int64_t);
  return &counted_.emplace(places, Counted{counter, -2}).first->second;
}

// An index that does not follow the one before is set by a launch of its own, so that those of the turns are alike.
base::Status LoopIndices::write(GpuLauncher& launcher, const runtime::ItemList<runtime::TileOut>& tiles,
                                std::int64_t index) {
  std::vector<std::uint64_t> places;
  for (std::int64_t i = 0; i < tiles.size(); ++i) places.push_back(reinterpret_cast<std::uint64_t>(tiles.at(i).data));
  if (places.empty()) return base::Done{};
  if (launcher.generation() != generation_) forget();
  generation_ = launcher.generation();
  TESSERA_TRY(table, table_of(launcher, places));
  TESSERA_TRY(found, counter_of(table));
  Counted& counted = *found;
  const KernelText text{{"runtime/device/text/count.hpp"}, "Count", ""};
  const bool follows = index == counted.index + 1 && index > 0;
  counted.index = index;
  const auto count = static_cast<std::int64_t>(places.size());
  if (follows) return launch(launcher, text, 1, kernel::Count::Args{counted.counter, table, count, 0, 0});
  TESSERA_TRY_STATUS(launcher.begin_work());
  TESSERA_TRY_STATUS(launch(launcher, text, 1, kernel::Count::Args{counted.counter, table, count, index, 1}));
  return launcher.begin_work();
}

}  // namespace tessera::device
