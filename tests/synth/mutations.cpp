#include "tests/synth/mutations.hpp"

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

// The lists of axes that a step moves.
std::vector<AxisList*> axis_lists(Collective& step) {
  std::vector<AxisList*> lists;
  if (!step.target) lists.push_back(&step.axes);
  for (AxisMove& move : step.also) lists.push_back(&move.axes);
  return lists;
}

AxisList* list_of(Collective& step, std::size_t axes_least, Random& random) {
  std::vector<AxisList*> lists = axis_lists(step);
  std::erase_if(lists, [&](const AxisList* list) { return list->size() < axes_least; });
  return lists.empty() ? nullptr : lists[random.below(lists.size())];
}

// The dimensions that a step of this kind names.
std::vector<std::size_t*> dimensions(Collective& step) {
  const auto leaves = [](CollectiveKind k) {
    return k == CollectiveKind::all_gather || k == CollectiveKind::all_to_all;
  };
  const auto enters = [](CollectiveKind k) {
    return k == CollectiveKind::slice || k == CollectiveKind::all_to_all || k == CollectiveKind::reduce_scatter;
  };
  std::vector<std::size_t*> named;
  if (leaves(step.kind)) named.push_back(&step.from);
  if (enters(step.kind)) named.push_back(&step.to);
  for (AxisMove& move : step.also) {
    if (leaves(step.kind)) named.push_back(&move.from);
    if (enters(step.kind)) named.push_back(&move.to);
  }
  return named;
}

constexpr std::array kKinds = {
#define ROW(identifier, mpi, movement, fields) CollectiveKind::identifier,
    TESSERA_COLLECTIVES(ROW)
#undef ROW
};
constexpr std::array kOperations = {ReduceOp::sum, ReduceOp::max, ReduceOp::min};

void change_kind(PlanStep& step, Random& random) {
  step.collective.kind = kKinds[random.below(kKinds.size())];
  step.collective.target = says(step.collective.kind, kTarget) ? std::optional(step.after) : std::nullopt;
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
  if (step.also.empty()) return false;
  AxisMove& other = step.also.back();
  std::swap(step.axes, other.axes);
  if (random.below(4) > 0) return true;
  std::swap(step.from, other.from);
  std::swap(step.to, other.to);
  return true;
}

// The type after a step, and a target with it; false if it is the same.
bool change_after(PlanStep& step, const ArrayType& other) {
  if (other == step.after) return false;
  step.after = other;
  if (step.collective.target) step.collective.target = other;
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
  if (!step.round) return false;
  const Round before = *step.round;
  switch (random.below(4)) {
    case 0:
      step.round->index = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(before.count) + 1));
      break;
    case 1: step.round->count += random.coin() ? 1 : -1; break;
    case 2: step.round->dimension = random.below(rank + 1); break;
    default: step.round.reset(); return true;
  }
  return *step.round != before;
}

// Along another dimension, or with the last round left out and the others as if there had been one less.
bool recut_rounds(std::vector<PlanStep>& steps, Random& random) {
  const auto is_round = [](const PlanStep& step) { return step.collective.round.has_value(); };
  if (std::none_of(steps.begin(), steps.end(), is_round)) return false;
  const std::size_t rank = steps[0].after.rank();
  const std::size_t dimension = random.below(rank);
  const bool drops = random.coin();
  bool changed = drops;
  for (PlanStep& step : steps) {
    if (!is_round(step)) continue;
    Round& round = *step.collective.round;
    if (drops) --round.count;
    changed = changed || round.dimension != dimension;
    if (!drops) round.dimension = dimension;
  }
  if (drops)
    std::erase_if(steps, [&](const PlanStep& step) {
      return is_round(step) && step.collective.round->index == step.collective.round->count;
    });
  return changed;
}

bool mutate_step(PlanStep& step, Mutation mutation, Random& random) {
  Collective& collective = step.collective;
  switch (mutation) {
    case Mutation::kind_changed: change_kind(step, random); return true;
    case Mutation::axis_changed: return change_axis(collective, step.after.mesh(), random);
    case Mutation::axes_exchanged: return exchange_axes(collective, random);
    case Mutation::axis_left_out: return leave_out_axis(collective, random);
    case Mutation::move_left_out:
      if (collective.also.empty()) return false;
      collective.also.erase(collective.also.begin() +
                            static_cast<std::ptrdiff_t>(random.below(collective.also.size())));
      return true;
    case Mutation::moves_exchanged: return exchange_moves(collective, random);
    case Mutation::dimension_changed: return change_dimension(collective, step.after.rank(), random);
    case Mutation::tile_shifted: return change_after(step, with_other_tiles(step.after, random));
    case Mutation::target_changed:
      if (!collective.target) return false;
      collective.target = with_other_tiles(step.after, random);
      return true;
    case Mutation::pending_changed: return change_after(step, with_other_sums(step.after, random));
    case Mutation::operation_changed:
      if (collective.kind != CollectiveKind::keep) return false;
      collective.reduce = collective.reduce == ReduceOp::max ? ReduceOp::sum : ReduceOp::max;
      return true;
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
