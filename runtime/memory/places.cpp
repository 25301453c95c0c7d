#include "runtime/memory/places.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

namespace {

bool share_a_device(const synth::Mesh& a, const synth::Mesh& b) {
  for (std::int64_t number = 0; number < a.devices(); ++number) {
    if (b.number_of(a.device_of_run(number)).has_value()) return true;
  }
  return false;
}

using Taken = std::map<std::int64_t, std::int64_t>;  // begin, end

// The end of the first taken range that ends behind `begin`.
std::int64_t next_end(const Taken& taken, std::int64_t begin) {
  const auto after = taken.upper_bound(begin);
  if (after != taken.begin() && std::prev(after)->second > begin) return std::prev(after)->second;
  return after->second;
}

}  // namespace

Places::Places(const TileMaps& tiles, const synth::Program& program) {
  for (std::uint32_t number = 0; number < program.registers.size(); ++number)
    set_.push_back(set_of(tiles[synth::RegisterId{number}].mesh));
  note_neighbours();
}

std::size_t Places::set_of(const synth::MeshRef& mesh) {
  const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const synth::MeshRef& known) {
    return known == mesh || known->has_devices_of(*mesh);
  });
  if (found != sets_.end()) return static_cast<std::size_t>(found - sets_.begin());
  sets_.push_back(mesh);
  return sets_.size() - 1;
}

void Places::note_neighbours() {
  of_set_.resize(sets_.size());
  for (const synth::MeshRef& a : sets_) {
    std::vector<std::size_t>& neighbours = neighbours_.emplace_back();
    for (std::size_t b = 0; b < sets_.size(); ++b) {
      if (share_a_device(*a, *sets_[b])) neighbours.push_back(b);
    }
  }
}

// Where the gap begins that holds the offset; if none does, an offset behind it at which no gap begins earlier.
std::int64_t Places::gap_around(std::size_t devices, std::int64_t at) const {
  std::int64_t begin = 0;
  for (const std::size_t other : neighbours_[devices]) {
    const auto& taken = of_set_[other].taken;
    const auto after = taken.lower_bound(at);
    if (after != taken.begin()) begin = std::max(begin, std::prev(after)->second);
  }
  return begin;
}

// The lowest offset from `begin` on at which nothing is taken for so many bytes.
std::int64_t Places::first_fit(std::size_t devices, std::int64_t size, std::int64_t begin) const {
  for (bool is_free = false; !is_free;) {
    is_free = true;
    for (const std::size_t other : neighbours_[devices]) {
      const auto& taken = of_set_[other].taken;
      const auto last = taken.lower_bound(add_bytes(begin, size));
      if (last == taken.begin()) continue;
      const std::int64_t end = std::prev(last)->second;
      if (end <= begin) continue;
      // The last that overlaps: what overlaps before it leaves no room for so many bytes, or is looked at again.
      begin = next_end(taken, begin);
      is_free = false;
    }
  }
  return begin;
}

std::int64_t Places::take(synth::RegisterId id, std::int64_t bytes) {
  if (sets_.size() == 1) return free_.take(bytes);
  const std::size_t devices = set_[id.value];
  const std::int64_t size = aligned(bytes);
  if (size == 0) return 0;
  OfSet& own = of_set_[devices];
  const std::int64_t from = size >= own.size ? own.full_until : 0;
  const std::int64_t begin = first_fit(devices, size, gap_around(devices, from));
  own.size = size;
  own.full_until = begin;
  own.taken.emplace(begin, add_bytes(begin, size));
  return begin;
}

void Places::give_back(synth::RegisterId id, std::int64_t begin, std::int64_t bytes) {
  if (sets_.size() == 1) return free_.give_back(begin, bytes);
  if (aligned(bytes) == 0) return;
  const std::size_t devices = set_[id.value];
  const auto found = of_set_[devices].taken.find(begin);
  TESSERA_CHECK(found != of_set_[devices].taken.end() && found->second == add_bytes(begin, aligned(bytes)),
                "a place is given back that was not taken");
  of_set_[devices].taken.erase(found);
  for (const std::size_t other : neighbours_[devices])
    of_set_[other].full_until = std::min(of_set_[other].full_until, begin);
}

}  // namespace tessera::runtime
