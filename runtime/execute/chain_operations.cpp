#include "runtime/execute/chain_operations.hpp"

#include <algorithm>

#include "runtime/kernels/stream.hpp"
#include "runtime/memory/chains.hpp"

namespace tessera::runtime {

namespace {}  // namespace

ChainOperations::ChainOperations(std::span<const synth::Step> steps, std::size_t lead, const MemoryPlan& plan,
                                 const Storage& storage)
    : plan_(plan), lead_(lead) {
  find_readers(steps);
  is_flat_ = lead == 0 && std::holds_alternative<synth::Reduce>(computed_.back()->operation);
  streams_ = bytes_written(storage) > kStreamBytes;
  for (const synth::Apply* apply : computed_) add(*apply, storage);
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

std::int64_t ChainOperations::bytes_written(const Storage& storage) const {
  std::int64_t bytes = 0;
  for (const synth::Apply* apply : computed_) {
    if (is_kept(*apply)) bytes = std::max(bytes, storage.tiles(apply->results[0]).bytes_total);
  }
  return bytes;
}

void ChainOperations::add(const synth::Apply& apply, const Storage& storage) {
  const std::size_t number = operations_.size();
  const synth::RegisterId result = apply.results[0];
  ChainOperation operation{&apply, storage.type(result).element(), {}};
  for (const synth::RegisterId operand : apply.operands) operation.operands.push_back(place_of(operand));
  // A result in a slot may be written over an operand's only where no later operation reads that: slots of operands
  // are free from the next operation on.
  const bool is_last_of_flat = is_flat_ && number + 1 == computed_.size();
  if (!is_last_of_flat && (streams_ || !is_kept(apply))) operation.slot = take_slot(result, number);
  if (!is_last_of_flat && is_kept(apply)) operation.array = array_number(result);
  free_slots(number);
  operations_.push_back(std::move(operation));
}

// Reshapes look at what is in a slot; of anything else the storage knows what they look at.
ChainPlace ChainOperations::place_of(synth::RegisterId id) {
  const auto made = slot_of_.find(viewed(id));
  if (made != slot_of_.end()) return ChainPlace{ChainPlace::kNone, made->second, id};
  return ChainPlace{array_number(id), ChainPlace::kNone, id};
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

std::size_t ChainOperations::take_slot(synth::RegisterId id, std::size_t maker) {
  const auto free = std::find(free_at_.begin(), free_at_.end(), ChainPlace::kNone);
  const auto slot = static_cast<std::size_t>(free - free_at_.begin());
  if (free == free_at_.end()) free_at_.push_back(ChainPlace::kNone);
  slots_ = free_at_.size();
  free_at_[slot] = last_reader(id, maker);
  slot_of_[id] = slot;
  return slot;
}

void ChainOperations::free_slots(std::size_t done) {
  for (std::size_t& last : free_at_) {
    if (last != ChainPlace::kNone && last <= done) last = ChainPlace::kNone;
  }
}

}  // namespace tessera::runtime
