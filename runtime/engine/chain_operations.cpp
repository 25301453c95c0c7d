#include "runtime/engine/chain_operations.hpp"

#include <algorithm>

#include "runtime/kernels/stream.hpp"
#include "runtime/memory/chains.hpp"

namespace tessera::runtime {

ChainOperations::ChainOperations(std::span<const synth::Step> steps, std::size_t lead, const MemoryPlan& plan,
                                 const Tiles& tiles)
    : plan_(plan), lead_(lead) {
  find_readers(steps);
  find_groups(tiles);
  is_flat_ = lead == 0 && std::holds_alternative<synth::Reduce>(computed_.back()->operation);
  streams_ = bytes_written(tiles) > kStreamBytes;
  for (const synth::Apply* apply : computed_) add(*apply, tiles);
}

void ChainOperations::find_readers(std::span<const synth::Step> steps) {
  for (const synth::Step& step : steps) {
    const auto& apply = std::get<synth::Apply>(step.node);
    if (std::holds_alternative<synth::Reshape>(apply.operation)) {
      view_of_[apply.results[0]] = apply.operands[0];
    } else if (is_computed(apply)) {
      for (const synth::RegisterId operand : apply.operands) last_reader_[viewed(operand)] = computed_.size();
      computed_.push_back(&apply);
    }
  }
}

std::int64_t ChainOperations::bytes_written(const Tiles& tiles) const {
  std::int64_t bytes = 0;
  for (const synth::Apply* apply : computed_) {
    if (is_kept(*apply)) bytes = std::max(bytes, tiles.tiles(apply->results[0]).bytes_total);
  }
  return bytes;
}

void ChainOperations::add(const synth::Apply& apply, const Tiles& tiles) {
  const std::size_t number = operations_.size();
  const synth::RegisterId result = apply.results[0];
  ChainOperation operation{&apply, tiles.type(result).element(), {}};
  for (const synth::RegisterId operand : apply.operands) operation.operands.push_back(place_of(operand));
  // A result is never written over an operand's: slots of operands are free from the next operation on.
  const bool is_last_of_flat = is_flat_ && number + 1 == computed_.size();
  operation.group_end = group_ends_[number];
  operation.is_passing = last_reader(result, number) < operation.group_end;
  if (!is_last_of_flat && (streams_ || !is_kept(apply)))
    operation.slot = take_slot(result, number, operation.is_passing);
  if (!is_last_of_flat && is_kept(apply)) operation.array = array_number(result);
  operations_.push_back(std::move(operation));
}

// Reshapes look at what is in a slot; of anything else it is known what they look at.
ChainPlace ChainOperations::place_of(synth::RegisterId id) {
  const auto made = slot_of_.find(viewed(id));
  if (made != slot_of_.end()) return ChainPlace{ChainPlace::kNone, made->second, id, is_passing_[viewed(id)]};
  return ChainPlace{array_number(id), ChainPlace::kNone, id, false, read_.insert(plan_[viewed(id)].root).second};
}

synth::RegisterId ChainOperations::viewed(synth::RegisterId id) const {
  for (auto view = view_of_.find(id); view != view_of_.end(); view = view_of_.find(id)) id = view->second;
  return id;
}

std::size_t ChainOperations::array_number(synth::RegisterId id) {
  const auto found = std::find(arrays_.begin(), arrays_.end(), id);
  const auto number = static_cast<std::size_t>(found - arrays_.begin());
  if (found == arrays_.end()) arrays_.push_back(id);
  return number;
}

std::size_t ChainOperations::last_reader(synth::RegisterId id, std::size_t maker) const {
  const auto found = last_reader_.find(id);
  return found == last_reader_.end() ? maker : found->second;
}

std::size_t ChainOperations::take_slot(synth::RegisterId id, std::size_t maker, bool is_passing) {
  const auto free = std::find_if(used_.begin(), used_.end(), [&](const Slot& slot) {
    return (is_passing ? slot.passing_after : slot.all_after) < maker;
  });
  const auto number = static_cast<std::size_t>(free - used_.begin());
  if (free == used_.end()) used_.push_back({});
  const std::size_t last = last_reader(id, maker);
  const std::size_t end_of_last = group_ends_[last] - 1;
  used_[number] = {is_passing ? last : end_of_last, end_of_last};
  slot_of_[id] = number;
  is_passing_[id] = is_passing;
  return number;
}

void ChainOperations::find_groups(const Tiles& tiles) {
  const auto shape = [&](const synth::Apply* apply) { return tiles.type(apply->results[0]).shape(); };
  const auto is_map = [](const synth::Apply* apply) { return std::holds_alternative<synth::Map>(apply->operation); };
  group_ends_.resize(computed_.size());
  for (std::size_t begin = 0; begin < computed_.size();) {
    std::size_t end = begin + 1;
    while (end < computed_.size() && is_map(computed_[begin]) && is_map(computed_[end]) &&
           shape(computed_[end]) == shape(computed_[begin]))
      ++end;
    for (; begin < end; ++begin) group_ends_[begin] = end;
  }
}

}  // namespace tessera::runtime
