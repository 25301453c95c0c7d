// A reduction as a short sequence of collectives over parts of the reduced axes.
//
// A group is the devices that agree in all but the reduced axes. Its k members have k *chunks* of the payload; chunk i
// belongs to the member at position i along all reduced axes. A step takes place in every subgroup of devices that
// agree in all but the step's axes; of these only devices at position 0 along `first` take part.
//
//   all_reduce      if all hold the same chunks, at least one, with disjoint contributors: each gets the union
//   reduce_scatter  the same; each keeps the chunks whose position along the axes is its own
//   reduce          the same; the first gets the union, the others hold nothing
//   all_gather      if all hold disjoint chunks, equally many, at least one: each gets all of them
//   broadcast       if the first has every contribution that others have, and one that somebody lacks: all get what it
//   has
//
// At the beginning each member holds all chunks, of itself only. In the end all chunks are whole everywhere, or, of a
// reduce_scatter, chunk i is whole at position i and nowhere else.
//
// Example: dp:16 on 4 nodes of 4. `reduce_scatter dp:(4)4; all_reduce dp:(1)4; all_gather dp:(4)4` adds up inside the
// nodes, so that each device has a quarter; the quarters cross the slow links once; then they are gathered inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/layout.hpp"

namespace tessera::synth {

#define TESSERA_REDUCE_STEPS(FOREACH) \
  FOREACH(all_reduce)                 \
  FOREACH(reduce_scatter)             \
  FOREACH(reduce)                     \
  FOREACH(all_gather)                 \
  FOREACH(broadcast)

// How a step's devices talk to each other:
//   direct   one hop, in which each receives from all others
//   halving  a hop for each prime factor of each of the step's parts of axes, whose order therefore matters: the
//            outermost level's come first. Hops go from the innermost out where sums are made, from the outermost in
//            where they are spread; an all_reduce exchanges all that it has each time
//   ring     as many hops as there are others, twice that for an all_reduce; in order of device numbers
//   units    for members that lie unevenly in the units of a machine; see unit_moves.hpp
#define TESSERA_REDUCE_FORMS(FOREACH) \
  FOREACH(direct)                     \
  FOREACH(halving)                    \
  FOREACH(ring)                       \
  FOREACH(units)

#define MEMBER(identifier) identifier,
enum class ReduceStepKind : std::uint8_t { TESSERA_REDUCE_STEPS(MEMBER) };
enum class ReduceForm : std::uint8_t { TESSERA_REDUCE_FORMS(MEMBER) };
#undef MEMBER
std::string_view name(ReduceStepKind kind);
std::string_view name(ReduceForm form);

struct ReduceStep {
  ReduceStepKind kind = ReduceStepKind::all_reduce;
  AxisList axes;   // outermost level first
  AxisList first;  // empty: all take part
  ReduceForm form = ReduceForm::direct;
  std::int64_t unit_devices = 0;  // by units: devices of the run are a unit if their numbers over this are the same
  // By units whose links differ: how fast the link of each unit is, the first that of device 0, in whole numbers that
  // only matter in proportion. Empty: all alike.
  std::vector<std::int64_t> unit_rates = {};
  friend bool operator==(const ReduceStep&, const ReduceStep&) = default;
};

struct ReduceProgram {
  std::vector<ReduceStep> steps;
  std::int64_t stretches = 1;
  friend bool operator==(const ReduceProgram&, const ReduceProgram&) = default;
};

// Members of larger groups, or of groups on more devices, are not looked at one by one: *wide* reductions. All of them
// have to do the same in every step (synth/moves/transfer/even_program.hpp).
inline constexpr std::int64_t kProgramMembersMax = 512;
inline constexpr std::int64_t kProgramChunksMax = 400'000;  // devices times members
inline bool is_wide(std::int64_t devices, std::int64_t members) {
  return members > kProgramMembersMax || devices > kProgramChunksMax / members;
}

// `halving`, `units of 4`, or `units of 4 at 2,2,1`.
std::string form_text(const ReduceStep& step);

// The hops of a stretch, each of which takes a slot.
std::int64_t hop_slots(const ReduceProgram& program);

// `reduce_scatter dp:(4)4 halving; all_reduce dp:(1)4; all_gather dp:(4)4 halving in 16`; a step of some devices says
// `all_reduce dp:(1)4 first dp:(4)4`.
std::string print(const Mesh& mesh, const ReduceProgram& program);
std::optional<ReduceProgram> parse_reduce_program(const Mesh& mesh, std::string_view text);

}  // namespace tessera::synth
