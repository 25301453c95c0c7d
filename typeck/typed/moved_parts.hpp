// What an operation moves that receives bytes by itself: how much, at what peak, and which boxes between which devices.
// Text, JSON and pictures are made from this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

struct MovedParts {
  std::string_view op;              // `assemble`, `carry`, `cut`, `fetch`, `deliver`
  bool is_most = false;             // values decide; no more than this moves
  std::vector<ArrayType> from;      // the operands whose elements move, each once
  ArrayType to;                     // the result
  std::int64_t received_bytes = 0;  // by all devices
  std::int64_t received_max = 0;    // by the device that receives most
  std::int64_t peak_bytes = 0;      // tiles of operands and result on the device that has most
  std::int64_t gathered_bytes = 0;  // what devices would receive to have all of these operands
};
// Of a node whose body is a Compute that receives bytes.
MovedParts moved_parts(const Typed& typed, const Node& node);

// `concat([a, a], 0)` of f32[512@x, 64] on x:4 prints as
//
//     f32[512@x, 64] -> f32[1024@x, 64]
//       step      received by each  peak
//       assemble  64 KiB            96 KiB
//       received  192 KiB in all (at least 192 KiB between these layouts; gathered first: 384 KiB)
std::string print(const MovedParts& moved);

// One array that an operation moves boxes of, in a picture: where it lies, where its elements go, and who sends what.
struct MovedArray {
  std::string what;  // `part 1 of 2`, `numbers`, `rows`, `cuts`, `elements`; empty if there is nothing to tell apart
  ArrayType from;
  ArrayType to;
  struct Move {
    std::int32_t source = 0;  // devices of the mesh
    std::int32_t target = 0;
    synth::Box box;  // of `from`
    std::int64_t bytes = 0;
    std::int64_t hop = 0;
  };
  std::vector<Move> moves;  // none where only values say which boxes these are
};
// In order. Of rows by number: which numbers go where, then which rows, at most. Of lines that are sorted by cuts: what
// is told to find these, then elements.
std::vector<MovedArray> moved_arrays(const Typed& typed, const Node& node, const synth::RunMachine& machine);

}  // namespace tessera::typeck
