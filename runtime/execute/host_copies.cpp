#include "runtime/execute/host_copies.hpp"

#include <algorithm>
#include <functional>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

TileView bytes_view(const std::byte* begin, std::int64_t bytes) {
  return dense_view(synth::ElementType::boolean, synth::Shape{bytes}, begin);
}

}  // namespace

void HostCopies::add(synth::RegisterId id, bool is_read, bool is_written) {
  const Block mine = storage_.block(id);
  // The rest of what a part is made in stays as it is.
  const bool is_part = storage_.is_part(id);
  const auto add_part = [&](const std::pair<const std::byte*, std::int64_t>& home) {
    if (home.second > 0) parts_.push_back({home.first, home.second, is_read || is_part, is_written});
  };
  const bool writes_edges = is_written && storage_.edges(id) != nullptr && !is_part;
  for (std::int64_t device = mine.begin; device < mine.end; ++device) {
    if (!writes_edges) add_part(storage_.home(id, static_cast<std::size_t>(device)));
    add_part(storage_.home_of_edges(id, static_cast<std::size_t>(device)));
  }
}

void HostCopies::has_room(synth::RegisterId id, std::int64_t offset, std::int64_t bytes) {
  const Block mine = storage_.block(id);
  for (std::int64_t device = mine.begin; device < mine.end && bytes > 0; ++device)
    parts_.push_back({storage_.room(id, static_cast<std::size_t>(device), offset), bytes, false, false});
}

// Parts that overlap are one range: a result may have an operand's place.
void HostCopies::place_parts() {
  std::ranges::sort(parts_, [](const Part& a, const Part& b) { return std::less<>{}(a.begin, b.begin); });
  std::vector<CopiedRanges::Range> ranges;
  std::int64_t total = 0;
  for (const Part& part : parts_) {
    const bool overlaps = !ranges.empty() && part.begin - ranges.back().begin < ranges.back().bytes;
    if (!overlaps) ranges.push_back({part.begin, 0, nullptr});
    ranges.back().bytes = std::max(ranges.back().bytes, part.begin - ranges.back().begin + part.bytes);
  }
  for (const CopiedRanges::Range& range : ranges) total += aligned(range.bytes);
  if (total > memory_bytes_) {
    memory_.reset();
    memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(total + kAlignment));
    memory_bytes_ = total;
  }
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory_.get()) %
                                                    static_cast<std::uintptr_t>(kAlignment));
  std::byte* next = memory_.get() + (kAlignment - misaligned) % kAlignment;
  for (CopiedRanges::Range& range : ranges) {
    range.host = next;
    next += aligned(range.bytes);
  }
  ranges_.set(std::move(ranges));
}

base::Status HostCopies::begin() {
  place_parts();
  const std::byte* last = nullptr;  // replicas in one place are read once
  std::int64_t bytes = 0;
  for (const Part& part : parts_) {
    if (!part.is_read || (part.begin == last && part.bytes <= bytes)) continue;
    last = part.begin;
    bytes = part.bytes;
    const TileOut host{synth::ElementType::boolean, synth::Shape{bytes}, ranges_.host(part.begin)};
    TESSERA_TRY_STATUS(engine_.read(bytes_view(part.begin, bytes), host));
  }
  storage_.look_into(&ranges_, &cores_);
  return base::Done{};
}

base::Status HostCopies::end() {
  for (const Part& part : parts_) {
    if (!part.is_written) continue;
    const TileTarget target{synth::Shape{1}, const_cast<std::byte*>(part.begin)};
    TESSERA_TRY_STATUS(engine_.write(bytes_view(ranges_.host(part.begin), part.bytes), target));
  }
  forget();
  return base::Done{};
}

void HostCopies::forget() {
  parts_.clear();
  storage_.look_into(nullptr, nullptr);
}

}  // namespace tessera::runtime
