// The groups of a reduction as levels of a machine, and programs over them.
//
// The reduced axes have a factor at every machine level, the product of their matrix entries; levels whose factor is 1
// drop out. The others, outermost first, are the levels of the group: with dp:64 on 4 nodes of 16 a level of 4 and one
// of 16. A step takes place over an interval of them, among all members or among masters only: those at position 0
// along all levels inside the interval.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "synth/layout/layout.hpp"
#include "synth/layout/place/matrix.hpp"
#include "synth/moves/transfer/reduce_program.hpp"

namespace tessera::synth {

struct ReduceLevel {
  std::int64_t factor = 2;
  std::size_t machine_level = 0;
  AxisList axes;  // of which the factor is made
};
using ReduceLevels = std::vector<ReduceLevel>;

// Nothing where a reduced part of an axis ends inside a factor that it does not divide.
std::optional<ReduceLevels> reduce_levels(const PlaceMatrix& matrix, const AxisList& reduced);

// The state that a reduction is to end in.
enum class ReduceGoal : std::uint8_t { all_reduce, reduce_scatter };

// A step over levels begin to end - 1.
struct LevelStep {
  ReduceStepKind kind = ReduceStepKind::all_reduce;
  std::uint8_t begin = 0;
  std::uint8_t end = 1;
  bool masters = false;
  ReduceForm form = ReduceForm::direct;
  friend auto operator<=>(const LevelStep&, const LevelStep&) = default;
};

struct LevelProgram {
  std::vector<LevelStep> steps;
  std::int64_t stretches = 1;
  friend bool operator==(const LevelProgram&, const LevelProgram&) = default;
};

// `RS1 AR0 AG1 in 16`: kinds are AR, RS, R, AG and B, `AR01m` is among masters; with `/h` by halving, with `/r` in a
// ring.
std::string print(const LevelProgram& program);

ReduceProgram program_of(const ReduceLevels& levels, const LevelProgram& program);

}  // namespace tessera::synth
