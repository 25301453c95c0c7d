// A chain of steps, or one elementwise step, as values that are computed from each other: of every element of a row, or
// once for a row.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace tessera::device {

struct Value {
  enum class Kind : std::uint8_t { array, map, reduce };
  Kind kind = Kind::array;
  synth::ElementType element = synth::ElementType::f32;
  synth::MapOp op = synth::MapOp::copy;
  synth::ReduceKind how = synth::ReduceKind::sum;
  std::vector<std::size_t> operands;  // by their numbers
  synth::RegisterId id;               // an array's register, or the one that is made
  synth::RegisterId seen_as;          // of an array: the register to whose shape it is broadcast
  bool is_side = true;                // a value for every element of a row; else one for the row
  bool is_kept = false;               // other steps read it
  int level = 0;                      // how many reductions, one after the other, come before it

  // From this level on it is known.
  int known_at() const { return kind == Kind::reduce ? level + 1 : level; }
};

struct Formula {
  std::vector<Value> values;  // operands come first
  std::size_t lead = 0;       // dimensions that count rows
  bool is_flat = false;       // all arrays are one row, which is reduced at the end
  int levels = 0;             // of reductions

  bool has_reductions() const { return levels > 0; }
};

// Nothing where our kernels have no such form.
std::optional<Formula> formula_of(const runtime::ChainStep& chain);
Formula formula_of(const runtime::LocalStep& step, const synth::Map& map);

// The extents of a register's tile.
synth::Shape shape_on(const runtime::Tiles& tiles, synth::RegisterId id, std::size_t device);

}  // namespace tessera::device
