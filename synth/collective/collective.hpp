// The closed set of steps and how each changes a layout.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/transfer/relay_recipe.hpp"

namespace tessera::synth {

// FOREACH(identifier, "name", "MPI name")
#define TESSERA_COLLECTIVES(FOREACH)                              \
  FOREACH(slice, "slice", "none")                                 \
  FOREACH(all_gather, "all_gather", "MPI_Allgatherv")             \
  FOREACH(all_to_all, "all_to_all", "MPI_Alltoallv")              \
  FOREACH(permute, "permute", "MPI_Sendrecv")                     \
  FOREACH(exchange, "exchange", "MPI_Alltoallw")                  \
  FOREACH(relay, "relay", "none")                                 \
  FOREACH(reduce_scatter, "reduce_scatter", "MPI_Reduce_scatter") \
  FOREACH(all_reduce, "all_reduce", "MPI_Allreduce")              \
  FOREACH(keep, "keep", "none")

enum class CollectiveKind : std::uint8_t {
#define MEMBER(identifier, text, mpi) identifier,
  TESSERA_COLLECTIVES(MEMBER)
#undef MEMBER
};
std::string_view name(CollectiveKind kind);
std::string_view mpi_name(CollectiveKind kind);
std::optional<CollectiveKind> collective_by_name(std::string_view name);
// Does a step of this kind say the layout that it leads to?
bool has_target(CollectiveKind kind);

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

// One step. "Trailing" axes are the minor-most of a dimension. Which fields count:
//   slice           axes (not used by the array), to: they become trailing on dimension `to`
//   all_gather      axes (trailing on `from`), from: they leave
//   all_to_all      axes (trailing on `from`), from, to: they leave `from` and become trailing on `to`
//   permute         target: any layout with the same shard count in every dimension; pending set unchanged
//   exchange        target: any layout of the same array; pending set unchanged; its mesh may be another with as many
//                   devices; round: the step is one of several that make the exchange together, nothing if it is all
//                   of it. The type after every round is the target's
//   relay           target: as of an exchange, on the same mesh; relay: who gets what from whom, in hops and stretches
//   reduce_scatter  axes (pending), to: they leave the pending set and become trailing on `to`
//   all_reduce      axes (pending): they leave the pending set
//   keep            axes (not used), reduce: they become pending; the device at position 0 along them keeps the value,
//                   the others hold the identity (-0.0 for float sums, 0 for integers, -inf/+inf or least/greatest
//                   integer)
// A slice, all_gather or all_to_all may move more than one list of axes in its one launch: first its own, then `also`
// in order; no axis twice. Rivals take such steps; our planner says exchange.
struct Collective {
  CollectiveKind kind = CollectiveKind::exchange;
  AxisList axes;
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<AxisMove> also;
  ReduceOp reduce = ReduceOp::sum;           // keep only
  std::optional<ArrayType> target;           // permute, exchange, relay
  std::optional<Round> round;                // exchange only
  std::shared_ptr<const RelayRecipe> relay;  // relay only; shared by the copies of a step
};

// The single moves that a step takes in its one launch: itself, and a step for each of `also`.
std::vector<Collective> single_moves(const Collective& step);

// The type after the step, or why the step may not be taken there.
base::Result<ArrayType> apply(const Collective& step, const ArrayType& before);

// `x: dim 2 -> dim 1`, `(x,y): dim 0`, `x`, `round 1 of 4`, `8 stretches, 2 hops`, or empty (docs/language.md section
// 10); the moves of one launch are joined by `; `.
std::string detail(const Collective& step, const Mesh& mesh);

}  // namespace tessera::synth
