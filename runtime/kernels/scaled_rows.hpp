// A vector times a matrix whose rows lie side by side: sums of rows, each times a number of the vector, many columns at
// once. The terms of a result are added as TermsInRow adds them.
//
//     out[c] = v[0] * m[0][c] + v[1] * m[1][c] + ...
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/kernels/contract_indices.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/row_strips.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime {

struct AddScaledRow {
  template <class T>
  TESSERA_INLINE static void run(const T* row, T factor, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = out[i] + row[i] * factor;
  }
};
struct AddFourScaledRows {
  template <class T>
  TESSERA_INLINE static void run(const T* const* rows, const T* factors, T* out, std::int64_t n) {
    constexpr std::int64_t kNext = kReduceLanes;
    const T *a = rows[0], *b = rows[kNext], *c = rows[2 * kNext], *d = rows[3 * kNext];
    const T p = factors[0], q = factors[kNext], r = factors[2 * kNext], s = factors[3 * kNext];
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = (((out[i] + a[i] * p) + b[i] * q) + c[i] * r) + d[i] * s;
  }
};
struct AddRows {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  }
};

template <class T>
class ScaledRows {
 public:
  // Nothing where the operands do not lie so, or rows are too short.
  static std::optional<ScaledRows> of(const ContractIndices& indices, std::span<const TileView> operands,
                                      const synth::Shape& result) {
    constexpr std::int64_t kFewestColumns = 8;
    for (std::size_t matrix = 0; operands.size() == 2 && matrix < 2; ++matrix) {
      const ScaledRows rows(indices, operands, matrix, result);
      const Offsets<3>& along = rows.results_.inner_strides();
      if (along[0] == 1 && along[1] == 0 && along[2] == 1 && rows.columns() >= kFewestColumns) return rows;
    }
    return std::nullopt;
  }

  void run(T* out) const {
    const RowCut cut(columns(), terms_.count, kStripBytes / static_cast<std::int64_t>(sizeof(T)));
    const auto add = [this](const RowCut::Part& part, T* target) { reduce(part, target); };
    StripReduction<T, decltype(add)>(join_, cut, results_.count / columns(), out, add).run();
  }

 private:
  // Of a row: the lanes, which are as long, and a few rows stay in a core's innermost cache.
  static constexpr std::int64_t kStripBytes = 2'048;
  static constexpr std::int64_t kRowsAtOnce = 4;
  // Terms whose rows are brought in together, four for each lane.
  static constexpr std::int64_t kSome = kReduceLanes * kRowsAtOnce;

  template <class Loop, class... A>
  static auto widest() {
    return for_target<Loop>::template with<A...>::of(widest_target());
  }

  ScaledRows(const ContractIndices& indices, std::span<const TileView> operands, std::size_t matrix,
             const synth::Shape& result)
      : matrix_(typed<T>(operands[matrix])),
        vector_(typed<T>(operands[1 - matrix])),
        results_(make_nest<3>(result, {strides(indices, matrix, indices.result()),
                                       strides(indices, 1 - matrix, indices.result()), dense_strides(result)})),
        terms_(make_nest<2>(extents(indices), {strides(indices, matrix, indices.summed()),
                                               strides(indices, 1 - matrix, indices.summed())})) {}

  static synth::Shape strides(const ContractIndices& indices, std::size_t operand, const IndexList& list) {
    synth::Shape found;
    for (const std::uint8_t index : list) found.push_back(indices.stride(operand, index));
    return found;
  }
  static synth::Shape extents(const ContractIndices& indices) {
    synth::Shape found;
    for (const std::uint8_t index : indices.summed()) found.push_back(indices.extent(index));
    return found;
  }
  std::int64_t columns() const { return results_.extents[results_.rank - 1]; }

  void reduce(const RowCut::Part& part, T* target) const {
    if (part.begin == part.end) return static_cast<void>(std::fill_n(target, part.width, static_cast<T>(-0.0)));
    Block block(*this, part);
    RowCascade<T> cascade(join_, part.width);
    for (std::int64_t at = part.begin; at < part.end && !is_given_up(); at += kReduceBlock) {
      if (at > part.begin) cascade.push(target);
      block.add(at, std::min(kReduceBlock, part.end - at), target);
    }
    cascade.join_with(target);
  }

  // What is needed for the blocks of a part.
  class Block {
   public:
    Block(const ScaledRows& all, const RowCut::Part& part)
        : all_(all),
          width_(part.width),
          lanes_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>((kReduceLanes - 1) * part.width))) {
      for_runs(all.results_, part.first, part.first + 1, [&](std::int64_t, const Offsets<3>& at, std::int64_t) {
        matrix_ = all.matrix_ + at[0];
        vector_ = all.vector_ + at[1];
      });
    }

    // `target` becomes what the n terms from `begin` on give.
    void add(std::int64_t begin, std::int64_t n, T* target) {
      find_rows(begin, n);
      const std::int64_t whole = n / kReduceLanes * kReduceLanes;
      std::fill_n(target, width_, static_cast<T>(-0.0));
      if (whole > 0) add_lanes(whole, target);
      for (std::int64_t t = whole; t < n; ++t) all_.add_(rows_[t], factors_[t], target, width_);
    }

   private:
    void find_rows(std::int64_t begin, std::int64_t n) {
      const Offsets<2>& step = all_.terms_.inner_strides();
      for_runs(all_.terms_, begin, begin + n, [&](std::int64_t position, const Offsets<2>& at, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
          rows_[position - begin + i] = matrix_ + at[0] + i * step[0];
          factors_[position - begin + i] = vector_[at[1] + i * step[1]];
        }
      });
    }
    T* lane(std::int64_t number, T* target) { return number == 0 ? target : lanes_.get() + (number - 1) * width_; }

    void add_lanes(std::int64_t whole, T* target) {
      std::fill_n(lanes_.get(), (kReduceLanes - 1) * width_, static_cast<T>(-0.0));
      for (std::int64_t begin = 0; begin < whole; begin += kSome) {
        const std::int64_t end = std::min(whole, begin + kSome);
        for (std::int64_t k = 0; k < kReduceLanes; ++k) {
          for (std::int64_t t = begin + k * kRowsAtOnce; t < std::min(end, begin + (k + 1) * kRowsAtOnce); ++t)
            ask_for_later(rows_[t]);
          add_to_lane(begin + k, end, lane(k, target));
        }
      }
      for (std::int64_t apart = 1; apart < kReduceLanes; apart *= 2) {
        for (std::int64_t k = 0; k < kReduceLanes; k += 2 * apart)
          all_.join_(lane(k, target), lane(k + apart, target), lane(k, target), width_);
      }
    }
    // Asks for the row kSome terms behind this one, into the second cache: the processor's own fetching stops where a
    // strip ends. A request for what does not exist is ignored.
    void ask_for_later(const T* row) const {
      constexpr std::uintptr_t kLine = 64;
      constexpr int kForReading = 0;
      constexpr int kIntoSecondCache = 2;
      const std::int64_t ahead = kSome * all_.terms_.inner_strides()[0] * static_cast<std::int64_t>(sizeof(T));
      const auto first = reinterpret_cast<std::uintptr_t>(row) + static_cast<std::uintptr_t>(ahead);
      for (std::uintptr_t byte = 0; byte < static_cast<std::uintptr_t>(width_) * sizeof(T); byte += kLine)
        __builtin_prefetch(std::bit_cast<const void*>(first + byte), kForReading, kIntoSecondCache);
    }
    // The terms t, t + 8, ... below `end`, four of them at most.
    void add_to_lane(std::int64_t t, std::int64_t end, T* lane) {
      if (end - t > (kRowsAtOnce - 1) * kReduceLanes) return all_.add_four_(&rows_[t], &factors_[t], lane, width_);
      for (; t < end; t += kReduceLanes) all_.add_(rows_[t], factors_[t], lane, width_);
    }

    const ScaledRows& all_;
    std::int64_t width_;
    const T* matrix_ = nullptr;
    const T* vector_ = nullptr;
    std::array<const T*, kReduceBlock> rows_;
    std::array<T, kReduceBlock> factors_;
    std::unique_ptr<T[]> lanes_;  // all but the first, which is the target
  };

  const T* matrix_;
  const T* vector_;
  Nest<3> results_;  // of the matrix, the vector and the result
  Nest<2> terms_;    // of the matrix and the vector
  JoinRows<T> join_ = widest<AddRows, const T*, const T*, T*, std::int64_t>();
  void (*add_)(const T*, T, T*, std::int64_t) = widest<AddScaledRow, const T*, T, T*, std::int64_t>();
  void (*add_four_)(const T* const*, const T*, T*,
                    std::int64_t) = widest<AddFourScaledRows, const T* const*, const T*, T*, std::int64_t>();
};

}  // namespace tessera::runtime
