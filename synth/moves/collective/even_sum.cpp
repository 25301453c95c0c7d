#include "synth/moves/collective/even_sum.hpp"

#include <algorithm>
#include <utility>

#include "base/wide.hpp"
#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

std::optional<EvenSum> EvenSum::of(const Collective& step, const ArrayType& before, const ArrayType& after) {
  if (program_of(step) == nullptr) return std::nullopt;
  const auto axes = without(before.layout().pending(), after.layout().pending());
  return axes && is_wide(after.devices(), shard_count(*axes)) ? of_any_size(step, before, after) : std::nullopt;
}

std::optional<EvenSum> EvenSum::of_any_size(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto axes = without(before.layout().pending(), after.layout().pending());
  if (program_of(step) == nullptr || !axes) return std::nullopt;
  EvenSum made;
  made.scatters_ = std::holds_alternative<ReduceScatter>(step.effect);
  auto program = even_program(*axes, made.scatters_, *program_of(step));
  if (!program) return std::nullopt;
  made.program_ = std::move(*program);
  made.steps_ = *recipe_of<ReduceProgramRef>(step);
  made.reduced_ = *axes;
  made.element_bytes_ = bytes_of(after.element());
  made.devices_ = after.devices();
  made.largest_ = tile_bytes_max(after) / made.element_bytes_;
  if (made.scatters_ || has_even_tiles(after)) return made;
  for (std::int64_t device = 0; device < after.devices(); ++device)
    made.tiles_.push_back(tile_bytes(after, device) / made.element_bytes_);
  return made;
}

// A chunk of a reduce_scatter is a tile of its result; of an all_reduce as many make a tile as there are members.
std::int64_t EvenSum::part_of(std::int64_t tile, std::int64_t chunks) const {
  if (scatters_) return tile * chunks;
  const base::Wide all = base::Wide{tile} * chunks + program_.members - 1;
  return static_cast<std::int64_t>(all / program_.members);
}

std::vector<std::int64_t> EvenSum::received_elements() const {
  const auto of_tile = [&](std::int64_t tile) {
    std::int64_t received = 0;
    for (const EvenHop& hop : program_.hops) received += (hop.talkers - 1) * part_of(tile, hop.chunks);
    return received;
  };
  std::vector<std::int64_t> received(static_cast<std::size_t>(devices_), of_tile(largest_));
  if (!tiles_.empty()) std::transform(tiles_.begin(), tiles_.end(), received.begin(), of_tile);
  return received;
}

std::int64_t EvenSum::beside_bytes() const {
  return (program_.has_aside ? largest_ : program_.foreign * largest_) * element_bytes_;
}

}  // namespace tessera::synth
