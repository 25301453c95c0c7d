// Elementwise steps on one block, a strip of it at a time: the result of one step is in the innermost cache when the
// next one reads it, or in registers where both are arithmetic on floats.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels/element_join.hpp"
#include "runtime/kernels/fused.hpp"
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
  static constexpr std::int64_t kElementsMin = 64;

  void clear();
  // The next step. Its result also goes to `copy_to`, past the caches, if that has data. Returns false if an operand
  // repeats in a way that strips cannot follow, or elements of a result are not side by side; then nothing may be run.
  bool add(synth::MapOp op, std::span<const StripArray> operands, const StripArray& result, const TileView& copy_to);
  // Steps once added serve for another block of the same shape, whose arrays lie elsewhere in the same way.
  void move_operand(std::size_t step, std::size_t operand, const std::byte* to) {
    steps_[step].operands[operand].first = to;
  }
  void move_result(std::size_t step, const std::byte* to) { steps_[step].result.first = to; }
  void move_copy(std::size_t step, const std::byte* to) { steps_[step].copy_to.first = to; }

  // What the last step makes is also added to `join`, which adds floats up if `join_sums`. The arrays are flat.
  void run(ElementJoin* join = nullptr, bool join_sums = false);

 private:
  struct Position {
    std::int64_t row, column;
    std::int64_t flat;  // as if all rows were one
  };
  // How an array is walked: bytes from row to row, elements from one to the next in a row.
  struct Walk {
    const std::byte* first = nullptr;
    std::int64_t element_bytes = 0;
    std::int64_t row_bytes = 0;
    std::int64_t step = 0;
    StripPlace place = StripPlace::block;
    bool is_flat = false;  // rows do not matter to it

    const std::byte* at(const Position& position) const {
      if (place == StripPlace::passing) return first;
      if (is_flat) return first + position.flat * step * element_bytes;
      return first + position.row * row_bytes + position.column * step * element_bytes;
    }
    // Are its elements those of another walk, which lie side by side?
    bool is_at(const Walk& other) const {
      const bool same_rows = place == StripPlace::passing || row_bytes == other.row_bytes;
      return step == 1 && other.step == 1 && first == other.first && same_rows;
    }
  };
  struct Step {
    MapLoop loop;
    synth::MapOp op;
    synth::ElementType element;
    std::array<Walk, kMapOperandsMax> operands;
    std::array<std::int64_t, kMapOperandsMax> strides{};
    Walk result;
    Walk copy_to;               // from nowhere: there is none
    bool reads_memory = false;  // elements side by side, not read before
    bool can_fuse = false;
  };
  // Steps [begin, end), several of them in one loop on these arrays.
  struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    FusedLoop loop = {};
    std::vector<const Walk*> arrays = {};

    std::size_t number(const Walk& walk);
  };

  using Operands = std::array<const std::byte*, kMapOperandsMax>;

  static bool has_to_come(const Walk& walk);
  static void compute(const Step& step, std::byte* result, std::int64_t n, const Operands& operands);
  static void run_step(const Step& step, const Position& position, std::int64_t n);
  static void copy_away(const Step& step, const Position& position, std::int64_t n);
  void run_fused(const Run& run, const Position& position, std::int64_t n) const;
  void join_products(ElementJoin& join, const Position& position, std::int64_t n) const;
  std::size_t end_of_run(std::size_t begin) const;
  bool is_read_later(std::size_t step, std::size_t end) const;
  void fuse(Run& run) const;
  bool is_joined_product() const;
  void find_runs(bool joins, bool join_sums);

  std::vector<Step> steps_;
  std::vector<Run> runs_;  // the first `runs_used_` of them; the others keep their memory
  std::size_t runs_used_ = 0;
  std::int64_t count_ = 0;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 0;
  bool has_runs_ = false;
  bool joins_ = false;
  bool joins_products_ = false;  // the last step is left to the join
};

}  // namespace tessera::runtime
