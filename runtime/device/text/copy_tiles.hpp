// Boxes of which the source is consecutive along one dimension and the target along another: tiles of both, which are
// read in the source's order and written in the target's, with shared memory between.
#pragma once

#include <cstdint>

#include "runtime/device/text/copy.hpp"

namespace tessera::kernel {

// Along `a` the source is consecutive, along `b` the target. A tile has 2^log_a times 2^log_b units, at most
// 256 a side. Tiles are numbered along a, then along b, then through the other dimensions.
template <int outer>
struct CopyTilesBox {
  std::int64_t first_block;
  std::uint64_t from, to;
  std::int32_t a_from, a_to, b_from, b_to;
  std::int32_t a_extent, b_extent, a_log, b_log;
  Divisor a_tiles, b_tiles;
  CopyDimension others[outer];
};

template <int bytes, int outer>
struct CopyTiles {
  struct Args {
    Table boxes;
  };
  static constexpr int kThreads = 256;
  static constexpr int kPhases = 2;
  static constexpr int kTile = bytes >= 8 ? 16384 / bytes : 4096;
  static constexpr int kEach = kTile / kThreads;
  static constexpr int kGap = bytes >= 4 ? 1 : 4 / bytes;  // between rows, for columns of different banks
  struct Shared {
    Unit<bytes> tile[kTile + 256 * kGap];
  };
  // A tile: where it begins, and the last places of it along a and b.
  struct Own {
    std::uint64_t from, to;
    std::int32_t a_from, a_to, b_from, b_to;
    std::int32_t a_last, b_last, a_log, b_log;
  };
  static std::int64_t turns(const Args&, std::int64_t) { return 1; }

  template <int phase>
  static void run(const Args& args, const At& at, Shared& shared, Own& own) {
    if constexpr (phase == 0) {
      begin(row_of_block<CopyTilesBox<outer>>(args.boxes, at.block), at.block, own);
      read(at.thread, shared, own);
    } else {
      write(at.thread, shared, own);
    }
  }

 private:
  static std::int32_t lesser(std::int32_t a, std::int32_t b) { return a < b ? a : b; }

  static void begin(const CopyTilesBox<outer>& box, std::int64_t block, Own& own) {
    auto number = static_cast<std::uint32_t>(block - box.first_block);
    const auto a = static_cast<std::int32_t>(divide(number, box.a_tiles) << box.a_log);
    const auto b = static_cast<std::int32_t>(divide(number, box.b_tiles) << box.b_log);
    const CopyPlace place = place_of(box.others, number);
    own.from = box.from + std::int64_t{place.from + a * box.a_from + b * box.b_from} * bytes;
    own.to = box.to + std::int64_t{place.to + a * box.a_to + b * box.b_to} * bytes;
    own.a_from = box.a_from;
    own.a_to = box.a_to;
    own.b_from = box.b_from;
    own.b_to = box.b_to;
    own.a_last = lesser(1 << box.a_log, box.a_extent - a) - 1;
    own.b_last = lesser(1 << box.b_log, box.b_extent - b) - 1;
    own.a_log = box.a_log;
    own.b_log = box.b_log;
  }
  // Beyond an end the last one is read, and written where it belongs.
  static void read(int thread, Shared& shared, const Own& own) {
    const std::int32_t pitch = (1 << own.a_log) + kGap;
    const std::int32_t a = lesser(thread & ((1 << own.a_log) - 1), own.a_last);
    const std::int32_t step = kThreads >> own.a_log;
    const Unit<bytes>* const from = memory<const Unit<bytes>>(own.from);
    Unit<bytes> values[kEach];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      values[k] = from[lesser((thread >> own.a_log) + k * step, own.b_last) * own.b_from + a * own.a_from];
    }
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      shared.tile[lesser((thread >> own.a_log) + k * step, own.b_last) * pitch + a] = values[k];
    }
  }
  static void write(int thread, const Shared& shared, const Own& own) {
    const std::int32_t pitch = (1 << own.a_log) + kGap;
    const std::int32_t b = thread & ((1 << own.b_log) - 1);
    const std::int32_t first = thread >> own.b_log;
    const std::int32_t step = kThreads >> own.b_log;
    Unit<bytes>* const to = memory<Unit<bytes>>(own.to);
    if (b > own.b_last) return;
    Unit<bytes> values[kEach];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) values[k] = shared.tile[b * pitch + lesser(first + k * step, own.a_last)];
    TESSERA_UNROLL
    for (int k = 0; k < kEach; ++k) {
      const std::int32_t a = first + k * step;
      if (a <= own.a_last) to[a * own.a_to + b * own.b_to] = values[k];
    }
  }
};

}  // namespace tessera::kernel
