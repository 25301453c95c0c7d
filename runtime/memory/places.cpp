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
  for (const synth::MeshRef& a : sets_) {
    std::vector<bool>& overlap = overlaps_.emplace_back();
    for (const synth::MeshRef& b : sets_) overlap.push_back(share_a_device(*a, *b));
  }
}

std::int64_t Places::take(synth::RegisterId id, std::int64_t bytes) {
  if (sets_.size() == 1) return free_.take(bytes);
  const std::size_t devices = set_[id.value];
  const std::int64_t size = aligned(bytes);
  std::int64_t begin = 0;
  for (const Taken& other : taken_) {
    if (!overlaps_[devices][other.devices]) continue;
    if (other.begin >= add_bytes(begin, size)) break;
    begin = std::max(begin, other.end);
  }
  if (size > 0) taken_.insert({begin, add_bytes(begin, size), devices});
  return begin;
}

void Places::give_back(synth::RegisterId id, std::int64_t begin, std::int64_t bytes) {
  if (sets_.size() == 1) return free_.give_back(begin, bytes);
  const std::int64_t size = aligned(bytes);
  if (size == 0) return;
  const auto found = taken_.find({begin, add_bytes(begin, size), set_[id.value]});
  TESSERA_CHECK(found != taken_.end(), "a place is given back that was not taken");
  taken_.erase(found);
}

}  // namespace tessera::runtime
