// What the tasks of a chain share: every device's arrays, cut into blocks, and what a flat chain's blocks give.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/engine/chain_operations.hpp"
#include "runtime/engine/host/chain_blocks.hpp"
#include "runtime/kernels/reduce.hpp"

namespace tessera::runtime {

// A block may read so many times what it makes: only what is made has to stay in the cache.
inline constexpr std::int64_t kReadForMade = 8;

static_assert(kBlockElements == kReducePiece, "a block of flat arrays is a piece of their reduction");

// Blocks of a flat chain whose results wait to be joined, at most: however long the arrays, they take little room.
inline constexpr std::int64_t kBlocksAtOnce = std::int64_t{1} << 15U;

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
    bool lie_otherwise = false;
    for (DeviceWork& work : devices_) {
      for (std::size_t k = 0; k < work.arrays.size(); ++k) {
        const synth::Shape before = work.arrays[k].strides;
        set_view(work.arrays[k], chain_.arrays()[k], work.device);
        if (form_ > 0 && work.arrays[k].strides == before) continue;
        lie_otherwise = true;
        work.dense[k] = is_dense(work.arrays[k].shape, work.arrays[k].strides) ? 1 : 0;
      }
    }
    if (lie_otherwise) ++form_;
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
  // Dimensions of a register, as `shape` gives them.
  std::size_t rank(synth::RegisterId id) const { return chain_.is_flat() ? 1 : tiles_->type(id).rank(); }
  // As long as this is the same, elements of arrays are as far from each other, wherever the arrays lie.
  std::int64_t form() const { return form_; }
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
  std::int64_t form_ = 0;
};

}  // namespace tessera::runtime
