// The closed set of steps and how each changes a layout.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/transfer/reduce_program.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::synth {

// The kind of data that moves between devices: none, copies of boxes, or parts of sums, which are added on the way.
enum class Movement : std::uint8_t { none, copies, sums };

// The fields of Collective that a kind of step uses, as bits.
enum CollectiveFields : unsigned {
  kAxes = 1U,     // axes
  kFrom = 2U,     // from: the dimension that they leave
  kTo = 4U,       // to: the dimension that they come to
  kTarget = 8U,   // target: the type that it leads to
  kSeveral = 16U  // also: more lists of axes in the same launch
};

// FOREACH(name, MPI name, movement, fields)
#define TESSERA_COLLECTIVES(FOREACH)                                           \
  FOREACH(slice, "none", none, kAxes | kTo | kSeveral)                         \
  FOREACH(all_gather, "MPI_Allgatherv", copies, kAxes | kFrom | kSeveral)      \
  FOREACH(all_to_all, "MPI_Alltoallv", copies, kAxes | kFrom | kTo | kSeveral) \
  FOREACH(permute, "MPI_Sendrecv", copies, kTarget)                            \
  FOREACH(exchange, "MPI_Alltoallw", copies, kTarget)                          \
  FOREACH(relay, "none", copies, kTarget)                                      \
  FOREACH(reduce_scatter, "MPI_Reduce_scatter", sums, kAxes | kTo)             \
  FOREACH(all_reduce, "MPI_Allreduce", sums, kAxes)                            \
  FOREACH(keep, "none", none, kAxes)

enum class CollectiveKind : std::uint8_t {
#define MEMBER(identifier, mpi, movement, fields) identifier,
  TESSERA_COLLECTIVES(MEMBER)
#undef MEMBER
};
std::string_view name(CollectiveKind kind);
std::string_view mpi_name(CollectiveKind kind);
std::optional<CollectiveKind> collective_by_name(std::string_view name);
Movement movement(CollectiveKind kind);
// Does a step of this kind say these?
bool says(CollectiveKind kind, CollectiveFields fields);

// A move of axes from one dimension to another, as the steps below say.
struct AxisMove {
  AxisList axes;
  std::size_t from = 0;
  std::size_t to = 0;
};

// One of the rounds that an exchange is cut into along a dimension of the array: see rounds.hpp. From 0 on.
struct Round {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::size_t dimension = 0;
  friend auto operator<=>(const Round&, const Round&) = default;
};

// One step. A step that moves nothing is no launch. "Trailing" axes are the minor-most of a dimension. Which fields
// count:
//   slice           axes (not used by the array), to: they become trailing on dimension `to`
//   all_gather      axes (trailing on `from`), from: they leave
//   all_to_all      axes (trailing on `from`), from, to: they leave `from` and become trailing on `to`
//   permute         target: any layout with the same tiles in every dimension, on other devices; pending set unchanged
//   exchange        target: any layout of the same array; pending set unchanged; its mesh may be any other if
//                   nothing is pending; round: the step is one of several that make the exchange together, nothing if
//                   it is all of it. The type after every round is the target's
//   relay           target: as of an exchange; relay: who gets what from whom, in hops and stretches
//   reduce_scatter  axes (pending), to: they leave the pending set and become trailing on `to`
//   all_reduce      axes (pending): they leave the pending set
//   keep            axes (not used), reduce: they become pending; the device at position 0 along them keeps the value,
//                   the others hold the identity (-0.0 for float sums, 0 for integers, -inf/+inf or least/greatest
//                   integer)
// Axes are cut as the list says where they arrive, and leave however they were cut. A slice, all_gather or all_to_all
// may move more than one list of axes in its one launch: first its own, then `also`
// in order; no axis twice. Rivals take such steps; our planner says exchange.
struct Collective {
  CollectiveKind kind = CollectiveKind::exchange;
  AxisList axes;
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<AxisMove> also;
  ReduceOp reduce = ReduceOp::sum;               // keep only
  std::optional<ArrayType> target;               // permute, exchange, relay
  std::optional<Round> round;                    // exchange only
  std::shared_ptr<const RelayRecipe> relay;      // relay only; shared by the copies of a step
  std::shared_ptr<const ReduceProgram> program;  // reduce_scatter, all_reduce; null: each adds up what it gets from all
};

// How many devices exchange among themselves, of so many.
std::int64_t group_size(const Collective& step, std::int64_t devices);

// The single moves that a step takes in its one launch: itself, and a step for each of `also`.
std::vector<Collective> single_moves(const Collective& step);

// The type after the step, or why the step may not be taken there.
base::Result<ArrayType> apply(const Collective& step, const ArrayType& before);

// `x: dim 2 -> dim 1`, `(x,y): dim 0`, `x`, `round 1 of 4`, `8 stretches, 2 hops`, or empty (docs/language.md section
// 10); the moves of one launch are joined by `; `.
std::string detail(const Collective& step, const Mesh& mesh);

}  // namespace tessera::synth
