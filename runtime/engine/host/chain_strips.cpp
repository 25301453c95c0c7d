#include "runtime/engine/host/chain_strips.hpp"

#include <algorithm>
#include <bit>

#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

// Of a strip of one array: a few of so many bytes stay in the innermost cache.
constexpr std::int64_t kStripBytes = std::int64_t{8} << 10U;
// Elements that a step computes between two requests for what it reads next.
constexpr std::int64_t kPiece = 256;
// Shorter rows are not worth a call for each.
constexpr std::int64_t kRowMin = Strips::kElementsMin;
constexpr std::size_t kArrays = 2 + kMapOperandsMax;  // with a result and its copy

// Asks for the elements one strip behind these, which come from memory while these are computed: the processor's own
// fetching stops at the end of each page. A request for what does not exist is ignored.
void bring_in_ahead(const std::byte* from, std::int64_t count, std::int64_t element_bytes) {
  constexpr std::int64_t kLine = 64;
  constexpr int kForReading = 0;
  constexpr int kIntoSecondCache = 2;
  const auto first = reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(kStripBytes);
  for (std::int64_t byte = 0; byte < count * element_bytes; byte += kLine) {
    __builtin_prefetch(std::bit_cast<const void*>(first + static_cast<std::uintptr_t>(byte)), kForReading,
                       kIntoSecondCache);
  }
}

}  // namespace

void Strips::clear() {
  steps_.clear();
  rows_ = 1;
  columns_ = count_ = 0;
}

bool Strips::add(synth::MapOp op, std::span<const StripArray> operands, const StripArray& result,
                 const TileView& copy_to) {
  const synth::Shape& shape = result.view.shape;
  std::array<synth::Shape, kArrays> strides;
  strides.fill(synth::Shape(shape.size(), std::int64_t{0}));
  strides[0] = result.view.strides;
  strides[1] = copy_to.data == nullptr ? result.view.strides : copy_to.strides;
  std::array<TileView, kMapOperandsMax> views;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    views[k] = operands[k].view;
    strides[k + 2] = broadcast_strides(views[k], shape);
  }
  const auto nest = make_nest<kArrays>(shape, strides);
  if (nest.rank > 2 || nest.count < kRowMin || (count_ > 0 && nest.count != count_)) return false;
  if (nest.inner_strides()[0] != 1 || nest.inner_strides()[1] != 1) return false;
  count_ = nest.count;
  Step step{map_loop(op, std::span(views).first(operands.size()), result.view.element), {}, {}, {}, {}};
  step.is_flat = nest.rank == 1;
  const auto walk = [&](const StripArray& array, std::size_t number) {
    const std::int64_t bytes = synth::bytes_of(array.view.element);
    const std::int64_t row = step.is_flat ? 0 : nest.strides[0][number] * bytes;
    return Walk{array.view.data, bytes, row, nest.inner_strides()[number], array.place};
  };
  step.result = walk(result, 0);
  step.copy_to = walk({copy_to, StripPlace::block}, 1);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    step.operands[k] = walk(operands[k], k + 2);
    step.strides[k] = step.operands[k].step;
    step.reads_memory |= has_to_come(step.operands[k]);
  }
  steps_.push_back(step);
  if (step.is_flat) return true;
  const bool is_first = columns_ == 0;
  if (is_first) {
    rows_ = nest.extents[0];
    columns_ = nest.extents[1];
  }
  return rows_ == nest.extents[0] && columns_ == nest.extents[1] && columns_ >= kRowMin;
}

bool Strips::has_to_come(const Walk& walk) { return walk.place == StripPlace::memory && walk.step == 1; }

void Strips::compute(const Step& step, std::byte* result, std::int64_t n, const Operands& operands) {
  if (!step.reads_memory) return step.loop.run(result, n, operands.data(), step.strides.data());
  for (std::int64_t begin = 0; begin < n; begin += kPiece) {
    Operands piece = operands;
    const std::int64_t length = std::min(kPiece, n - begin);
    for (std::size_t k = 0; k < step.loop.operands; ++k) {
      const Walk& walk = step.operands[k];
      piece[k] += begin * walk.step * walk.element_bytes;
      if (has_to_come(walk)) bring_in_ahead(piece[k], length, walk.element_bytes);
    }
    step.loop.run(result + begin * step.result.element_bytes, length, piece.data(), step.strides.data());
  }
}

void Strips::run_strip(const Step& step, std::int64_t row, std::int64_t column, std::int64_t n) const {
  const std::int64_t columns = columns_ == 0 ? count_ : columns_;
  const auto at = [&](const Walk& walk) {
    return step.is_flat ? walk.at(0, row * columns + column) : walk.at(row, column);
  };
  Operands operands{};
  for (std::size_t k = 0; k < step.loop.operands; ++k) operands[k] = at(step.operands[k]);
  auto* const result = const_cast<std::byte*>(at(step.result));
  compute(step, result, n, operands);
  if (step.copy_to.first == nullptr) return;
  auto* const copy = const_cast<std::byte*>(at(step.copy_to));
  stream_copy(copy, result, static_cast<std::size_t>(n * step.result.element_bytes));
}

void Strips::run() const {
  const std::int64_t columns = columns_ == 0 ? count_ : columns_;
  std::int64_t element_bytes = sizeof(float);
  for (const Step& step : steps_) element_bytes = std::max(element_bytes, step.result.element_bytes);
  const std::int64_t strip = kStripBytes / element_bytes;
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t column = 0; column < columns; column += strip) {
      for (const Step& step : steps_) run_strip(step, row, column, std::min(strip, columns - column));
    }
  }
}

}  // namespace tessera::runtime
