// Random changes of layout, the yardstick of all planners: seeded, so that every run sees the same ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::bench {

// FOREACH(identifier, "name"): sizes of mesh axes, and extents.
#define TESSERA_PROBLEM_MESHES(FOREACH)   \
  FOREACH(powers_of_two, "powers of two") \
  FOREACH(others, "others")

enum class Meshes : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_PROBLEM_MESHES(MEMBER)
#undef MEMBER
};
std::string_view name(Meshes meshes);

// even: every dimension has the square of the number of devices, so that every cut divides; tight: the axes that either
// end puts on the dimension, times 1 to 3, often with a remainder.
enum class Extents : std::uint8_t { even, tight };
std::string_view name(Extents extents);

// none: both ends are whole; pending: the source is a sum over some axes, the target is whole.
enum class Sums : std::uint8_t { none, pending };

struct Problem {
  synth::ArrayType from;
  synth::ArrayType to;
};

// Rank 2 to 4; each axis of the mesh is unused or on some dimension, or pending, in random order; the ends differ as
// data and the source is not replicated.
std::vector<Problem> problems(Meshes meshes, Extents extents, std::size_t count, std::uint64_t seed,
                              Sums sums = Sums::none);

// The machines that problems are priced on.
#define TESSERA_PROBLEM_MACHINES(FOREACH) \
  FOREACH(flat, "flat")                   \
  FOREACH(steep, "steep")                 \
  FOREACH(mild, "mild")

enum class MachineShape : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_PROBLEM_MACHINES(MEMBER)
#undef MEMBER
};
std::string_view name(MachineShape shape);

// flat: all devices alike; steep: nodes with slow links between them; mild: nodes whose inner links are the slower
// ones. Priced as if the larger end of the problem were so many bytes on a device: bandwidths are scaled instead of the
// array.
synth::Machine machine_for(MachineShape shape, const Problem& problem, std::int64_t local_bytes);

}  // namespace tessera::bench
