#include "runtime/memory/payload.hpp"

#include <algorithm>

#include "runtime/memory/bytes.hpp"
#include "runtime/memory/window_edges.hpp"

namespace tessera::runtime {

Payload::Payload(const TileMaps& tiles, const MemoryPlan& plan, const std::vector<synth::RegisterId>& inputs)
    : tiles_(tiles), plan_(plan), alive_(static_cast<std::size_t>(tiles.devices()), 0) {
  add(inputs);
}

void Payload::add(const std::vector<synth::RegisterId>& born) {
  for (const synth::RegisterId id : born) {
    for_each_device(memory_of(plan_, tiles_, id),
                    [&](std::size_t device, std::int64_t bytes) { alive_[device] = add_bytes(alive_[device], bytes); });
  }
}

void Payload::remove(const std::vector<synth::RegisterId>& died) {
  for (const synth::RegisterId id : died) {
    for_each_device(memory_of(plan_, tiles_, id),
                    [&](std::size_t device, std::int64_t bytes) { alive_[device] -= bytes; });
  }
}

std::int64_t Payload::largest() const { return *std::max_element(alive_.begin(), alive_.end()); }

std::int64_t Payload::largest(const StepPlan& step) const {
  if (step.beside_bytes == 0) return largest();
  std::int64_t most = 0;
  for (std::size_t device = 0; device < alive_.size(); ++device)
    most = std::max(most, add_bytes(alive_[device], beside(step, device)));
  return most;
}

std::int64_t Payload::beside(const StepPlan& step, std::size_t device) const {
  if (step.beside_bytes == 0) return 0;
  const synth::DeviceId id{static_cast<std::uint32_t>(device)};
  return tiles_[step.beside_of].mesh->number_of(id).has_value() ? step.beside_bytes : 0;
}

}  // namespace tessera::runtime
