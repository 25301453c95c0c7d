#include "runtime/execute/chain.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "runtime/kernels/map.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

// Elements of a block: a few arrays of so many stay in a core's own cache. No more than a task of `map` takes.
constexpr std::int64_t kBlock = kGrain;
constexpr std::size_t kSlotBytes = static_cast<std::size_t>(kBlock) * sizeof(double);

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Where an operand is: an array outside of the chain, or a slot of the task's own memory.
struct Place {
  std::size_t array = kNone;
  std::size_t slot = kNone;
};

struct Operation {
  synth::MapOp op;
  synth::ElementType element;
  std::vector<Place> operands;
  std::size_t slot = kNone;   // what it makes
  std::size_t array = kNone;  // where that goes besides, or instead
};

// The chain as a list of operations on numbered arrays and slots.
class Chain {
 public:
  Chain(std::span<const synth::Step> steps, const synth::Program& program, const MemoryPlan& plan,
        const Storage& storage)
      : program_(program), plan_(plan) {
    for (const synth::Step& step : steps) {
      const auto& apply = std::get<synth::Apply>(step.node);
      if (std::holds_alternative<synth::Map>(apply.operation)) maps_.push_back(&apply);
    }
    streams_ = bytes_written(storage) > kStreamBytes;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      for (const synth::RegisterId operand : maps_[i]->operands) last_reader_[operand] = i;
    }
    for (std::size_t i = 0; i < maps_.size(); ++i) add(i);
  }

  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<synth::RegisterId>& arrays() const { return arrays_; }
  std::size_t slots() const { return slots_; }
  bool streams() const { return streams_; }
  // Of all results' tiles.
  synth::RegisterId shape_of() const { return maps_[0]->results[0]; }

 private:
  bool is_kept(const synth::Apply& apply) const { return plan_[apply.results[0]].where != RegisterPlan::Where::blocks; }
  std::int64_t bytes_written(const Storage& storage) const {
    std::int64_t bytes = 0;
    for (const synth::Apply* apply : maps_) {
      if (is_kept(*apply)) bytes = std::max(bytes, storage.tiles(apply->results[0]).bytes_total);
    }
    return bytes;
  }

  void add(std::size_t i) {
    const synth::Apply& apply = *maps_[i];
    const synth::RegisterId result = apply.results[0];
    Operation operation{std::get<synth::Map>(apply.operation).op, program_.registers[result].element(), {}};
    for (const synth::RegisterId operand : apply.operands) operation.operands.push_back(place_of(operand));
    // A result in a slot may be written over an operand's only where no later operation reads that: slots of operands
    // are free from the next operation on.
    if (streams_ || !is_kept(apply)) operation.slot = take_slot(result, i);
    if (is_kept(apply)) operation.array = array_number(result);
    free_slots(i);
    operations_.push_back(std::move(operation));
  }

  Place place_of(synth::RegisterId id) {
    const auto made = slot_of_.find(id);
    if (made != slot_of_.end()) return Place{kNone, made->second};
    return Place{array_number(id), kNone};
  }
  std::size_t array_number(synth::RegisterId id) {
    const auto found = std::find(arrays_.begin(), arrays_.end(), id);
    if (found == arrays_.end()) arrays_.push_back(id);
    return static_cast<std::size_t>(std::find(arrays_.begin(), arrays_.end(), id) - arrays_.begin());
  }

  std::size_t last_reader(synth::RegisterId id, std::size_t maker) const {
    const auto found = last_reader_.find(id);
    return found == last_reader_.end() ? maker : found->second;
  }
  std::size_t take_slot(synth::RegisterId id, std::size_t maker) {
    const auto free = std::find(free_at_.begin(), free_at_.end(), kNone);
    const auto slot = static_cast<std::size_t>(free - free_at_.begin());
    if (free == free_at_.end()) free_at_.push_back(kNone);
    slots_ = free_at_.size();
    free_at_[slot] = last_reader(id, maker);
    slot_of_[id] = slot;
    return slot;
  }
  void free_slots(std::size_t done) {
    for (std::size_t& last : free_at_) {
      if (last != kNone && last <= done) last = kNone;
    }
  }

  const synth::Program& program_;
  const MemoryPlan& plan_;
  std::vector<const synth::Apply*> maps_;
  std::vector<Operation> operations_;
  std::vector<synth::RegisterId> arrays_;
  std::map<synth::RegisterId, std::size_t> slot_of_;
  std::map<synth::RegisterId, std::size_t> last_reader_;  // by number in maps_
  std::vector<std::size_t> free_at_;                      // of every slot in use: after which operation it is free
  std::size_t slots_ = 0;
  bool streams_ = false;
};

// A tile cut into blocks that are consecutive in memory: a stretch of one dimension, all of the inner ones.
class Blocks {
 public:
  explicit Blocks(const synth::Shape& shape) : shape_(shape) {
    if (is_empty(shape_)) return;
    cut_ = shape_.size();
    while (cut_ > 0 && inner_ * shape_[cut_ - 1] <= kBlock) inner_ *= shape_[--cut_];
    count_ = 1;
    for (std::size_t d = 0; d < cut_; ++d) count_ *= d + 1 == cut_ ? stretches() : shape_[d];
  }
  std::int64_t count() const { return count_; }

  struct Block {
    synth::Shape begin;
    synth::Shape shape;
    std::int64_t offset = 0;  // of the first element
  };
  Block block(std::int64_t number) const {
    Block block{synth::Shape(shape_.size(), std::int64_t{0}), shape_};
    for (std::size_t d = cut_; d-- > 0;) {
      const bool is_last = d + 1 == cut_;
      const std::int64_t extent = is_last ? stretches() : shape_[d];
      const std::int64_t step = is_last ? stretch() : 1;
      block.begin[d] = number % extent * step;
      block.shape[d] = std::min(step, shape_[d] - block.begin[d]);
      number /= extent;
    }
    for (std::size_t d = 0; d < shape_.size(); ++d) block.offset = block.offset * shape_[d] + block.begin[d];
    return block;
  }

 private:
  std::int64_t stretch() const { return std::max<std::int64_t>(1, kBlock / inner_); }
  std::int64_t stretches() const { return (shape_[cut_ - 1] + stretch() - 1) / stretch(); }

  synth::Shape shape_;
  std::size_t cut_ = 0;     // dimensions [0, cut) are walked, the last of them in stretches
  std::int64_t inner_ = 1;  // elements of the dimensions behind
  std::int64_t count_ = 0;
};

// One device's arrays and blocks.
struct DeviceWork {
  Blocks blocks;
  std::vector<TileView> arrays;
  std::int64_t first = 0;  // number of its first block, of all devices' blocks
};

// What an operand, which may be broadcast, has for a block.
TileView part_for(const TileView& operand, const Blocks::Block& block) {
  const std::size_t more = block.shape.size() - operand.shape.size();
  synth::Shape begin;
  synth::Shape shape;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const bool repeats = operand.shape[d] == 1;
    begin.push_back(repeats ? 0 : block.begin[more + d]);
    shape.push_back(repeats ? 1 : block.shape[more + d]);
  }
  return part_of(operand, begin, shape);
}

class BlockRunner {
 public:
  explicit BlockRunner(const Chain& chain)
      : chain_(chain), memory_(std::make_unique_for_overwrite<std::byte[]>(chain.slots() * kSlotBytes)) {
    elements_.resize(chain.slots());
  }

  void run(const DeviceWork& work, std::int64_t number) {
    const Blocks::Block block = work.blocks.block(number);
    for (const Operation& operation : chain_.operations()) {
      operands_.clear();
      for (const Place& place : operation.operands) operands_.push_back(operand(place, work, block));
      const TileOut out{operation.element, block.shape, target(operation, work, block)};
      const auto bad = map(operation.op, operands_, out);
      TESSERA_CHECK(!bad, "a step of a chain failed");
      if (operation.slot == kNone) continue;
      elements_[operation.slot] = operation.element;
      if (operation.array != kNone) {
        const std::size_t bytes = static_cast<std::size_t>(runtime::count(block.shape) * bytes_of(operation.element));
        stream_copy(in_array(operation, work, block), out.data, bytes);
      }
    }
  }

 private:
  std::byte* slot(std::size_t number) const { return memory_.get() + number * kSlotBytes; }
  static std::byte* in_array(const Operation& operation, const DeviceWork& work, const Blocks::Block& block) {
    // The register is one that the chain writes.
    auto* const data = const_cast<std::byte*>(work.arrays[operation.array].data);
    return data + block.offset * bytes_of(operation.element);
  }
  std::byte* target(const Operation& operation, const DeviceWork& work, const Blocks::Block& block) const {
    return operation.slot != kNone ? slot(operation.slot) : in_array(operation, work, block);
  }
  TileView operand(const Place& place, const DeviceWork& work, const Blocks::Block& block) const {
    if (place.slot != kNone) return dense_view(elements_[place.slot], block.shape, slot(place.slot));
    return part_for(work.arrays[place.array], block);
  }

  const Chain& chain_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<synth::ElementType> elements_;  // of what is in every slot
  std::vector<TileView> operands_;
};

std::vector<DeviceWork> work_of_devices(const Chain& chain, const Storage& storage) {
  std::vector<DeviceWork> all;
  std::int64_t first = 0;
  const Block mine = storage.block(chain.shape_of());
  for (auto device = static_cast<std::size_t>(mine.begin); device < static_cast<std::size_t>(mine.end); ++device) {
    DeviceWork work{Blocks(synth::shape_of(storage.tiles(chain.shape_of()).boxes[device])), {}, first};
    for (const synth::RegisterId id : chain.arrays()) work.arrays.push_back(storage.view(id, device));
    first += work.blocks.count();
    all.push_back(std::move(work));
  }
  return all;
}

}  // namespace

void run_chain(std::span<const synth::Step> steps, const synth::Program& program, const MemoryPlan& plan,
               const Storage& storage) {
  const Chain chain(steps, program, plan, storage);
  const std::vector<DeviceWork> work = work_of_devices(chain, storage);
  const std::int64_t blocks = work.empty() ? 0 : work.back().first + work.back().blocks.count();
  const std::int64_t elements =
      storage.tiles(chain.shape_of()).bytes_total / bytes_of(storage.type(chain.shape_of()).element());
  const std::int64_t grain = std::max<std::int64_t>(1, 2 * kGrain * blocks / std::max<std::int64_t>(1, elements));
  parallel_ranges(blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    BlockRunner runner(chain);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto after = std::upper_bound(work.begin(), work.end(), i,
                                          [](std::int64_t number, const DeviceWork& w) { return number < w.first; });
      const DeviceWork& device = *(after - 1);
      runner.run(device, i - device.first);
    }
    if (chain.streams()) finish_streaming();
  });
}

}  // namespace tessera::runtime
