#include "runtime/memory/gather.hpp"

#include <map>

#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"

namespace tessera::runtime {

Gatherer::Gatherer(Distributed array) : array_(std::move(array)) {
  const synth::AxisList& pending = array_.type.layout().pending();
  const auto parts = static_cast<std::size_t>(synth::shard_count(pending));
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::map<synth::Box, std::vector<std::size_t>> by_box;
  for (std::size_t device = 0; device < array_.boxes.size(); ++device) {
    if (synth::empty(array_.boxes[device])) continue;
    auto& devices = by_box.try_emplace(array_.boxes[device], parts, kNone).first->second;
    const std::int64_t position = synth::position(array_.type.mesh(), pending, static_cast<std::int64_t>(device));
    std::size_t& holder = devices[static_cast<std::size_t>(position)];
    if (holder == kNone) holder = device;
  }
  for (auto& [box, devices] : by_box) sources_.push_back({box, std::move(devices)});
}

std::vector<TileBox> Gatherer::parcels(const synth::Box& box) const {
  std::vector<TileBox> parcels;
  for (const Source& source : sources_) {
    const synth::Box both = synth::intersect(source.box, box);
    if (synth::empty(both)) continue;
    for (const std::size_t device : source.devices) parcels.push_back({device, both});
  }
  return parcels;
}

void Gatherer::read(const synth::Box& box, const TileOut& out) const {
  read(box, out, [&](const TileBox& parcel) {
    const synth::Shape begin = begin_in(parcel.box, array_.boxes[parcel.device]);
    return part_of(array_.tiles[parcel.device], begin, synth::shape_of(parcel.box));
  });
}

void Gatherer::read(const synth::Box& box, const TileOut& out, const ParcelSource& source) const {
  for (const Source& held : sources_) {
    const synth::Box both = synth::intersect(held.box, box);
    if (synth::empty(both)) continue;
    std::vector<TileView> parts;
    for (const std::size_t device : held.devices) parts.push_back(source({device, both}));
    const TileTarget target = target_part(out, box, both);
    if (parts.size() == 1)
      copy_elements(parts[0], target);
    else
      combine_parts(array_.type.layout().reduce(), parts, target);
  }
}

}  // namespace tessera::runtime
