// Steps read from their details: `x: dim 2 -> dim 1`, `(x,y): dim 0`, `x: dim 0; y: dim 1`, `x`, or nothing.
#include "synth/layout/cursor.hpp"
#include "synth/layout/part_text.hpp"
#include "synth/moves/collective/collective.hpp"

namespace tessera::synth {

namespace {

constexpr std::int64_t kRoundsMax = 4096;

std::optional<std::size_t> read_dimension(Cursor& cursor) {
  if (!cursor.accept("dim ")) return std::nullopt;
  const auto dimension = integer_value(cursor.digits());
  if (!dimension || *dimension >= static_cast<std::int64_t>(kRankMax)) return std::nullopt;
  return static_cast<std::size_t>(*dimension);
}

// `(x,y): dim 0`
std::optional<AxesAt> read_axes_at(Cursor& cursor, const Mesh& mesh) {
  auto axes = read_axis_list(cursor, mesh);
  const auto dimension = axes && cursor.accept(':') ? read_dimension(cursor) : std::nullopt;
  if (!dimension) return std::nullopt;
  return AxesAt{std::move(*axes), *dimension};
}

// `(x,y): dim 0 -> dim 1`
std::optional<AxisMove> read_axis_move(Cursor& cursor, const Mesh& mesh) {
  auto left = read_axes_at(cursor, mesh);
  const auto to = left && cursor.accept("->") ? read_dimension(cursor) : std::nullopt;
  if (!to) return std::nullopt;
  return AxisMove{std::move(left->axes), left->dimension, *to};
}

// All moves of a launch, each read by `read`.
template <class Move>
std::optional<std::vector<Move>> read_moves(Cursor& cursor, const Mesh& mesh,
                                            std::optional<Move> (*read)(Cursor&, const Mesh&)) {
  std::vector<Move> moves;
  do {
    auto move = read(cursor, mesh);
    if (!move) return std::nullopt;
    moves.push_back(std::move(*move));
  } while (cursor.accept(';'));
  return moves;
}

std::optional<Effect> read_effect(CollectiveKind kind, Cursor& cursor, const ArrayType& after) {
  const Mesh& mesh = after.mesh();
  switch (kind) {
    case CollectiveKind::slice:
      if (auto moves = read_moves(cursor, mesh, &read_axes_at)) return Slice{std::move(*moves)};
      break;
    case CollectiveKind::all_gather:
      if (auto moves = read_moves(cursor, mesh, &read_axes_at)) return AllGather{std::move(*moves)};
      break;
    case CollectiveKind::all_to_all:
      if (auto moves = read_moves(cursor, mesh, &read_axis_move)) return AllToAll{std::move(*moves)};
      break;
    case CollectiveKind::permute: return Permute{after};
    case CollectiveKind::exchange:
    case CollectiveKind::relay: return Exchange{after};
    case CollectiveKind::reduce_scatter:
      if (auto move = read_axes_at(cursor, mesh)) {
        auto cut = cursor.accept("cut ") ? read_axis_list(cursor, mesh) : AxisList{};
        if (cut) return ReduceScatter{std::move(move->axes), move->dimension, std::move(*cut)};
      }
      break;
    case CollectiveKind::all_reduce:
      if (auto axes = read_axis_list(cursor, mesh)) return AllReduce{std::move(*axes)};
      break;
    case CollectiveKind::keep:
      if (auto axes = read_axis_list(cursor, mesh)) {
        const bool leaves = cursor.accept(':');
        const auto from = leaves ? read_dimension(cursor) : std::nullopt;
        if (!leaves || from) return Keep{std::move(*axes), after.layout().reduce(), from};
      }
      break;
  }
  return std::nullopt;
}

// `round 1 of 4`. Its dimension is not said.
std::optional<Round> read_round(Cursor& cursor) {
  const auto number = cursor.accept("round ") ? integer_value(cursor.digits()) : std::nullopt;
  const auto count = cursor.accept("of ") ? integer_value(cursor.digits()) : std::nullopt;
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  if (*count > kRoundsMax) return std::nullopt;
  return Round{*number - 1, *count, 0};
}

Recipe read_recipe(CollectiveKind kind, Cursor& cursor) {
  if (kind == CollectiveKind::relay) return RelayRef();
  const auto round = kind == CollectiveKind::exchange ? read_round(cursor) : std::nullopt;
  return round ? Recipe(*round) : Recipe(Direct{});
}

}  // namespace

std::optional<Collective> read_detail(CollectiveKind kind, std::string_view text, const ArrayType& after) {
  Cursor cursor(text);
  auto effect = read_effect(kind, cursor, after);
  if (!effect) return std::nullopt;
  return Collective{std::move(*effect), read_recipe(kind, cursor)};
}

}  // namespace tessera::synth
