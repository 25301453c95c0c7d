// How long a register's memory is needed.
#pragma once

#include <cstddef>
#include <map>
#include <set>

#include "synth/program/program.hpp"

namespace tessera::runtime {

// The steps at which a register is made and its memory is needed last, in the body that makes it. A body's end counts
// as one more step. Meaningful for roots, and for the edges of windows; views count as uses of their root.
struct Lifetime {
  std::size_t depth = 0;  // of the body: 0 is the program's
  std::size_t made = 0;
  std::size_t last_use = 0;
  bool belongs_to_loop = false;  // a loop's index or parameter: lives as long as the loop
  std::size_t body = 0;          // the number of the body that makes it
};

// Registers that are copied although they could be views.
using Copied = std::set<synth::RegisterId>;

// The last uses of an array in the body that makes it: those of slices made there, and all others.
struct SliceUses {
  std::size_t own_use = 0;
  std::map<synth::RegisterId, std::size_t> slices;
};
using SlicedUses = std::map<synth::RegisterId, SliceUses>;

}  // namespace tessera::runtime
