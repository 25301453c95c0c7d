// The closed set of steps: the effect of each on a layout, and beside it how its bytes move.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::synth {

struct ListedSends;
struct ReduceProgram;
struct RelayRecipe;

// ---- Effects ----
//
// "Trailing" axes are the minor-most of a dimension. Where axes arrive they are cut as the list says; where they leave,
// any cut of them matches. A slice, all_gather or all_to_all may move more than one list of axes in its one launch, in
// order, and no axis twice: rivals take such steps; our planner says exchange.

// Axes, and the dimension that they come to or leave.
struct AxesAt {
  AxisList axes;
  std::size_t dimension = 0;
};

// Axes that leave one dimension for another.
struct AxisMove {
  AxisList axes;
  std::size_t from = 0;
  std::size_t to = 0;
};

// Axes that the array does not use become trailing on their dimension.
struct Slice {
  std::vector<AxesAt> moves;
};

// Axes that are trailing on their dimension leave it.
struct AllGather {
  std::vector<AxesAt> moves;
};

// Axes that are trailing on `from` leave it and become trailing on `to`.
struct AllToAll {
  std::vector<AxisMove> moves;
};

// Any layout with the same tiles in every dimension, on other devices; pending set unchanged.
struct Permute {
  ArrayType target;
};

// Any layout of the same array; pending set unchanged; its mesh may be any other if nothing is pending.
struct Exchange {
  ArrayType target;
};

// Pending axes leave the pending set and become trailing on `to`; behind them do axes that the array does not use. So
// each of the groups that have copies of a sum makes just the part that is wanted of it there.
struct ReduceScatter {
  AxisList axes;
  std::size_t to = 0;
  AxisList cut = {};
};

// Pending axes leave the pending set.
struct AllReduce {
  AxisList axes;
};

// Axes become pending, and some hold the identity (-0.0 for float sums, 0 for integers, -inf/+inf or least/greatest
// integer). Of axes that the array does not use the device at position 0 keeps the value, and the others hold the
// identity. Axes that are trailing on a dimension leave it: every device keeps its tile, as a part of a larger one
// whose other elements are the identity.
struct Keep {
  AxisList axes;
  ReduceOp reduce = ReduceOp::sum;
  std::optional<std::size_t> from = {};  // the dimension that they leave
};

using Effect = std::variant<Slice, AllGather, AllToAll, Permute, Exchange, ReduceScatter, AllReduce, Keep>;

// ---- Recipes ----

// From those that hold it to those that want it, all at once; a sum is added up by each of what it gets from all.
struct Direct {};

// One of the rounds that an exchange is cut into along a dimension of the array: see rounds.hpp. From 0 on. The type
// after every round is the exchange's target.
struct Round {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::size_t dimension = 0;
  friend auto operator<=>(const Round&, const Round&) = default;
};

// The sends of an exchange, in hops and stretches. Null in a plan that was read and does not list them.
using RelayRef = std::shared_ptr<const RelayRecipe>;

// The steps by which a reduce_scatter or an all_reduce adds up.
using ReduceProgramRef = std::shared_ptr<const ReduceProgram>;

using OwnRecipe = std::variant<Direct, Round, RelayRef, ReduceProgramRef>;

// Sends that are listed one by one; never null.
using ListedRef = std::shared_ptr<const ListedSends>;

// Listed sends in the place of a recipe, which says what a list does not: the number of a round, the stretches of a
// relay, the order in which a program adds up.
struct Listed {
  ListedRef sends;
  OwnRecipe of = Direct{};
};

using Recipe = std::variant<Direct, Round, RelayRef, ReduceProgramRef, Listed>;

// ---- Steps ----

// One step. A step that moves nothing is no launch. `apply` refuses a recipe that does not carry out the effect.
struct Collective {
  Effect effect;
  Recipe recipe;
};

// Steps by their names. An exchange that is relayed has one of its own.
enum class CollectiveKind : std::uint8_t {
  slice,
  all_gather,
  all_to_all,
  permute,
  exchange,
  relay,
  reduce_scatter,
  all_reduce,
  keep
};
constexpr std::size_t kCollectiveKinds = std::size_t{1} + static_cast<std::size_t>(CollectiveKind::keep);

// The kind of data that moves between devices: none, copies of boxes, or parts of sums, which are added on the way.
enum class Movement : std::uint8_t { none, copies, sums };

std::string_view name(CollectiveKind kind);
std::string_view mpi_name(CollectiveKind kind);
std::optional<CollectiveKind> collective_by_name(std::string_view name);
Movement movement(CollectiveKind kind);

CollectiveKind kind_of(const Collective& step);
std::string_view name(const Collective& step);
std::string_view mpi_name(const Collective& step);
Movement movement(const Collective& step);

// The target type of a permute, an exchange or a relay; null for other steps.
const ArrayType* target_of(const Collective& step);
// The list of axes along which the devices of a group differ; empty where a step names none, or several lists.
const AxisList& axes_of(const Collective& step);

// The recipe of that kind, also where its sends are listed; null where it is another.
template <class Kind>
const Kind* recipe_of(const Collective& step) {
  const auto* listed = std::get_if<Listed>(&step.recipe);
  return listed == nullptr ? std::get_if<Kind>(&step.recipe) : std::get_if<Kind>(&listed->of);
}
const Round* round_of(const Collective& step);
const RelayRecipe* relay_of(const Collective& step);
const ReduceProgram* program_of(const Collective& step);

// The sends of a step, where they are listed; else null.
const ListedSends* listed_of(const Collective& step);
// The step with these sends, and without any.
Collective with_list(Collective step, ListedRef sends);
Collective without_list(Collective step);

// How many devices exchange among themselves, of so many.
std::int64_t group_size(const Collective& step, std::int64_t devices);

// The type after the step, or why the step may not be taken there.
base::Result<ArrayType> apply(const Collective& step, const ArrayType& before);

// `x: dim 2 -> dim 1`, `(x,y): dim 0`, `x`, `round 1 of 4`, `8 stretches, 2 hops`, or empty (docs/language.md section
// 10); the moves of one launch are joined by `; `.
std::string detail(const Collective& step, const Mesh& mesh);
// The step of that kind that leads to the type, as its detail says; nothing where the text says no such step. The text
// does not give the dimension of a round or the recipe of a relay. The rest of the text is not looked at.
std::optional<Collective> read_detail(CollectiveKind kind, std::string_view text, const ArrayType& after);

}  // namespace tessera::synth
