#include "synth/collective/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

using base::make;

base::Diagnostic refuse(const Collective& step, std::string_view why) {
  return make(Kind::bad_collective, fmt::format("`{}`", name(step.kind)), why);
}

// A layout in the making.
struct Draft {
  std::vector<AxisList> splits;
  AxisList pending;
  ReduceOp reduce;
};

Draft draft_of(const ArrayType& type) {
  return Draft{type.layout().splits(), type.layout().pending(), type.layout().reduce()};
}

base::Result<ArrayType> finish(const ArrayType& before, Draft draft) {
  TESSERA_TRY(layout, Layout::make(before.mesh(), std::move(draft.splits), std::move(draft.pending), draft.reduce));
  return before.with_layout(std::move(layout));
}

base::Status check_axes(const Collective& step, const ArrayType& before) {
  if (step.axes.empty()) return refuse(step, "it names no axis");
  for (const AxisPart& part : step.axes) {
    if (!exists(before.mesh(), part)) return refuse(step, "the mesh has no such axis");
  }
  return base::Done{};
}

base::Status check_dimension(const Collective& step, const ArrayType& before, std::size_t dimension) {
  if (dimension < before.rank()) return base::Done{};
  return refuse(step, fmt::format("the array has no dimension {}", dimension));
}

base::Status check_unused(const Collective& step, const ArrayType& before) {
  for (const AxisPart& part : canonical(step.axes)) {
    if (!before.layout().uses(part)) continue;
    return refuse(step, fmt::format("the array uses `{}` already", print(before.mesh(), AxisList{part})));
  }
  return base::Done{};
}

base::Result<AxisList> leave_dimension(const Collective& step, const ArrayType& before) {
  auto rest = without_trailing(before.layout().split(step.from), step.axes);
  if (rest) return std::move(*rest);
  return refuse(step, fmt::format("`{}` is not minor-most on dimension {}", print(before.mesh(), canonical(step.axes)),
                                  step.from));
}

base::Result<AxisList> leave_pending(const Collective& step, const ArrayType& before) {
  auto rest = without(before.layout().pending(), step.axes);
  if (rest) return std::move(*rest);
  return refuse(step, fmt::format("the array is not pending over `{}`", print(before.mesh(), canonical(step.axes))));
}

base::Result<ArrayType> apply_slice(const Collective& step, const ArrayType& before) {
  TESSERA_TRY_STATUS(check_unused(step, before));
  Draft draft = draft_of(before);
  draft.splits[step.to] = concatenated(draft.splits[step.to], step.axes);
  return finish(before, std::move(draft));
}

base::Result<ArrayType> apply_all_gather(const Collective& step, const ArrayType& before) {
  TESSERA_TRY(rest, leave_dimension(step, before));
  Draft draft = draft_of(before);
  draft.splits[step.from] = rest;
  return finish(before, std::move(draft));
}

base::Result<ArrayType> apply_all_to_all(const Collective& step, const ArrayType& before) {
  if (step.from == step.to) return refuse(step, "it leads back to the dimension it comes from");
  TESSERA_TRY(rest, leave_dimension(step, before));
  Draft draft = draft_of(before);
  draft.splits[step.from] = rest;
  draft.splits[step.to] = concatenated(draft.splits[step.to], step.axes);
  return finish(before, std::move(draft));
}

base::Result<ArrayType> apply_reduce_scatter(const Collective& step, const ArrayType& before) {
  TESSERA_TRY(rest, leave_pending(step, before));
  Draft draft = draft_of(before);
  draft.pending = rest;
  draft.splits[step.to] = concatenated(draft.splits[step.to], step.axes);
  return finish(before, std::move(draft));
}

base::Result<ArrayType> apply_all_reduce(const Collective& step, const ArrayType& before) {
  TESSERA_TRY(rest, leave_pending(step, before));
  Draft draft = draft_of(before);
  draft.pending = rest;
  return finish(before, std::move(draft));
}

base::Result<ArrayType> apply_keep(const Collective& step, const ArrayType& before) {
  TESSERA_TRY_STATUS(check_unused(step, before));
  Draft draft = draft_of(before);
  if (!draft.pending.empty() && draft.reduce != step.reduce)
    return refuse(step, "another reduction is pending already");
  draft.pending.insert(draft.pending.end(), step.axes.begin(), step.axes.end());
  draft.reduce = step.reduce;
  return finish(before, std::move(draft));
}

base::Status check_same_array(const Collective& step, const ArrayType& before) {
  if (!step.target) return refuse(step, "it has no target");
  const ArrayType& target = *step.target;
  if (target.element() != before.element()) return refuse(step, "its target has another element type");
  if (target.shape() != before.shape()) return refuse(step, "its target has other extents");
  const bool same_pending =
      target.layout().pending() == before.layout().pending() && target.layout().reduce() == before.layout().reduce();
  if (!same_pending) return refuse(step, "its target has another pending set");
  return base::Done{};
}

base::Result<ArrayType> apply_permute(const Collective& step, const ArrayType& before) {
  TESSERA_TRY_STATUS(check_same_array(step, before));
  if (step.target->mesh() != before.mesh()) return refuse(step, "its target is on another mesh");
  for (std::size_t d = 0; d < before.rank(); ++d) {
    if (cuts(*step.target, d) == cuts(before, d)) continue;
    return refuse(step, fmt::format("its target cuts dimension {} into other tiles", d));
  }
  return *step.target;
}

base::Status check_round(const Collective& step, const ArrayType& before) {
  if (!step.round) return base::Done{};
  if (step.kind != CollectiveKind::exchange) return refuse(step, "only an exchange is cut into rounds");
  if (step.round->index < 0 || step.round->index >= step.round->count) return refuse(step, "it has no such round");
  return check_dimension(step, before, step.round->dimension);
}

base::Status check_mesh(const Collective& step, const ArrayType& before) {
  if (step.target->mesh() == before.mesh() || before.layout().pending().empty()) return base::Done{};
  return refuse(step, "a pending array cannot change its mesh");
}

base::Result<ArrayType> apply_exchange(const Collective& step, const ArrayType& before) {
  TESSERA_TRY_STATUS(check_same_array(step, before));
  TESSERA_TRY_STATUS(check_mesh(step, before));
  return *step.target;
}

base::Result<ArrayType> apply_relay(const Collective& step, const ArrayType& before) {
  TESSERA_TRY_STATUS(check_same_array(step, before));
  if (step.relay == nullptr) return refuse(step, "it does not say who sends what");
  TESSERA_TRY_STATUS(check_mesh(step, before));
  return *step.target;
}

base::Result<ArrayType> apply_single(const Collective& step, const ArrayType& before) {
  if (says(step.kind, kAxes)) TESSERA_TRY_STATUS(check_axes(step, before));
  if (says(step.kind, kFrom)) TESSERA_TRY_STATUS(check_dimension(step, before, step.from));
  if (says(step.kind, kTo)) TESSERA_TRY_STATUS(check_dimension(step, before, step.to));
  TESSERA_TRY_STATUS(check_round(step, before));
  switch (step.kind) {
    case CollectiveKind::slice: return apply_slice(step, before);
    case CollectiveKind::all_gather: return apply_all_gather(step, before);
    case CollectiveKind::all_to_all: return apply_all_to_all(step, before);
    case CollectiveKind::permute: return apply_permute(step, before);
    case CollectiveKind::exchange: return apply_exchange(step, before);
    case CollectiveKind::relay: return apply_relay(step, before);
    case CollectiveKind::reduce_scatter: return apply_reduce_scatter(step, before);
    case CollectiveKind::all_reduce: return apply_all_reduce(step, before);
    case CollectiveKind::keep: return apply_keep(step, before);
  }
  return refuse(step, "it is not a collective");
}

// Do two lists of one launch name the same digits?
bool moves_twice(const Collective& step) {
  AxisList seen;
  for (const Collective& move : single_moves(step)) {
    const AxisList axes = canonical(move.axes);
    for (const AxisPart& part : axes) {
      if (std::any_of(seen.begin(), seen.end(), [&](const AxisPart& p) { return overlap(p, part); })) return true;
    }
    seen.insert(seen.end(), axes.begin(), axes.end());
  }
  return false;
}

base::Result<ArrayType> apply_unguarded(const Collective& step, const ArrayType& before) {
  if (!step.also.empty() && !says(step.kind, kSeveral)) return refuse(step, "it moves one list of axes only");
  if (!step.also.empty() && moves_twice(step)) return refuse(step, "it moves an axis twice");
  ArrayType type = before;
  for (const Collective& move : single_moves(step)) {
    TESSERA_TRY(after, apply_single(move, type));
    type = after;
  }
  return type;
}

std::string detail_of_target(const Collective& step) {
  if (step.relay != nullptr) {
    const auto counted = [](std::int64_t n, const char* what, const char* more) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : more);
    };
    return counted(step.relay->stretches, "stretch", "es") + ", " + counted(step.relay->hops, "hop", "s");
  }
  return step.round ? fmt::format("round {} of {}", step.round->index + 1, step.round->count) : "";
}

std::string detail_of_single(const Collective& step, const Mesh& mesh) {
  if (says(step.kind, kTarget)) return detail_of_target(step);
  std::string axes = print(mesh, step.axes);
  const bool leaves = says(step.kind, kFrom);
  if (leaves && says(step.kind, kTo)) return fmt::format("{}: dim {} -> dim {}", axes, step.from, step.to);
  if (!leaves && !says(step.kind, kTo)) return axes;
  return fmt::format("{}: dim {}", axes, leaves ? step.from : step.to);
}

}  // namespace

namespace {

struct Traits {
  std::string_view name;
  std::string_view mpi_name;
  Movement movement;
  unsigned fields;
};

constexpr std::array kTraits = {
#define ROW(identifier, mpi, movement, fields) Traits{#identifier, mpi, Movement::movement, fields},
    TESSERA_COLLECTIVES(ROW)
#undef ROW
};

const Traits& traits(CollectiveKind kind) { return kTraits.at(static_cast<std::size_t>(kind)); }

}  // namespace

std::string_view name(CollectiveKind kind) { return traits(kind).name; }
std::string_view mpi_name(CollectiveKind kind) { return traits(kind).mpi_name; }
Movement movement(CollectiveKind kind) { return traits(kind).movement; }
bool says(CollectiveKind kind, CollectiveFields fields) { return (traits(kind).fields & fields) != 0; }

std::optional<CollectiveKind> collective_by_name(std::string_view name) {
  const auto found = std::find_if(kTraits.begin(), kTraits.end(), [&](const Traits& t) { return t.name == name; });
  if (found == kTraits.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - kTraits.begin());
}

std::int64_t group_size(const Collective& step, std::int64_t devices) {
  if (movement(step.kind) == Movement::none) return 1;
  if (says(step.kind, kTarget)) return devices;
  std::int64_t size = shard_count(step.axes);
  for (const AxisMove& move : step.also) size *= shard_count(move.axes);
  return size;
}

base::Result<ArrayType> apply(const Collective& step, const ArrayType& before) {
  return base::guarded([&]() -> base::Result<ArrayType> { return apply_unguarded(step, before); });
}

std::vector<Collective> single_moves(const Collective& step) {
  std::vector<Collective> moves{step};
  moves.front().also.clear();
  for (const AxisMove& move : step.also) {
    Collective& next = moves.emplace_back();
    next.kind = step.kind;
    next.axes = move.axes;
    next.from = move.from;
    next.to = move.to;
  }
  return moves;
}

std::string detail(const Collective& step, const Mesh& mesh) {
  std::string text;
  for (const Collective& move : single_moves(step)) {
    text.append(text.empty() ? "" : "; ").append(detail_of_single(move, mesh));
  }
  return text;
}

}  // namespace tessera::synth
