#include "tests/synth/verify/mutations.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace tessera::synth::test {

namespace {

// A whole axis, or one part of it.
AxisPart any_part(const Mesh& mesh, Random& random) {
  const std::size_t axis = random.below(mesh.axes().size());
  const AxisPart whole = whole_axis(mesh, axis);
  if (random.below(3) > 0) return whole;
  const auto sizes = divisors(whole.size);
  const std::int64_t before = sizes[random.below(sizes.size())];
  return AxisPart{whole.axis, before, whole.size / before};
}

// What a step of any kind may name, as far as this one does.
struct Named {
  std::vector<AxisMove> moves;
  ReduceOp reduce = ReduceOp::sum;
};

Named named_by(const Collective& step) {
  Named named;
  const auto add = [&](const std::vector<AxesAt>& moves, bool leaves) {
    for (const AxesAt& move : moves)
      named.moves.push_back({move.axes, leaves ? move.dimension : 0, leaves ? 0 : move.dimension});
  };
  if (const auto* slice = std::get_if<Slice>(&step.effect)) add(slice->moves, false);
  if (const auto* gather = std::get_if<AllGather>(&step.effect)) add(gather->moves, true);
  if (const auto* all_to_all = std::get_if<AllToAll>(&step.effect)) named.moves = all_to_all->moves;
  if (const auto* scatter = std::get_if<ReduceScatter>(&step.effect)) add({{scatter->axes, scatter->to}}, false);
  if (const auto* reduce = std::get_if<AllReduce>(&step.effect)) add({{reduce->axes, 0}}, false);
  if (const auto* keep = std::get_if<Keep>(&step.effect)) {
    add({{keep->axes, 0}}, false);
    named.reduce = keep->reduce;
  }
  return named;
}

std::vector<AxesAt> at_dimensions(const std::vector<AxisMove>& moves, std::size_t AxisMove::* dimension) {
  std::vector<AxesAt> all;
  for (const AxisMove& move : moves) all.push_back({move.axes, move.*dimension});
  return all;
}

Effect effect_of(CollectiveKind kind, const Named& named, const ArrayType& after) {
  const AxisMove first = named.moves.empty() ? AxisMove{} : named.moves.front();
  switch (kind) {
    case CollectiveKind::slice: return Slice{at_dimensions(named.moves, &AxisMove::to)};
    case CollectiveKind::all_gather: return AllGather{at_dimensions(named.moves, &AxisMove::from)};
    case CollectiveKind::all_to_all: return AllToAll{named.moves};
    case CollectiveKind::permute: return Permute{after};
    case CollectiveKind::exchange:
    case CollectiveKind::relay: return Exchange{after};
    case CollectiveKind::reduce_scatter: return ReduceScatter{first.axes, first.to};
    case CollectiveKind::all_reduce: return AllReduce{first.axes};
    case CollectiveKind::keep: return Keep{first.axes, named.reduce};
  }
  return {};
}

// The moves of a launch, where the effect has any.
template <class Ask>
void with_moves(Effect& effect, const Ask& ask) {
  if (auto* slice = std::get_if<Slice>(&effect)) ask(slice->moves);
  if (auto* gather = std::get_if<AllGather>(&effect)) ask(gather->moves);
  if (auto* all_to_all = std::get_if<AllToAll>(&effect)) ask(all_to_all->moves);
}

// The lists of axes that a step moves.
std::vector<AxisList*> axis_lists(Collective& step) {
  std::vector<AxisList*> lists;
  with_moves(step.effect, [&](auto& moves) {
    for (auto& move : moves) lists.push_back(&move.axes);
  });
  if (auto* scatter = std::get_if<ReduceScatter>(&step.effect)) lists.push_back(&scatter->axes);
  if (auto* reduce = std::get_if<AllReduce>(&step.effect)) lists.push_back(&reduce->axes);
  if (auto* keep = std::get_if<Keep>(&step.effect)) lists.push_back(&keep->axes);
  return lists;
}

AxisList* list_of(Collective& step, std::size_t axes_least, Random& random) {
  std::vector<AxisList*> lists = axis_lists(step);
  std::erase_if(lists, [&](const AxisList* list) { return list->size() < axes_least; });
  return lists.empty() ? nullptr : lists[random.below(lists.size())];
}

void add_dimensions(AxesAt& move, std::vector<std::size_t*>& named) { named.push_back(&move.dimension); }
void add_dimensions(AxisMove& move, std::vector<std::size_t*>& named) {
  named.push_back(&move.from);
  named.push_back(&move.to);
}

// The dimensions that a step of this kind names.
std::vector<std::size_t*> dimensions(Collective& step) {
  std::vector<std::size_t*> named;
  with_moves(step.effect, [&](auto& moves) {
    for (auto& move : moves) add_dimensions(move, named);
  });
  if (auto* scatter = std::get_if<ReduceScatter>(&step.effect)) named.push_back(&scatter->to);
  return named;
}

constexpr std::array kOperations = {ReduceOp::sum, ReduceOp::max, ReduceOp::min};

// A relay that was none before does not say who sends what.
void change_kind(PlanStep& step, Random& random) {
  Collective& collective = step.collective;
  const auto kind = static_cast<CollectiveKind>(random.below(kCollectiveKinds));
  if (kind != kind_of(collective) && kind == CollectiveKind::relay) collective.recipe = RelayRef();
  if (kind != kind_of(collective) && kind_of(collective) == CollectiveKind::relay) collective.recipe = Direct{};
  collective.effect = effect_of(kind, named_by(collective), step.after);
}

void retarget(Collective& step, const ArrayType& target) {
  if (auto* permute = std::get_if<Permute>(&step.effect)) permute->target = target;
  if (auto* exchange = std::get_if<Exchange>(&step.effect)) exchange->target = target;
}

ArrayType with_other_tiles(const ArrayType& type, Random& random) {
  const Layout other = any_layout(type.mesh(), type.rank(), false, random);
  auto layout = Layout::make(type.mesh(), other.splits(), type.layout().pending(), type.layout().reduce());
  return layout.ok() ? *type.with_layout(*layout) : type;
}

ArrayType with_other_sums(const ArrayType& type, Random& random) {
  const Layout other = any_layout(type.mesh(), type.rank(), true, random);
  const bool operation_alone = !type.layout().pending().empty() && random.coin();
  const AxisList pending = operation_alone ? type.layout().pending() : other.pending();
  auto layout = Layout::make(type.mesh(), type.layout().splits(), pending, kOperations[random.below(3)]);
  return layout.ok() && type.mesh().is_row_major() ? *type.with_layout(*layout) : type;
}

// Another layout, element type, extent, or mesh of as many devices.
ArrayType another_end(const ArrayType& type, Random& random) {
  switch (random.below(6)) {
    case 0: return type.with_element(ElementType::f32).ok() ? *type.with_element(ElementType::f32) : type;
    case 1: {
      Shape shape = type.shape();
      if (shape.empty()) return type;
      ++shape[random.below(shape.size())];
      return *ArrayType::make(type.element(), shape, type.mesh_ref(), type.layout());
    }
    case 2: {
      std::vector<MeshAxis> axes = type.mesh().axes();
      std::reverse(axes.begin(), axes.end());
      const MeshRef other = *Mesh::make(axes);
      return *ArrayType::make(type.element(), type.shape(), other,
                              any_layout(*other, type.rank(), !type.layout().pending().empty(), random));
    }
    case 3: return with_other_sums(type, random);
    default: return with_other_tiles(type, random);
  }
}

// False where the figure stays what it was.
bool change(std::int64_t& figure, Random& random) {
  const std::array others = {figure + 1, figure - 1, figure * 2, figure / 2, std::int64_t{0}, -figure};
  const std::int64_t before = figure;
  figure = others[random.below(others.size())];
  return figure != before;
}
bool change(double& figure, Random& random) {
  const std::array others = {figure * 1.5, figure * 0.999, figure + 1e-9, figure - 1e-6, 0.0, -figure};
  const double before = figure;
  figure = others[random.below(others.size())];
  return figure != before;
}

bool change_figure(PlanStep& step, Random& random) {
  using Field = std::int64_t PlanStep::*;
  constexpr std::array<Field, 6> kFields = {&PlanStep::local_bytes_max,    &PlanStep::received_bytes_total,
                                            &PlanStep::received_bytes_max, &PlanStep::groups,
                                            &PlanStep::group_size,         &PlanStep::peak_bytes};
  return change(step.*kFields[random.below(kFields.size())], random);
}

bool change_figure(Plan& plan, Random& random) {
  using Field = std::int64_t Plan::*;
  constexpr std::array<Field, 5> kFields = {&Plan::received_bytes_total, &Plan::lower_bound_bytes_total,
                                            &Plan::local_bytes_max, &Plan::bound_bytes, &Plan::peak_bytes};
  return change(plan.*kFields[random.below(kFields.size())], random);
}

bool change_time(Plan& plan, Random& random) {
  switch (random.below(plan.steps.empty() ? 2 : 3)) {
    case 0: return change(plan.seconds, random);
    case 1: return change(plan.lower_bound_seconds, random);
    default: return change(plan.steps[random.below(plan.steps.size())].seconds, random);
  }
}

bool change_axis(Collective& step, const Mesh& mesh, Random& random) {
  AxisList* list = list_of(step, 1, random);
  if (list == nullptr) return false;
  AxisPart& part = (*list)[random.below(list->size())];
  const AxisPart before = part;
  part = any_part(mesh, random);
  return part != before;
}

bool exchange_axes(Collective& step, Random& random) {
  AxisList* list = list_of(step, 2, random);
  if (list == nullptr) return false;
  const std::size_t first = random.below(list->size() - 1);
  std::swap((*list)[first], (*list)[first + 1]);
  return true;
}

bool leave_out_axis(Collective& step, Random& random) {
  AxisList* list = list_of(step, 2, random);
  if (list == nullptr) return false;
  list->erase(list->begin() + static_cast<std::ptrdiff_t>(random.below(list->size())));
  return true;
}

bool change_dimension(Collective& step, std::size_t rank, Random& random) {
  const auto named = dimensions(step);
  if (named.empty()) return false;
  std::size_t& dimension = *named[random.below(named.size())];
  dimension = (dimension + 1 + random.below(rank)) % (rank + 1);
  return true;
}

// Their axes, or all of them.
bool exchange_moves(Collective& step, Random& random) {
  bool changed = false;
  with_moves(step.effect, [&](auto& moves) {
    if (moves.size() < 2) return;
    changed = true;
    if (random.below(4) > 0)
      std::swap(moves.front().axes, moves.back().axes);
    else
      std::swap(moves.front(), moves.back());
  });
  return changed;
}

// One that is not the first.
bool leave_out_move(Collective& step, Random& random) {
  bool changed = false;
  with_moves(step.effect, [&](auto& moves) {
    if (moves.size() < 2) return;
    changed = true;
    moves.erase(moves.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(moves.size() - 1)));
  });
  return changed;
}

// The type after a step, and a target with it; false if it is the same.
bool change_after(PlanStep& step, const ArrayType& other) {
  if (other == step.after) return false;
  step.after = other;
  retarget(step.collective, other);
  return true;
}

// A change of the plan's list of steps.
bool mutate_list(std::vector<PlanStep>& steps, Mutation mutation, Random& random) {
  const std::size_t at = random.below(steps.size());
  const auto step = steps.begin() + static_cast<std::ptrdiff_t>(at);
  if (mutation == Mutation::step_dropped) {
    steps.erase(step);
  } else if (mutation == Mutation::step_doubled) {
    steps.insert(step, PlanStep(*step));
  } else {
    if (at + 1 == steps.size()) return false;
    std::iter_swap(step, step + 1);
  }
  return true;
}

bool change_round(Collective& step, std::size_t rank, Random& random) {
  auto* round = std::get_if<Round>(&step.recipe);
  if (round == nullptr) return false;
  const Round before = *round;
  switch (random.below(4)) {
    case 0: round->index = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(before.count) + 1)); break;
    case 1: round->count += random.coin() ? 1 : -1; break;
    case 2: round->dimension = random.below(rank + 1); break;
    default: step.recipe = Direct{}; return true;
  }
  return *round != before;
}

// Along another dimension, or with the last round left out and the others as if there had been one less.
bool recut_rounds(std::vector<PlanStep>& steps, Random& random) {
  const auto is_round = [](const PlanStep& step) { return round_of(step.collective) != nullptr; };
  if (std::none_of(steps.begin(), steps.end(), is_round)) return false;
  const std::size_t rank = steps[0].after.rank();
  const std::size_t dimension = random.below(rank);
  const bool drops = random.coin();
  bool changed = drops;
  for (PlanStep& step : steps) {
    if (!is_round(step)) continue;
    Round& round = std::get<Round>(step.collective.recipe);
    if (drops) --round.count;
    changed = changed || round.dimension != dimension;
    if (!drops) round.dimension = dimension;
  }
  if (drops)
    std::erase_if(steps, [&](const PlanStep& step) {
      return is_round(step) && round_of(step.collective)->index == round_of(step.collective)->count;
    });
  return changed;
}

bool change_operation(Collective& step) {
  auto* keep = std::get_if<Keep>(&step.effect);
  if (keep == nullptr) return false;
  keep->reduce = keep->reduce == ReduceOp::max ? ReduceOp::sum : ReduceOp::max;
  return true;
}

bool mutate_step(PlanStep& step, Mutation mutation, Random& random) {
  Collective& collective = step.collective;
  switch (mutation) {
    case Mutation::kind_changed: change_kind(step, random); return true;
    case Mutation::axis_changed: return change_axis(collective, step.after.mesh(), random);
    case Mutation::axes_exchanged: return exchange_axes(collective, random);
    case Mutation::axis_left_out: return leave_out_axis(collective, random);
    case Mutation::move_left_out: return leave_out_move(collective, random);
    case Mutation::moves_exchanged: return exchange_moves(collective, random);
    case Mutation::dimension_changed: return change_dimension(collective, step.after.rank(), random);
    case Mutation::tile_shifted: return change_after(step, with_other_tiles(step.after, random));
    case Mutation::target_changed:
      if (target_of(collective) == nullptr) return false;
      retarget(collective, with_other_tiles(step.after, random));
      return true;
    case Mutation::pending_changed: return change_after(step, with_other_sums(step.after, random));
    case Mutation::operation_changed: return change_operation(collective);
    case Mutation::round_changed: return change_round(collective, step.after.rank(), random);
    case Mutation::step_figure_changed: return change_figure(step, random);
    case Mutation::rounds_recut:
    case Mutation::step_dropped:
    case Mutation::step_doubled:
    case Mutation::steps_swapped:
    case Mutation::from_changed:
    case Mutation::to_changed:
    case Mutation::plan_figure_changed:
    case Mutation::time_changed:
    case Mutation::bound_promised: return false;
  }
  return false;
}

bool change_end(ArrayType& end, Random& random) {
  const ArrayType before = end;
  end = another_end(end, random);
  return !(end == before);
}

bool promise_bound(Plan& plan) {
  if (plan.bound_promised || plan.local_bytes_max <= plan.bound_bytes) return false;
  plan.bound_promised = true;
  return true;
}

}  // namespace

std::string_view name(Mutation mutation) {
  switch (mutation) {
#define CASE(identifier) \
  case Mutation::identifier: return #identifier;
    TESSERA_MUTATIONS(CASE)
#undef CASE
  }
  return "";
}

bool is_of_steps(Mutation mutation) { return mutation < Mutation::step_figure_changed; }

bool mutate(Plan& plan, Mutation mutation, Random& random) {
  switch (mutation) {
    case Mutation::step_dropped:
    case Mutation::step_doubled:
    case Mutation::steps_swapped: return !plan.steps.empty() && mutate_list(plan.steps, mutation, random);
    case Mutation::rounds_recut: return recut_rounds(plan.steps, random);
    case Mutation::from_changed: return change_end(plan.from, random);
    case Mutation::to_changed: return change_end(plan.to, random);
    case Mutation::plan_figure_changed: return change_figure(plan, random);
    case Mutation::time_changed: return change_time(plan, random);
    case Mutation::bound_promised: return promise_bound(plan);
    case Mutation::kind_changed:
    case Mutation::axis_changed:
    case Mutation::axes_exchanged:
    case Mutation::axis_left_out:
    case Mutation::move_left_out:
    case Mutation::moves_exchanged:
    case Mutation::dimension_changed:
    case Mutation::tile_shifted:
    case Mutation::target_changed:
    case Mutation::pending_changed:
    case Mutation::operation_changed:
    case Mutation::round_changed:
    case Mutation::step_figure_changed:
      return !plan.steps.empty() && mutate_step(plan.steps[random.below(plan.steps.size())], mutation, random);
  }
  return false;
}

}  // namespace tessera::synth::test
