#include "runtime/memory/gather.hpp"

#include <map>

#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/reduce.hpp"

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

void Gatherer::read(const synth::Box& box, const TileOut& out) const {
  const synth::Shape strides = dense_strides(out.shape);
  for (const Source& source : sources_) {
    const synth::Box both = synth::intersect(source.box, box);
    if (synth::empty(both)) continue;
    const synth::Shape shape = synth::shape_of(both);
    synth::Shape in_tile;
    std::int64_t in_out = 0;
    for (std::size_t d = 0; d < both.size(); ++d) {
      in_tile.push_back(both[d].begin - source.box[d].begin);
      in_out += (both[d].begin - box[d].begin) * strides[d];
    }
    const TileTarget target{strides, out.data + in_out * synth::bytes_of(out.element)};
    std::vector<TileView> parts;
    for (const std::size_t device : source.devices) parts.push_back(part_of(array_.tiles[device], in_tile, shape));
    if (parts.size() == 1)
      copy_elements(parts[0], target);
    else
      combine_parts(array_.type.layout().reduce(), parts, target);
  }
}

}  // namespace tessera::runtime
