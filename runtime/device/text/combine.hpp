// Boxes whose elements are several parts' elements, combined from the first part to the last.
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"
#include "runtime/device/text/division.hpp"
#include "runtime/device/text/rows.hpp"
#include "runtime/elements/arithmetic.hpp"

namespace tessera::kernel {

// Elements that are read and written at once.
template <class T, int count>
struct alignas(sizeof(T) * count) Together {
  T at[count];
};

// Strides count units of elements that are together. No two units of an array lie 2^31 or more apart.
template <int rank>
struct SumPart {
  std::uint64_t from;
  std::int32_t strides[rank];
};
template <int rank>
struct SumBox {
  std::int64_t first_block;
  std::uint64_t to;
  std::uint64_t parts;  // the address of its SumParts
  std::int64_t part_count;
  std::int64_t count;  // of units, less than 2^31
  Divisor extents[rank];
  std::int32_t strides[rank];  // of the target
};

// The target may be where the first part lies: a thread reads all parts of what it writes.
template <synth::ReduceKind kind, class T, int together, int rank>
struct CombineParts : OnePhase<256> {
  struct Args {
    Table boxes;
  };
  using Unit = Together<T, together>;
  static constexpr int kEach = rank <= 2 ? 2 : 1;  // units of a thread

  template <int>
  static void run(const Args& args, const At& at, Shared&, Own&) {
    const auto& box = row_of_block<SumBox<rank>>(args.boxes, at.block);
    const auto first = static_cast<std::uint32_t>((at.block - box.first_block) * kThreads * kEach + at.thread);
    const auto count = static_cast<std::uint32_t>(box.count);
    std::int32_t index[kEach][rank];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {  // beyond the end the last one is read
      const std::uint32_t number = first + static_cast<std::uint32_t>(k * kThreads);
      indices_of(box, number < count ? number : count - 1, index[k]);
    }
    Unit sums[kEach];
    const auto* const parts = memory<const SumPart<rank>>(box.parts);
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) sums[k] = memory<const Unit>(parts[0].from)[place(index[k], parts[0].strides)];
    const auto part_count = static_cast<std::int32_t>(box.part_count);
    TESSERA_UNROLL_TWICE
    for (std::int32_t p = 1; p < part_count; ++p) add(parts[p], index, sums);
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      if (first + static_cast<std::uint32_t>(k * kThreads) < count)
        memory<Unit>(box.to)[place(index[k], box.strides)] = sums[k];
    }
  }

 private:
  static void indices_of(const SumBox<rank>& box, std::uint32_t number, std::int32_t (&index)[rank]) {
    TESSERA_UNROLL
    for (int d = rank - 1; d >= 0; --d) {
      index[d] = static_cast<std::int32_t>(d > 0 ? divide(number, box.extents[d]) : number);
    }
  }
  static std::int32_t place(const std::int32_t (&index)[rank], const std::int32_t (&strides)[rank]) {
    std::int32_t all = 0;
    TESSERA_UNROLL
    for (int d = 0; d < rank; ++d) all += index[d] * strides[d];
    return all;
  }
  static void add(const SumPart<rank>& part, const std::int32_t (&index)[kEach][rank], Unit (&sums)[kEach]) {
    Unit next[kEach];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) next[k] = memory<const Unit>(part.from)[place(index[k], part.strides)];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      TESSERA_UNROLL
      for (int i = 0; i < together; ++i)
        sums[k].at[i] = runtime::Combine<kind, T>::combine(sums[k].at[i], next[k].at[i]);
    }
  }
};

}  // namespace tessera::kernel
