// A reduction program as moves, hop by hop: each member's copies from others, and its combinations. The same in every
// group; members and chunks are numbered by their positions along the reduced axes, in mesh order, the first axis most
// significant.
//
// A step `direct` is one hop, but for an all_reduce: there each member adds up the chunks that are its own along the
// step's axes, and copies the others' afterwards, in the same slot. A step by `halving` is a hop for each prime factor.
// In a `ring` the sum for place i starts at place i + 1, and each adds its own part and passes it on; afterwards an
// all_reduce passes the sums on in the same way.
//
// A device combines in ascending order of places along the axes of the hop. So without rings every element is added up
// in the same order, in any number of stretches and in any chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/layout/cuts.hpp"
#include "synth/moves/transfer/even_program.hpp"
#include "synth/moves/transfer/reduce_program.hpp"

namespace tessera::synth {

struct ReduceMove {
  struct From {
    std::int32_t member = 0;
    bool of_source = false;  // what it had from the beginning, not what it has combined or got since
  };
  std::int32_t to = 0;
  std::vector<From> from;            // several: combined in this order, `to` among them; one: copied
  std::vector<std::int32_t> chunks;  // ascending
};

struct ProgramHop {
  std::vector<ReduceMove> moves;
  std::int64_t slot = 0;  // that of the first stretch; two hops of one slot follow each other
  // Members read what others write here (an all_reduce by halving): values are made aside, and take the place of the
  // old ones when all are made.
  bool aside = false;
};

// A fraction of something, at which a part of it begins.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

struct ReduceMoves {
  std::int64_t members = 1;
  std::vector<ProgramHop> hops;
  std::int64_t hop_slots = 0;  // slots of one stretch
  std::int64_t stretches = 1;
  bool has_aside = false;
  bool has_ring = false;  // sums of different chunks are made in different orders
  // The chunks of every member that it has on the way and that are not its own: in a reduce_scatter the result has no
  // place for them.
  std::vector<std::vector<std::int32_t>> foreign;
  // By units, of an all_reduce: where the cells of a tile begin, and the shares of the chunks that each is cut into;
  // of 1,1,0 the first two have a half, and the last has nothing. Without cells a tile is cut into as many even chunks
  // as there are members.
  std::vector<Fraction> cells = {};
  std::vector<std::int64_t> chunk_shares = {};
  // Of a wide reduction: hops have no moves, nor members foreign chunks here; they are made as they are asked for.
  std::optional<EvenProgram> even = {};

  bool is_foreign(std::int32_t member, std::int32_t chunk) const;
  std::vector<std::int32_t> foreign_of(std::int32_t member) const;
  // The first chunk that has a share.
  std::int32_t first_chunk() const;
  // A chunk of a tile of so many elements, in row-major order.
  Interval chunk_of(std::int64_t elements, std::int32_t chunk) const;
  std::int64_t slots() const { return hop_slots + stretches - 1; }
};

// How an element is added up: the members are values 0 to members - 1, and each node combines earlier values in this
// order. The last node is the sum; without nodes there is one member.
struct SumTree {
  std::vector<std::vector<std::int32_t>> nodes;
};
SumTree sum_tree(const ReduceMoves& moves, std::int32_t chunk);

// Nothing where the program does not reduce over these axes, canonical and in mesh order. `scatters`: it has to end
// with chunk i at position i only, else with everything everywhere.
std::optional<ReduceMoves> reduce_moves(const AxisList& reduced, bool scatters, const ReduceProgram& program);

// Of a wide reduction.
ReduceMoves wide_moves(EvenProgram program);
// The moves of a hop among those who talk with a member.
std::vector<ReduceMove> moves_with(const EvenProgram& program, std::size_t hop, std::int32_t member);

}  // namespace tessera::synth
