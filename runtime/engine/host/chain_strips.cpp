#include "runtime/engine/host/chain_strips.hpp"

#include <algorithm>
#include <bit>

#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/reduce_blocks.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

// Of a strip of one array: a few of so many bytes stay in the innermost cache.
constexpr std::int64_t kStripBytes = std::int64_t{8} << 10U;
// Elements that a step computes between two requests for what it reads next.
constexpr std::int64_t kPiece = 256;
// Shorter rows are not worth a call for each.
constexpr std::int64_t kRowMin = 64;
// Steps in one loop, at most: its arrays are then no more than a loop may have.
constexpr std::size_t kFusedMax = 16;
static_assert(kFusedMax * 3 <= FusedLoop::kArraysMax && kFusedMax * 6 <= FusedLoop::kTermsMax);
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
  has_runs_ = false;
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
  if (nest.rank > 2 || nest.count < kElementsMin || (count_ > 0 && nest.count != count_)) return false;
  if (nest.inner_strides()[0] != 1 || nest.inner_strides()[1] != 1) return false;
  count_ = nest.count;
  const synth::ElementType element = result.view.element;
  Step step{map_loop(op, std::span(views).first(operands.size()), element), op, element, {}, {}, {}, {}};
  const bool is_flat = nest.rank == 1;
  const auto walk = [&](const StripArray& array, std::size_t number) {
    const std::int64_t bytes = synth::bytes_of(array.view.element);
    const std::int64_t row = is_flat ? 0 : nest.strides[0][number] * bytes;
    return Walk{array.view.data, bytes, row, nest.inner_strides()[number], array.place, is_flat};
  };
  step.result = walk(result, 0);
  step.copy_to = walk({copy_to, StripPlace::block}, 1);
  step.can_fuse = FusedLoop::takes(op, element);
  bool has_elements = false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    step.operands[k] = walk(operands[k], k + 2);
    step.strides[k] = step.operands[k].step;
    step.reads_memory |= has_to_come(step.operands[k]);
    step.can_fuse = step.can_fuse && (step.strides[k] == 0 || step.strides[k] == 1);
    has_elements |= step.strides[k] == 1;
  }
  step.can_fuse = step.can_fuse && has_elements;
  steps_.push_back(step);
  if (is_flat) return true;
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

void Strips::run_step(const Step& step, const Position& position, std::int64_t n) {
  Operands operands{};
  for (std::size_t k = 0; k < step.loop.operands; ++k) operands[k] = step.operands[k].at(position);
  compute(step, const_cast<std::byte*>(step.result.at(position)), n, operands);
}

void Strips::copy_away(const Step& step, const Position& position, std::int64_t n) {
  if (step.copy_to.first == nullptr) return;
  auto* const copy = const_cast<std::byte*>(step.copy_to.at(position));
  stream_copy(copy, step.result.at(position), static_cast<std::size_t>(n * step.result.element_bytes));
}

void Strips::run_fused(const Run& run, const Position& position, std::int64_t n) const {
  std::array<std::byte*, FusedLoop::kArraysMax> at;
  for (std::size_t k = 0; k < run.arrays.size(); ++k) at[k] = const_cast<std::byte*>(run.arrays[k]->at(position));
  run.loop.run(at.data(), n);
}

std::size_t Strips::Run::number(const Walk& walk) {
  arrays.push_back(&walk);
  return arrays.size() - 1;
}

// What goes past the caches is copied where its strip was made, before other steps use that memory.
std::size_t Strips::end_of_run(std::size_t begin) const {
  std::size_t end = begin + 1;
  if (!steps_[begin].can_fuse) return end;
  const auto goes_on = [&] {
    return steps_[end].can_fuse && steps_[end].element == steps_[begin].element &&
           steps_[end - 1].copy_to.first == nullptr && end - begin < kFusedMax;
  };
  while (end < steps_.size() && goes_on()) ++end;
  return end;
}

// Does anybody read the result of a step of a run that ends there, but for the step right behind it, which has it?
bool Strips::is_read_later(std::size_t step, std::size_t end) const {
  const Walk& made = steps_[step].result;
  if (made.place != StripPlace::passing || steps_[step].copy_to.first != nullptr) return true;
  if (joins_ && step + 1 == steps_.size()) return true;
  for (std::size_t k = step + 1; k < steps_.size(); ++k) {
    const bool has_it = k == step + 1 && k < end;
    const auto reads = [&](const Walk& walk) { return walk.is_at(made); };
    if (!has_it && std::any_of(steps_[k].operands.begin(), steps_[k].operands.end(), reads)) return true;
    if (steps_[k].result.is_at(made)) return false;
  }
  return false;
}

void Strips::fuse(Run& run) const {
  run.arrays.clear();
  run.loop.begin(steps_[run.begin].element);
  const auto read = [&](const Walk& walk) {
    const std::size_t number = run.number(walk);
    if (has_to_come(walk)) run.loop.ask(number);
    return number;
  };
  const Walk* made = nullptr;
  for (std::size_t k = run.begin; k < run.end; ++k) {
    const Step& step = steps_[k];
    const Walk& a = step.operands[0];
    const Walk& b = step.operands[1];
    const bool are_one = a.is_at(b);
    const auto is_made = [&](const Walk& walk) { return made != nullptr && walk.is_at(*made); };
    if (is_made(b) && !are_one) {
      run.loop.compute(step.op, a.step == 0 ? FusedOperand::scalar_first : FusedOperand::elements_first, read(a));
    } else if (!is_made(a) && a.step == 0) {
      run.loop.load(read(b));
      run.loop.compute(step.op, FusedOperand::scalar_first, read(a));
    } else {
      if (!is_made(a)) run.loop.load(read(a));
      if (are_one)
        run.loop.compute(step.op, FusedOperand::itself);
      else
        run.loop.compute(step.op, b.step == 0 ? FusedOperand::scalar : FusedOperand::elements, read(b));
    }
    if (is_read_later(k, run.end)) run.loop.store(run.number(step.result));
    made = &step.result;
  }
}

// Is the last step a product that only the join reads, of arrays that lie in memory?
bool Strips::is_joined_product() const {
  const Step& last = steps_.back();
  const bool is_alone = runs_[runs_used_ - 1].begin + 1 == steps_.size();
  const bool is_product = last.op == synth::MapOp::multiply && last.can_fuse && last.copy_to.first == nullptr;
  return is_alone && is_product && last.result.place == StripPlace::passing && last.strides[0] == 1 &&
         last.strides[1] == 1;
}

void Strips::find_runs(bool joins, bool join_sums) {
  joins_ = joins;
  runs_used_ = 0;
  for (std::size_t begin = 0; begin < steps_.size(); begin = runs_[runs_used_ - 1].end) {
    if (runs_used_ == runs_.size()) runs_.emplace_back();
    Run& run = runs_[runs_used_++];
    run.begin = begin;
    run.end = end_of_run(begin);
    if (run.end - run.begin > 1) fuse(run);
  }
  joins_products_ = joins && join_sums && is_joined_product();
  if (joins_products_) --runs_used_;
  has_runs_ = true;
}

// A few blocks at a time, while those one strip behind come.
void Strips::join_products(ElementJoin& join, const Position& position, std::int64_t n) const {
  constexpr std::int64_t kSome = 4 * kReduceBlock;
  const Step& last = steps_.back();
  for (std::int64_t begin = 0; begin < n; begin += kSome) {
    const std::int64_t length = std::min(kSome, n - begin);
    const auto view = [&](const Walk& walk) {
      const std::byte* const first = walk.at(position) + begin * walk.element_bytes;
      if (has_to_come(walk)) bring_in_ahead(first, length, walk.element_bytes);
      return dense_view(last.element, synth::Shape{length}, first);
    };
    const TileView a = view(last.operands[0]);
    join.add_products(a, view(last.operands[1]));
  }
}

void Strips::run(ElementJoin* join, bool join_sums) {
  if (!has_runs_) find_runs(join != nullptr, join_sums);
  const std::int64_t columns = columns_ == 0 ? count_ : columns_;
  std::int64_t element_bytes = sizeof(float);
  for (const Step& step : steps_) element_bytes = std::max(element_bytes, step.result.element_bytes);
  const std::int64_t strip = kStripBytes / element_bytes;
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t column = 0; column < columns; column += strip) {
      const Position position{row, column, row * columns + column};
      const std::int64_t n = std::min(strip, columns - column);
      for (const Run& run : std::span(runs_).first(runs_used_)) {
        if (run.end - run.begin > 1)
          run_fused(run, position, n);
        else
          run_step(steps_[run.begin], position, n);
        copy_away(steps_[run.end - 1], position, n);
      }
      if (join == nullptr) continue;
      const Step& last = steps_.back();
      if (joins_products_)
        join_products(*join, position, n);
      else
        join->add(dense_view(last.element, synth::Shape{n}, last.result.at(position)));
    }
  }
}

}  // namespace tessera::runtime
