// Random programs of loops that change arrays: as loops, and the same with every turn written out.
#pragma once

#include <string>
#include <vector>

#include "tests/runtime/support.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::runtime::test {

struct LoopOp;
using LoopOps = std::vector<LoopOp>;

// A step on the arrays that are there, which are numbered, the latest first. All have one type.
struct LoopOp {
  enum class Kind : std::uint8_t {
    add,        // two arrays
    scale,      // an array by 3, plus the turn
    spread,     // an array minus the greatest of each of its rows
    running,    // sums along the columns, which are whole: an array cannot be written as it is read
    lay_row,    // a row of one, laid over another at the turn's row
    put_row,    // the same by an assemble
    put_array,  // one array over another, from a row on that the whole covers
    cut,        // a device's part of an array, to be read later
    restore,    // the array whose part was cut
    loop,       // of some arrays
    branch,     // by whether the turn is early
  };
  Kind kind = Kind::add;
  std::vector<std::size_t> numbers;  // of arrays: operands, what a loop carries, or what branches give
  std::vector<std::size_t> next;     // a loop's, or those of the other branch
  std::int64_t turns = 0;
  LoopOps body;
  LoopOps other;
};

// Extents: rows and columns.
struct LoopProgram {
  std::string mesh;
  std::string type;  // of all arrays
  std::string row;   // of a row of them
  std::string part;  // what a device keeps of a replicated one; empty: nothing is cut
  LoopOps ops;
};

LoopProgram random_loop_program(synth::test::Random& random);
enum class Turns : std::uint8_t { in_loops, written_out };
// Its first output is the sum of all arrays that are there in the end, the others some of them.
synth::Program program_of(const LoopProgram& program, Turns turns);

}  // namespace tessera::runtime::test
