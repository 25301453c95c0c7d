#include "runtime/engine/host/chain.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "runtime/engine/chain_operations.hpp"
#include "runtime/engine/host/chain_blocks.hpp"
#include "runtime/engine/host/chain_scalars.hpp"
#include "runtime/engine/host/chain_strips.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/map.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

// A block may read so many times what it makes: only what is made has to stay in the cache.
constexpr std::int64_t kReadForMade = 8;

static_assert(kBlockElements == kReducePiece, "a block of flat arrays is a piece of their reduction");

// Blocks of a flat chain whose results wait to be joined, at most: however long the arrays, they take little room.
constexpr std::int64_t kBlocksAtOnce = std::int64_t{1} << 15U;

// One device's arrays and blocks.
struct DeviceWork {
  std::size_t device = 0;
  Blocks blocks;
  std::vector<TileView> arrays;
  std::vector<std::uint8_t> dense;  // of the arrays
  std::int64_t first = 0;           // number of its first block, of all devices' blocks
};

// The tasks of a chain share this. It serves for all turns of a loop, each of which begins it anew.
class Work {
 public:
  Work(const ChainOperations& chain, const Tiles& tiles) : chain_(chain), tiles_(&tiles) {
    const Block mine = tiles.block(chain.shape_of());
    devices_.reserve(static_cast<std::size_t>(mine.end - mine.begin));
    for (std::int64_t device = mine.begin; device < mine.end; ++device) add(static_cast<std::size_t>(device));
    if (chain.is_flat()) pieces_.resize(static_cast<std::size_t>(blocks_at_once()) * sizeof(double));
  }

  // The arrays are now where these tiles are.
  void begin(const Tiles& tiles) {
    tiles_ = &tiles;
    joined_ = 0;
    for (DeviceWork& work : devices_) {
      for (std::size_t k = 0; k < work.arrays.size(); ++k) {
        set_view(work.arrays[k], chain_.arrays()[k], work.device);
        work.dense[k] = is_dense(work.arrays[k].shape, work.arrays[k].strides) ? 1 : 0;
      }
    }
  }
  const std::vector<DeviceWork>& devices() const { return devices_; }

  const ChainOperations& chain() const { return chain_; }
  std::int64_t blocks() const { return devices_.empty() ? 0 : devices_.back().first + devices_.back().blocks.count(); }
  const DeviceWork& of_block(std::int64_t number) const {
    return *(std::upper_bound(devices_.begin(), devices_.end(), number,
                              [](std::int64_t n, const DeviceWork& work) { return n < work.first; }) -
             1);
  }
  // The extents of a device's tile of a register, flattened where the chain is flat.
  synth::Shape shape(synth::RegisterId id, std::size_t device) const {
    const synth::Shape shape = synth::shape_of(tiles_->tiles(id).boxes[device]);
    return chain_.is_flat() ? synth::Shape{runtime::count(shape)} : shape;
  }
  std::size_t lead() const { return chain_.is_flat() ? 1 : chain_.lead(); }
  std::int64_t block_elements_max() const { return block_elements_max_; }
  // A task's worth of blocks.
  std::int64_t grain() const { return std::max<std::int64_t>(1, 2 * kGrain / std::max<std::int64_t>(1, usual_block_)); }

  std::int64_t blocks_at_once() const { return chain_.is_flat() ? std::min(blocks(), kBlocksAtOnce) : blocks(); }

  // For a flat chain: the memory where the last reduction's result for a block goes.
  std::byte* piece(std::int64_t number, synth::ElementType element) {
    return pieces_.data() + number % kBlocksAtOnce * synth::bytes_of(element);
  }
  // What the blocks [begin, end) give is joined to what those before them gave, device by device.
  void join_pieces(std::int64_t begin, std::int64_t end) {
    const ChainOperation& last = chain_.operations().back();
    if (!join_) join_.emplace(std::get<synth::Reduce>(last.apply->operation).kind, last.element);
    for (; joined_ < devices_.size(); ++joined_) {
      const DeviceWork& work = devices_[joined_];
      const std::int64_t end_of_device = work.first + work.blocks.count();
      const std::int64_t from = std::max(begin, work.first);
      const std::int64_t n = std::max<std::int64_t>(0, std::min(end, end_of_device) - from);
      if (n > 0) join_->add(dense_view(last.element, synth::Shape{n}, piece(from, last.element)));
      if (end_of_device > end) return;
      join_->finish(tiles_->out(last.result(), work.device).data);
    }
  }

 private:
  void add(std::size_t device) {
    const synth::Shape first = shape(chain_.shape_of(), device);
    const synth::Shape leading(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(lead()));
    std::int64_t row = 1;
    for (const ChainOperation& operation : chain_.operations()) {
      row = std::max(row, row_of(operation.result(), device));
      for (const ChainPlace& place : operation.operands) {
        const bool is_made = place.slot != ChainPlace::kNone;
        row = std::max(row, row_of(place.id, device) / (is_made ? 1 : kReadForMade));
      }
    }
    DeviceWork work{device, Blocks(leading, chain_.is_flat() ? 1 : row), {}, {}, blocks()};
    work.arrays.resize(chain_.arrays().size());
    work.dense.resize(work.arrays.size());
    block_elements_max_ = std::max(block_elements_max_, work.blocks.elements_max());
    if (work.blocks.count() > 0)
      usual_block_ = std::max(usual_block_, runtime::count(leading) * row / work.blocks.count());
    devices_.push_back(std::move(work));
  }
  // Elements behind one index of the leading dimensions.
  std::int64_t row_of(synth::RegisterId id, std::size_t device) const {
    const synth::Shape all = shape(id, device);
    std::int64_t row = 1;
    for (std::size_t d = lead(); d < all.size(); ++d) row *= all[d];
    return row;
  }
  void set_view(TileView& view, synth::RegisterId id, std::size_t device) const {
    view = tiles_->view(id, device);
    if (chain_.is_flat()) view = dense_view(view.element, synth::Shape{runtime::count(view.shape)}, view.data);
  }

  const ChainOperations& chain_;
  const Tiles* tiles_;
  std::vector<DeviceWork> devices_;
  std::int64_t block_elements_max_ = 0;
  std::int64_t usual_block_ = 0;
  std::vector<std::byte> pieces_;
  std::optional<PieceJoin> join_;
  std::size_t joined_ = 0;  // devices whose results are complete
};

std::int64_t element_bytes_max(const ChainOperations& chain) {
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
      if (run_by_strips(group, device, block)) continue;
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

  // False, and nothing is done, where the group is no elementwise one or strips do not suit it.
  bool run_by_strips(std::span<const ChainOperation> group, const DeviceWork& device, const Blocks::Block& block) {
    if (runtime::count(part_shape(group[0].result(), device, block)) < Strips::kElementsMin) return false;
    strips_.clear();
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
      const StripArray result{is_slot ? dense_view(operation.element, shape, slot(operation.slot)) : array,
                              is_slot && operation.is_passing ? StripPlace::passing : StripPlace::block};
      if (!strips_.add(map->op, strip_operands_, result, is_slot ? array : TileView{})) return false;
    }
    strips_.run();
    return true;
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
    const synth::Shape shape = part_shape(operation.result(), device, block);
    if (device.dense[operation.array] == 0) {
      synth::Shape begin = block.begin;
      while (begin.size() < shape.size()) begin.push_back(0);
      return part_of(array, begin, shape);
    }
    std::int64_t row = 1;
    for (std::size_t d = work_.lead(); d < array.shape.size(); ++d) row *= array.shape[d];
    return dense_view(operation.element, shape, array.data + block.first_row * row * bytes_of(operation.element));
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
    synth::Shape begin;
    synth::Shape shape;
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      const bool is_cut = more + d < work_.lead() && array.shape[d] != 1;
      begin.push_back(is_cut ? block.begin[more + d] : 0);
      shape.push_back(is_cut ? block.shape[more + d] : array.shape[d]);
    }
    return part_of(array, begin, shape);
  }

  Work& work_;
  std::size_t slot_bytes_;
  std::unique_ptr<std::byte[]> memory_;
  mutable std::vector<std::byte> scratch_;
  std::vector<synth::ElementType> elements_;  // of what is in every slot
  std::vector<TileView> operands_;
  std::vector<StripArray> strip_operands_;
  Strips strips_;
};

// Runners of chains on little memory are kept with them.
constexpr std::int64_t kKeptRunnerBytes = std::int64_t{1} << 17U;

class HostChain final : public KeptChain {
 public:
  explicit HostChain(const ChainStep& step)
      : operations_(step.steps, step.lead, step.plan, step.tiles), work_(operations_, step.tiles) {
    if (ScalarRunner::suits(operations_, step.tiles)) scalars_.emplace(operations_, step.tiles);
  }

  void run(const Tiles& tiles) {
    work_.begin(tiles);
    if (scalars_) {
      for (const DeviceWork& device : work_.devices()) scalars_->run(device.arrays);
      return;
    }
    const bool joins = operations_.is_flat() && operations_.keeps_last();
    std::int64_t first = 0;
    do {
      const std::int64_t some = std::min(work_.blocks_at_once(), work_.blocks() - first);
      run_blocks(first, some);
      if (joins) work_.join_pieces(first, first + some);
      first += some;
    } while (first < work_.blocks() && !is_given_up());
  }

 private:
  void run_blocks(std::int64_t first, std::int64_t some) {
    if (some <= work_.grain() && BlockRunner::bytes(work_) <= kKeptRunnerBytes) {
      if (!runner_) runner_.emplace(work_);
      return run_range(*runner_, first, first + some);
    }
    parallel_ranges(some, work_.grain(), [&](std::int64_t begin, std::int64_t end) {
      BlockRunner runner(work_);
      run_range(runner, first + begin, first + end);
    });
  }
  void run_range(BlockRunner& runner, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t number = begin; number < end; ++number) runner.run(number);
    if (operations_.streams()) finish_streaming();
  }

  ChainOperations operations_;
  Work work_;
  std::optional<ScalarRunner> scalars_;
  std::optional<BlockRunner> runner_;
};

}  // namespace

void run_chain(const ChainStep& step) {
  if (step.kept == nullptr) return HostChain(step).run(step.tiles);
  if (*step.kept == nullptr) *step.kept = std::make_unique<HostChain>(step);
  static_cast<HostChain&>(**step.kept).run(step.tiles);
}

}  // namespace tessera::runtime
