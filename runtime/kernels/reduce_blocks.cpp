#include "runtime/kernels/reduce_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/bring_in.hpp"

namespace tessera::runtime {

namespace {

// Some lanes of a block, as many as one register has.
template <class T, std::size_t bytes>
struct PieceOf;
template <std::size_t bytes>
struct PieceOf<float, bytes> {
  typedef float type __attribute__((vector_size(bytes)));
};
template <std::size_t bytes>
struct PieceOf<double, bytes> {
  typedef double type __attribute__((vector_size(bytes)));
};

// a becomes How::combine(a, b), lane by lane.
template <class How, class Piece>
TESSERA_INLINE void combine_lanes(Piece& a, const Piece& b) {
  if constexpr (How::of_kind == synth::ReduceKind::sum)
    a = a + b;
  else if constexpr (How::of_kind == synth::ReduceKind::product)
    a = a * b;
  else if constexpr (How::of_kind == synth::ReduceKind::max)
    a = ((b > a) | (b != b)) ? b : a;
  else
    a = ((b < a) | (b != b)) ? b : a;
}

// Combines neighbours: first those of a, then those of b.
template <class How, std::size_t lanes, class Piece>
TESSERA_INLINE void join_neighbours(Piece& joined, const Piece& a, const Piece& b) {
  Piece second;
  if constexpr (lanes == 2) {
    joined = __builtin_shufflevector(a, b, 0, 2);
    second = __builtin_shufflevector(a, b, 1, 3);
  } else if constexpr (lanes == 4) {
    joined = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    second = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  } else {
    joined = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    second = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  }
  combine_lanes<How>(joined, second);
}

// The first n pieces become half as many. One piece alone stands for both.
template <class How, std::size_t lanes, std::size_t n, class Piece, std::size_t N>
TESSERA_INLINE void join_all(std::array<Piece, N>& pieces) {
#pragma GCC unroll 16
  for (std::size_t k = 0; 2 * k < n; ++k) {
    Piece joined;
    join_neighbours<How, lanes>(joined, pieces[2 * k], pieces[std::min(2 * k + 1, n - 1)]);
    pieces[k] = joined;
  }
}

constexpr std::size_t half(std::size_t n) { return n < 2 ? 1 : n / 2; }

// The lanes at a position of the block with a number are read where they lie, or made of products: of two arrays, or of
// one block of each of several rows with the same block of another array.
template <class Piece, class T>
TESSERA_INLINE void take_lanes(Piece& piece, std::size_t block, std::int64_t at, const T* x) {
  std::memcpy(&piece, x + static_cast<std::int64_t>(block) * kReduceBlock + at, sizeof piece);
}
template <class Piece, class T>
TESSERA_INLINE void take_lanes(Piece& piece, std::size_t block, std::int64_t at, const T* x, const T* y) {
  Piece other;
  take_lanes(piece, block, at, x);
  take_lanes(other, block, at, y);
  piece = piece * other;
}
template <class Piece, class T>
TESSERA_INLINE void take_lanes(Piece& piece, std::size_t row, std::int64_t at, const T* const* rows, const T* y) {
  Piece other;
  std::memcpy(&piece, rows[row] + at, sizeof piece);
  std::memcpy(&other, y + at, sizeof other);
  piece = piece * other;
}

// N blocks at once, since each step of one waits for the step before. N is a power of two, at most eight.
template <class How, std::size_t bytes, std::size_t N, class T, class... Arrays>
TESSERA_INLINE void reduce_some(T* out, Arrays... arrays) {
  using Piece = typename PieceOf<T, bytes>::type;
  constexpr std::size_t kLanes = bytes / sizeof(T);
  constexpr std::size_t kPieces = kReduceLanes / kLanes;
  constexpr std::size_t kAll = N * kPieces;
  std::array<Piece, kAll> pieces;
  for (std::int64_t i = 0; i < kReduceBlock; i += kReduceLanes) {
#pragma GCC unroll 32
    for (std::size_t k = 0; k < kAll; ++k) {
      Piece next;
      take_lanes(next, k / kPieces, i + static_cast<std::int64_t>(k % kPieces * kLanes), arrays...);
      if (i == 0)
        pieces[k] = next;
      else
        combine_lanes<How>(pieces[k], next);
    }
  }
  join_all<How, kLanes, kAll>(pieces);
  join_all<How, kLanes, half(kAll)>(pieces);
  join_all<How, kLanes, half(half(kAll))>(pieces);
  std::memcpy(out, pieces.data(), N * sizeof(T));
}

template <class How, std::size_t bytes>
struct ReduceBlocks {
  template <class T, class... Arrays>
  TESSERA_INLINE static void run(T* out, std::int64_t blocks, const Arrays*... arrays) {
    // As many blocks as the registers hold beside the elements read.
    constexpr std::int64_t kMost = bytes / sizeof(T) == kReduceLanes ? 8 : 4;
    std::int64_t b = 0;
    for (; b + kMost <= blocks; b += kMost) {
      (bring_in(arrays + b * kReduceBlock, kMost * kReduceBlock), ...);
      reduce_some<How, bytes, kMost>(out + b, (arrays + b * kReduceBlock)...);
    }
    if (b < blocks) (bring_in(arrays + b * kReduceBlock, (blocks - b) * kReduceBlock), ...);
    for (; b < blocks; ++b) reduce_some<How, bytes, 1>(out + b, (arrays + b * kReduceBlock)...);
  }
};

// One block of each row at a time: the processor foresees what is read of so many places, and reads what is multiplied
// with all of them once.
template <class How, std::size_t bytes>
struct ReduceRowProducts {
  template <class T>
  TESSERA_INLINE static void run(T* out, std::int64_t blocks, const T* const* rows, const T* y) {
    std::array<const T*, kProductRows> at;
    std::copy_n(rows, kProductRows, at.begin());
    for (std::int64_t b = 0; b < blocks; ++b, y += kReduceBlock, out += kProductRows) {
      reduce_some<How, bytes, static_cast<std::size_t>(kProductRows)>(out, at.data(), y);
      for (const T*& row : at) row += kReduceBlock;
    }
  }
};

template <template <class, std::size_t> class Loop, class How, class T, class... Arrays>
auto blocks_function_of(VectorTarget target) {
  using Baseline = typename for_target<Loop<How, 16>>::template with<T*, std::int64_t, Arrays...>;
#if TESSERA_HAS_TARGETS
  using Wider = typename for_target<Loop<How, 32>>::template with<T*, std::int64_t, Arrays...>;
  switch (target) {
    case VectorTarget::baseline: return Baseline::baseline;
    case VectorTarget::avx2: return Wider::avx2;
    case VectorTarget::avx512: return Wider::avx512;
  }
#else
  static_cast<void>(target);
#endif
  return Baseline::baseline;
}

template <class How>
struct ReduceExactly {
  // How two elements meet where all lie in words: bool is a byte of 0 or 1.
  template <class Word>
  static Word meet(Word a, Word b) {
    if constexpr (How::of_kind == synth::ReduceKind::sum || How::of_kind == synth::ReduceKind::max)
      return a | b;
    else
      return a & b;
  }
  TESSERA_INLINE static void run(const bool* x, std::int64_t n, bool* out) {
    constexpr std::int64_t kBytes = sizeof(std::uint64_t);
    std::uint64_t all = 0;
    std::memset(&all, x[0] ? 1 : 0, sizeof all);
    std::int64_t i = 0;
    for (; i + kBytes <= n; i += kBytes) {
      std::uint64_t next = 0;
      std::memcpy(&next, x + i, sizeof next);
      all = meet(all, next);
    }
    for (unsigned half = 32; half >= 8; half /= 2) all = meet(all, all >> half);
    bool value = (all & 1U) != 0;
    for (; i < n; ++i) value = How::combine(value, x[i]);
    *out = value;
  }
  template <class T>
  TESSERA_INLINE static void run(const T* x, std::int64_t n, T* out) {
    T value = x[0];
    for (std::int64_t i = 1; i < n; ++i) value = How::combine(value, x[i]);
    *out = value;
  }
};

}  // namespace

template <class T>
ExactReduction<T> exact_reduction(synth::ReduceKind kind) {
  return visit_combine<T>(kind, [](auto how) {
    return for_target<ReduceExactly<decltype(how)>>::template with<const T*, std::int64_t, T*>::of(widest_target());
  });
}

template ExactReduction<bool> exact_reduction<bool>(synth::ReduceKind);
template ExactReduction<std::int32_t> exact_reduction<std::int32_t>(synth::ReduceKind);
template ExactReduction<std::int64_t> exact_reduction<std::int64_t>(synth::ReduceKind);

template <class T>
BlocksFunction<T> blocks_function(synth::ReduceKind kind, VectorTarget target) {
  return visit_combine<T>(
      kind, [&](auto how) { return blocks_function_of<ReduceBlocks, decltype(how), T, const T*>(target); });
}

template <class T>
BlocksFunction<T> blocks_function(synth::ReduceKind kind) {
  return blocks_function<T>(kind, widest_target());
}

template <class T>
ProductsFunction<T> products_function(VectorTarget target) {
  return blocks_function_of<ReduceBlocks, Combine<synth::ReduceKind::sum, T>, T, const T*, const T*>(target);
}

template <class T>
RowProductsFunction<T> row_products_function(VectorTarget target) {
  return blocks_function_of<ReduceRowProducts, Combine<synth::ReduceKind::sum, T>, T, const T* const*, const T*>(
      target);
}

template <class T>
ProductsFunction<T> products_function() {
  return products_function<T>(widest_target());
}

template BlocksFunction<float> blocks_function<float>(synth::ReduceKind, VectorTarget);
template BlocksFunction<double> blocks_function<double>(synth::ReduceKind, VectorTarget);
template BlocksFunction<float> blocks_function<float>(synth::ReduceKind);
template BlocksFunction<double> blocks_function<double>(synth::ReduceKind);
template ProductsFunction<float> products_function<float>(VectorTarget);
template ProductsFunction<double> products_function<double>(VectorTarget);
template ProductsFunction<float> products_function<float>();
template ProductsFunction<double> products_function<double>();
template RowProductsFunction<float> row_products_function<float>(VectorTarget);
template RowProductsFunction<double> row_products_function<double>(VectorTarget);

}  // namespace tessera::runtime
