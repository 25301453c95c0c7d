// Elementwise steps on one block, a strip of it at a time: the result of one step is in the innermost cache when the
// next one reads it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels/map.hpp"

namespace tessera::runtime {

// The place of an operand, or a result, of a step.
enum class StripPlace : std::uint8_t {
  memory,   // in an array, whose part of the block nobody has read yet
  block,    // written, or read before, in this block
  passing,  // made and used up in one strip: all share the memory of the first
};

struct StripArray {
  TileView view;
  StripPlace place = StripPlace::block;
};

// Steps whose results have one shape, taken together.
class Strips {
 public:
  // Less is not worth a look.
  static constexpr std::int64_t kElementsMin = 512;

  void clear();
  // The next step. Its result also goes to `copy_to`, past the caches, if that has data. Returns false if an operand
  // repeats in a way that strips cannot follow, or elements of a result are not side by side; then nothing may be run.
  bool add(synth::MapOp op, std::span<const StripArray> operands, const StripArray& result, const TileView& copy_to);
  void run() const;

 private:
  // How an array is walked: bytes from row to row, elements from one to the next in a row.
  struct Walk {
    const std::byte* first = nullptr;
    std::int64_t element_bytes = 0;
    std::int64_t row_bytes = 0;
    std::int64_t step = 0;
    StripPlace place = StripPlace::block;

    const std::byte* at(std::int64_t row, std::int64_t column) const {
      return place == StripPlace::passing ? first : first + row * row_bytes + column * step * element_bytes;
    }
  };
  struct Step {
    MapLoop loop;
    std::array<Walk, kMapOperandsMax> operands;
    std::array<std::int64_t, kMapOperandsMax> strides{};
    Walk result;
    Walk copy_to;               // from nowhere: there is none
    bool is_flat = false;       // rows do not matter to it
    bool reads_memory = false;  // elements side by side, not read before
  };

  using Operands = std::array<const std::byte*, kMapOperandsMax>;

  static bool has_to_come(const Walk& walk);
  static void compute(const Step& step, std::byte* result, std::int64_t n, const Operands& operands);
  void run_strip(const Step& step, std::int64_t row, std::int64_t column, std::int64_t n) const;

  std::vector<Step> steps_;
  std::int64_t count_ = 0;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 0;
};

}  // namespace tessera::runtime
