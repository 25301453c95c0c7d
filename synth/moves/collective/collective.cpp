#include "synth/moves/collective/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

// ---- Names ----

namespace {

struct Traits {
  CollectiveKind kind;
  std::string_view name;
  std::string_view mpi_name;
  Movement movement;
};

constexpr std::array<Traits, kCollectiveKinds> kTraits = {{
    {CollectiveKind::slice, "slice", "none", Movement::none},
    {CollectiveKind::all_gather, "all_gather", "MPI_Allgatherv", Movement::copies},
    {CollectiveKind::all_to_all, "all_to_all", "MPI_Alltoallv", Movement::copies},
    {CollectiveKind::permute, "permute", "MPI_Sendrecv", Movement::copies},
    {CollectiveKind::exchange, "exchange", "MPI_Alltoallw", Movement::copies},
    {CollectiveKind::relay, "relay", "none", Movement::copies},
    {CollectiveKind::reduce_scatter, "reduce_scatter", "MPI_Reduce_scatter", Movement::sums},
    {CollectiveKind::all_reduce, "all_reduce", "MPI_Allreduce", Movement::sums},
    {CollectiveKind::keep, "keep", "none", Movement::none},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (static_cast<std::size_t>(kTraits.at(i).kind) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

const Traits& traits(CollectiveKind kind) { return kTraits.at(static_cast<std::size_t>(kind)); }

CollectiveKind kind_of(const Slice&) { return CollectiveKind::slice; }
CollectiveKind kind_of(const AllGather&) { return CollectiveKind::all_gather; }
CollectiveKind kind_of(const AllToAll&) { return CollectiveKind::all_to_all; }
CollectiveKind kind_of(const Permute&) { return CollectiveKind::permute; }
CollectiveKind kind_of(const Exchange&) { return CollectiveKind::exchange; }
CollectiveKind kind_of(const ReduceScatter&) { return CollectiveKind::reduce_scatter; }
CollectiveKind kind_of(const AllReduce&) { return CollectiveKind::all_reduce; }
CollectiveKind kind_of(const Keep&) { return CollectiveKind::keep; }

}  // namespace

std::string_view name(CollectiveKind kind) { return traits(kind).name; }
std::string_view mpi_name(CollectiveKind kind) { return traits(kind).mpi_name; }
Movement movement(CollectiveKind kind) { return traits(kind).movement; }

std::optional<CollectiveKind> collective_by_name(std::string_view name) {
  const auto found = std::find_if(kTraits.begin(), kTraits.end(), [&](const Traits& t) { return t.name == name; });
  if (found == kTraits.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - kTraits.begin());
}

CollectiveKind kind_of(const Collective& step) {
  const CollectiveKind kind = std::visit([](const auto& effect) { return kind_of(effect); }, step.effect);
  const bool is_relayed = kind == CollectiveKind::exchange && recipe_of<RelayRef>(step) != nullptr;
  return is_relayed ? CollectiveKind::relay : kind;
}

std::string_view name(const Collective& step) { return name(kind_of(step)); }
std::string_view mpi_name(const Collective& step) { return mpi_name(kind_of(step)); }
Movement movement(const Collective& step) { return movement(kind_of(step)); }

// ---- Parts of a step ----

const ArrayType* target_of(const Collective& step) {
  if (const auto* exchange = std::get_if<Exchange>(&step.effect)) return &exchange->target;
  const auto* permute = std::get_if<Permute>(&step.effect);
  return permute == nullptr ? nullptr : &permute->target;
}

namespace {

const AxisList kNoAxes;

template <class Move>
const AxisList& axes_of(const std::vector<Move>& moves) {
  return moves.size() == 1 ? moves.front().axes : kNoAxes;
}

const AxisList& axes_of(const Slice& slice) { return axes_of(slice.moves); }
const AxisList& axes_of(const AllGather& gather) { return axes_of(gather.moves); }
const AxisList& axes_of(const AllToAll& all_to_all) { return axes_of(all_to_all.moves); }
const AxisList& axes_of(const Permute&) { return kNoAxes; }
const AxisList& axes_of(const Exchange&) { return kNoAxes; }
const AxisList& axes_of(const ReduceScatter& scatter) { return scatter.axes; }
const AxisList& axes_of(const AllReduce& reduce) { return reduce.axes; }
const AxisList& axes_of(const Keep& keep) { return keep.axes; }

}  // namespace

const AxisList& axes_of(const Collective& step) {
  return std::visit([](const auto& effect) -> const AxisList& { return axes_of(effect); }, step.effect);
}

const Round* round_of(const Collective& step) { return recipe_of<Round>(step); }

const RelayRecipe* relay_of(const Collective& step) {
  const auto* relay = recipe_of<RelayRef>(step);
  return relay == nullptr ? nullptr : relay->get();
}

const ReduceProgram* program_of(const Collective& step) {
  const auto* program = recipe_of<ReduceProgramRef>(step);
  return program == nullptr ? nullptr : program->get();
}

const ListedSends* listed_of(const Collective& step) {
  const auto* listed = std::get_if<Listed>(&step.recipe);
  return listed == nullptr ? nullptr : listed->sends.get();
}

Collective with_list(Collective step, ListedRef sends) {
  const auto own = [](const auto& recipe) -> OwnRecipe {
    if constexpr (std::is_same_v<std::decay_t<decltype(recipe)>, Listed>)
      return recipe.of;
    else
      return recipe;
  };
  step.recipe = Listed{std::move(sends), std::visit(own, step.recipe)};
  return step;
}

Collective without_list(Collective step) {
  if (const auto* listed = std::get_if<Listed>(&step.recipe))
    step.recipe = std::visit([](const auto& recipe) -> Recipe { return recipe; }, OwnRecipe(listed->of));
  return step;
}

// ---- Group sizes ----

namespace {

template <class Move>
std::int64_t size_of(const std::vector<Move>& moves) {
  std::int64_t size = 1;
  for (const Move& move : moves) size *= shard_count(move.axes);
  return size;
}

std::int64_t size_of(const Slice&, std::int64_t) { return 1; }
std::int64_t size_of(const AllGather& gather, std::int64_t) { return size_of(gather.moves); }
std::int64_t size_of(const AllToAll& all_to_all, std::int64_t) { return size_of(all_to_all.moves); }
std::int64_t size_of(const Permute&, std::int64_t devices) { return devices; }
std::int64_t size_of(const Exchange&, std::int64_t devices) { return devices; }
std::int64_t size_of(const ReduceScatter& scatter, std::int64_t) { return shard_count(scatter.axes); }
std::int64_t size_of(const AllReduce& reduce, std::int64_t) { return shard_count(reduce.axes); }
std::int64_t size_of(const Keep&, std::int64_t) { return 1; }

}  // namespace

std::int64_t group_size(const Collective& step, std::int64_t devices) {
  return std::visit([&](const auto& effect) { return size_of(effect, devices); }, step.effect);
}

// ---- Details ----

namespace {

std::string detail_of(const AxesAt& move, const Mesh& mesh) {
  return fmt::format("{}: dim {}", print(mesh, move.axes), move.dimension);
}

std::string detail_of(const AxisMove& move, const Mesh& mesh) {
  return fmt::format("{}: dim {} -> dim {}", print(mesh, move.axes), move.from, move.to);
}

template <class Move>
std::string detail_of(const std::vector<Move>& moves, const Mesh& mesh) {
  std::string text;
  for (const Move& move : moves) text.append(text.empty() ? "" : "; ").append(detail_of(move, mesh));
  return text;
}

std::string counted(std::int64_t n, std::string_view what, std::string_view more) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : more);
}

std::string detail_of(const Round& round) { return fmt::format("round {} of {}", round.index + 1, round.count); }

std::string detail_of(const RelayRecipe& relay) {
  return counted(relay.stretches, "stretch", "es") + ", " + counted(relay.hops, "hop", "s");
}

struct DetailPrinter {
  const Collective& step;
  const Mesh& mesh;

  std::string operator()(const Slice& slice) const { return detail_of(slice.moves, mesh); }
  std::string operator()(const AllGather& gather) const { return detail_of(gather.moves, mesh); }
  std::string operator()(const AllToAll& all_to_all) const { return detail_of(all_to_all.moves, mesh); }
  std::string operator()(const Permute&) const { return ""; }
  std::string operator()(const Exchange&) const {
    if (const RelayRecipe* relay = relay_of(step)) return detail_of(*relay);
    const Round* round = round_of(step);
    return round == nullptr ? "" : detail_of(*round);
  }
  std::string operator()(const ReduceScatter& scatter) const {
    const std::string scattered = detail_of(AxesAt{scatter.axes, scatter.to}, mesh);
    return scatter.cut.empty() ? scattered : fmt::format("{} cut {}", scattered, print(mesh, scatter.cut));
  }
  std::string operator()(const AllReduce& reduce) const { return print(mesh, reduce.axes); }
  std::string operator()(const Keep& keep) const {
    return keep.from ? detail_of(AxesAt{keep.axes, *keep.from}, mesh) : print(mesh, keep.axes);
  }
};

}  // namespace

std::string detail(const Collective& step, const Mesh& mesh) {
  return std::visit(DetailPrinter{step, mesh}, step.effect);
}

}  // namespace tessera::synth
