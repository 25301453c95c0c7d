// The operations of a chain on one block at a time, in memory of their own: groups of elementwise ones by strips, the
// others one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "runtime/engine/host/chain_strips.hpp"
#include "runtime/engine/host/chain_work.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/element_join.hpp"
#include "runtime/kernels/map.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

inline std::int64_t element_bytes_max(const ChainOperations& chain) {
  std::int64_t most = sizeof(double);
  for (const ChainOperation& operation : chain.operations()) most = std::max(most, synth::bytes_of(operation.element));
  return most;
}

class BlockRunner {
 public:
  explicit BlockRunner(Work& work)
      : work_(work),
        slot_bytes_(static_cast<std::size_t>(work.block_elements_max() * element_bytes_max(work.chain()))),
        memory_(std::make_unique_for_overwrite<std::byte[]>(work.chain().slots() * slot_bytes_)) {
    elements_.resize(work.chain().slots());
    operands_.reserve(kMapOperandsMax);
    strip_operands_.reserve(kMapOperandsMax);
  }

  // The memory that a runner takes.
  static std::int64_t bytes(const Work& work) {
    return static_cast<std::int64_t>(work.chain().slots()) * element_bytes_max(work.chain()) *
           work.block_elements_max();
  }

  void run(std::int64_t number) {
    const DeviceWork& device = work_.of_block(number);
    const Blocks::Block block = device.blocks.block(number - device.first);
    const std::vector<ChainOperation>& all = work_.chain().operations();
    for (std::size_t i = 0; i < all.size(); i = all[i].group_end) {
      const std::span<const ChainOperation> group = std::span(all).subspan(i, all[i].group_end - i);
      const bool joins = is_reduced_at_the_end(group);
      if (run_by_strips(group, device, block, joins)) {
        if (!joins) continue;
        join_->finish(work_.piece(number, all.back().element));
        return;
      }
      for (const ChainOperation& operation : group) run_whole(operation, device, block, number);
    }
  }

 private:
  void run_whole(const ChainOperation& operation, const DeviceWork& device, const Blocks::Block& block,
                 std::int64_t number) {
    const synth::Shape shape = part_shape(operation.result(), device, block);
    std::byte* const made = target(operation, device, block, number);
    compute(operation, device, block, shape, made);
    if (operation.slot != ChainPlace::kNone) elements_[operation.slot] = operation.element;
    if (operation.array == ChainPlace::kNone) return;
    const TileView result = in_array(operation, device, block);
    if (result.data == made) return;
    if (device.dense[operation.array] == 0) {
      copy_elements(dense_view(operation.element, shape, made), {result.strides, const_cast<std::byte*>(result.data)});
      return;
    }
    const std::size_t bytes = static_cast<std::size_t>(runtime::count(shape) * bytes_of(operation.element));
    stream_copy(const_cast<std::byte*>(result.data), made, bytes);
  }

  // Is what the group's last operation makes what the chain reduces to a scalar?
  bool is_reduced_at_the_end(std::span<const ChainOperation> group) const {
    const ChainOperation& last = work_.chain().operations().back();
    if (!work_.chain().is_flat() || !work_.chain().keeps_last() || &group.back() + 1 != &last) return false;
    const ChainPlace& reduced = last.operands[0];
    return reduced.slot != ChainPlace::kNone ? reduced.slot == group.back().slot : reduced.array == group.back().array;
  }

  // The strips of a group, as they were made for a block. They serve for others that are cut alike, in later turns,
  // too.
  struct KeptStrips {
    Strips strips;
    bool suit = false;  // else the group is taken otherwise
    std::size_t device = 0;
    std::int64_t form = -1;
    synth::Shape shape;                    // of the block
    std::vector<const std::byte*> begins;  // of the arrays of the device
  };
  // Of so many devices strips are kept at the same time.
  static constexpr std::size_t kKeptDevices = 16;

  KeptStrips& kept_of(std::span<const ChainOperation> group, const DeviceWork& device) {
    const std::vector<ChainOperation>& all = work_.chain().operations();
    const std::size_t number = device.device % kKeptDevices * all.size();
    kept_.resize(std::max(kept_.size(), number + all.size()));
    return kept_[number + static_cast<std::size_t>(group.data() - all.data())];
  }
  // Steps that find two arrays at one place are made otherwise. Are the same ones at one place as when these were made?
  static bool lie_alike(const KeptStrips& kept, const DeviceWork& device) {
    for (std::size_t k = 1; k < device.arrays.size(); ++k) {
      for (std::size_t other = 0; other < k; ++other) {
        if ((device.arrays[k].data == device.arrays[other].data) != (kept.begins[k] == kept.begins[other]))
          return false;
      }
    }
    return true;
  }

  // False, and nothing is done, where the group is no elementwise one or strips do not suit it.
  bool run_by_strips(std::span<const ChainOperation> group, const DeviceWork& device, const Blocks::Block& block,
                     bool joins) {
    const std::vector<ChainOperation>& all = work_.chain().operations();
    KeptStrips& kept = kept_of(group, device);
    const bool is_alike = kept.form == work_.form() && kept.device == device.device && kept.shape == block.shape;
    if (is_alike && lie_alike(kept, device)) {
      if (kept.suit) move_strips(kept.strips, group, device, block);
    } else {
      kept.suit = make_strips(kept.strips, group, device, block, joins);
      kept.form = work_.form();
      kept.device = device.device;
      kept.shape = block.shape;
      kept.begins.clear();
      for (const TileView& array : device.arrays) kept.begins.push_back(array.data);
    }
    if (!kept.suit) return false;
    if (!joins) {
      kept.strips.run();
      return true;
    }
    const synth::ReduceKind kind = std::get<synth::Reduce>(all.back().apply->operation).kind;
    if (!join_) join_.emplace(kind, all.back().element);
    kept.strips.run(&*join_, kind == synth::ReduceKind::sum);
    return true;
  }

  bool make_strips(Strips& strips, std::span<const ChainOperation> group, const DeviceWork& device,
                   const Blocks::Block& block, bool joins) {
    if (runtime::count(part_shape(group[0].result(), device, block)) < Strips::kElementsMin) return false;
    strips.clear();
    for (const ChainOperation& operation : group) {
      const auto* const map = std::get_if<synth::Map>(&operation.apply->operation);
      const bool has_place = operation.slot != ChainPlace::kNone || operation.array != ChainPlace::kNone;
      if (map == nullptr || !has_place) return false;
      const synth::Shape shape = part_shape(operation.result(), device, block);
      strip_operands_.clear();
      for (const ChainPlace& place : operation.operands)
        strip_operands_.push_back({operand(place, device, block, shape.size()), strip_place(place)});
      const bool is_slot = operation.slot != ChainPlace::kNone;
      const TileView array = operation.array == ChainPlace::kNone ? TileView{} : in_array(operation, device, block);
      if (is_slot) elements_[operation.slot] = operation.element;
      const bool is_joined = joins && &operation == &group.back() && operation.array == ChainPlace::kNone;
      const bool passes = is_slot && (operation.is_passing || is_joined);
      const StripArray result{is_slot ? dense_view(operation.element, shape, slot(operation.slot)) : array,
                              passes ? StripPlace::passing : StripPlace::block};
      if (!strips.add(map->op, strip_operands_, result, is_slot ? array : TileView{})) return false;
    }
    return true;
  }

  // To another block. What is in slots stays where it is.
  void move_strips(Strips& strips, std::span<const ChainOperation> group, const DeviceWork& device,
                   const Blocks::Block& block) {
    for (std::size_t k = 0; k < group.size(); ++k) {
      const ChainOperation& operation = group[k];
      const std::size_t rank = work_.rank(operation.result());
      for (std::size_t o = 0; o < operation.operands.size(); ++o) {
        const ChainPlace& place = operation.operands[o];
        if (place.slot == ChainPlace::kNone) strips.move_operand(k, o, begin_of(place, device, block, rank));
      }
      if (operation.slot != ChainPlace::kNone) elements_[operation.slot] = operation.element;
      if (operation.array == ChainPlace::kNone) continue;
      const std::byte* const array = in_array_begin(operation, device, block);
      if (operation.slot == ChainPlace::kNone)
        strips.move_result(k, array);
      else
        strips.move_copy(k, array);
    }
  }

  static StripPlace strip_place(const ChainPlace& place) {
    if (place.is_cold) return StripPlace::memory;
    return place.is_passing ? StripPlace::passing : StripPlace::block;
  }

  void compute(const ChainOperation& operation, const DeviceWork& device, const Blocks::Block& block,
               const synth::Shape& shape, std::byte* target) {
    operands_.clear();
    const auto* const map = std::get_if<synth::Map>(&operation.apply->operation);
    for (const ChainPlace& place : operation.operands)
      operands_.push_back(operand(place, device, block, map == nullptr ? 0 : shape.size()));
    if (map != nullptr) {
      const auto bad = runtime::map(map->op, operands_, TileOut{operation.element, shape, target});
      TESSERA_CHECK(!bad, "a step of a chain failed");
      return;
    }
    const auto& how = std::get<synth::Reduce>(operation.apply->operation);
    constexpr std::uint8_t kFlat[] = {0};
    const bool is_flat = work_.chain().is_flat();
    reduce(how.kind, operands_[0], is_flat ? std::span<const std::uint8_t>(kFlat) : how.dimensions,
           TileOut{operation.element, is_flat ? synth::Shape{} : shape, target});
  }

  std::byte* slot(std::size_t number) const { return memory_.get() + number * slot_bytes_; }
  // The block of an array that the chain writes.
  TileView in_array(const ChainOperation& operation, const DeviceWork& device, const Blocks::Block& block) const {
    const TileView& array = device.arrays[operation.array];
    TileView part = dense_view(operation.element, part_shape(operation.result(), device, block),
                               in_array_begin(operation, device, block));
    if (device.dense[operation.array] == 0) part.strides = array.strides;
    return part;
  }
  const std::byte* in_array_begin(const ChainOperation& operation, const DeviceWork& device,
                                  const Blocks::Block& block) const {
    const TileView& array = device.arrays[operation.array];
    std::int64_t offset = 0;
    if (device.dense[operation.array] == 0) {
      for (std::size_t d = 0; d < block.begin.size(); ++d) offset += block.begin[d] * array.strides[d];
    } else {
      offset = block.first_row;
      for (std::size_t d = work_.lead(); d < array.shape.size(); ++d) offset *= array.shape[d];
    }
    return array.data + offset * bytes_of(operation.element);
  }
  std::byte* target(const ChainOperation& operation, const DeviceWork& device, const Blocks::Block& block,
                    std::int64_t number) const {
    if (operation.slot != ChainPlace::kNone) return slot(operation.slot);
    if (operation.array == ChainPlace::kNone) return work_.piece(number, operation.element);
    if (device.dense[operation.array] == 0) return scratch(operation.element);
    return const_cast<std::byte*>(in_array(operation, device, block).data);
  }

  // Where a block is made that does not lie side by side in its array.
  std::byte* scratch(synth::ElementType element) const {
    scratch_.resize(static_cast<std::size_t>(work_.block_elements_max() * bytes_of(element)));
    return scratch_.data();
  }

  // A block of a register that the chain makes.
  synth::Shape part_shape(synth::RegisterId id, const DeviceWork& device, const Blocks::Block& block) const {
    synth::Shape shape = work_.shape(id, device.device);
    for (std::size_t d = 0; d < std::min(work_.lead(), shape.size()); ++d) shape[d] = block.shape[d];
    return shape;
  }
  // Gives an operand's part of a block. It may be broadcast to `rank` dimensions (0: is not broadcast).
  TileView operand(const ChainPlace& place, const DeviceWork& device, const Blocks::Block& block,
                   std::size_t rank) const {
    if (place.slot != ChainPlace::kNone)
      return dense_view(elements_[place.slot], part_shape(place.id, device, block), slot(place.slot));
    const TileView& array = device.arrays[place.array];
    const std::size_t more = rank == 0 ? 0 : rank - array.shape.size();
    TileView part = array;
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      if (is_cut(array, d, more)) part.shape[d] = block.shape[more + d];
    }
    part.data = begin_of(place, device, block, rank);
    return part;
  }
  bool is_cut(const TileView& array, std::size_t dimension, std::size_t more) const {
    return more + dimension < work_.lead() && array.shape[dimension] != 1;
  }
  const std::byte* begin_of(const ChainPlace& place, const DeviceWork& device, const Blocks::Block& block,
                            std::size_t rank) const {
    const TileView& array = device.arrays[place.array];
    const std::size_t more = rank == 0 ? 0 : rank - array.shape.size();
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      if (is_cut(array, d, more)) offset += block.begin[more + d] * array.strides[d];
    }
    return array.data + offset * bytes_of(array.element);
  }

  Work& work_;
  std::size_t slot_bytes_;
  std::unique_ptr<std::byte[]> memory_;
  mutable std::vector<std::byte> scratch_;
  std::vector<synth::ElementType> elements_;  // of what is in every slot
  std::vector<TileView> operands_;
  std::vector<StripArray> strip_operands_;
  std::vector<KeptStrips> kept_;  // of the groups, by their first operation
  std::optional<ElementJoin> join_;
};

}  // namespace tessera::runtime
