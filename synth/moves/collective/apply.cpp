// Effects of steps on a layout.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/collective.hpp"

namespace tessera::synth {

namespace {

using base::make;

base::Diagnostic refuse(const Collective& step, std::string_view why) {
  return make(Kind::bad_collective, fmt::format("`{}`", name(step)), why);
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

// A step on its way: each effect is taken by a function of its own.
class Application {
 public:
  Application(const Collective& step, const ArrayType& before) : step_(step), before_(before) {}

  base::Result<ArrayType> operator()(const Slice& slice) { return in_turn(slice.moves, &Application::enter); }
  base::Result<ArrayType> operator()(const AllGather& gather) { return in_turn(gather.moves, &Application::leave); }
  base::Result<ArrayType> operator()(const AllToAll& all_to_all) {
    return in_turn(all_to_all.moves, &Application::pass);
  }

  base::Result<ArrayType> operator()(const Permute& permute) {
    TESSERA_TRY_STATUS(check_same_array(permute.target));
    if (permute.target.mesh() != before_.mesh()) return refuse("its target is on another mesh");
    for (std::size_t d = 0; d < before_.rank(); ++d) {
      if (cuts(permute.target, d) == cuts(before_, d)) continue;
      return refuse(fmt::format("its target cuts dimension {} into other tiles", d));
    }
    return permute.target;
  }

  base::Result<ArrayType> operator()(const Exchange& exchange) {
    if (const Round* round = round_of(step_)) TESSERA_TRY_STATUS(check_round(*round));
    TESSERA_TRY_STATUS(check_same_array(exchange.target));
    const bool is_relayed = recipe_of<RelayRef>(step_) != nullptr;
    if (is_relayed && relay_of(step_) == nullptr) return refuse("it does not say who sends what");
    if (exchange.target.mesh() != before_.mesh() && !before_.layout().pending().empty())
      return refuse("a pending array cannot change its mesh");
    return exchange.target;
  }

  base::Result<ArrayType> operator()(const ReduceScatter& scatter) {
    TESSERA_TRY_STATUS(check_axes(scatter.axes));
    TESSERA_TRY_STATUS(check_dimension(scatter.to));
    TESSERA_TRY(rest, leave_pending(scatter.axes));
    Draft draft = draft_of(before_);
    draft.pending = rest;
    draft.splits[scatter.to] = concatenated(draft.splits[scatter.to], scatter.axes);
    if (!scatter.cut.empty()) {
      TESSERA_TRY_STATUS(check_axes(scatter.cut));
      TESSERA_TRY_STATUS(check_unused(scatter.cut, before_));
      draft.splits[scatter.to] = concatenated(draft.splits[scatter.to], scatter.cut);
    }
    return finish(before_, std::move(draft));
  }

  base::Result<ArrayType> operator()(const AllReduce& reduce) {
    TESSERA_TRY_STATUS(check_axes(reduce.axes));
    TESSERA_TRY(rest, leave_pending(reduce.axes));
    Draft draft = draft_of(before_);
    draft.pending = rest;
    return finish(before_, std::move(draft));
  }

  base::Result<ArrayType> operator()(const Keep& keep) {
    TESSERA_TRY_STATUS(check_axes(keep.axes));
    Draft draft = draft_of(before_);
    if (keep.from) {
      TESSERA_TRY_STATUS(check_dimension(*keep.from));
      TESSERA_TRY(rest, leave_dimension(keep.axes, *keep.from, before_));
      draft.splits[*keep.from] = rest;
    } else {
      TESSERA_TRY_STATUS(check_unused(keep.axes, before_));
    }
    if (!draft.pending.empty() && draft.reduce != keep.reduce) return refuse("another reduction is pending already");
    for (const AxisPart& part : keep.axes) draft.pending.push_back(AxisPart{part.axis, part.before, part.size});
    draft.reduce = keep.reduce;
    return finish(before_, std::move(draft));
  }

 private:
  base::Diagnostic refuse(std::string_view why) const { return synth::refuse(step_, why); }

  // The moves of one launch, one after the other.
  template <class Move>
  base::Result<ArrayType> in_turn(const std::vector<Move>& moves,
                                  base::Result<ArrayType> (Application::*take)(const Move&, const ArrayType&)) {
    if (moves.empty()) return refuse("it names no axis");
    if (moves.size() > 1 && moves_twice(moves)) return refuse("it moves an axis twice");
    ArrayType type = before_;
    for (const Move& move : moves) {
      TESSERA_TRY_STATUS(check_axes(move.axes));
      TESSERA_TRY(after, (this->*take)(move, type));
      type = std::move(after);
    }
    return type;
  }

  // Do two lists of one launch name the same digits?
  template <class Move>
  static bool moves_twice(const std::vector<Move>& moves) {
    AxisList seen;
    for (const Move& move : moves) {
      const AxisList axes = canonical(move.axes);
      for (const AxisPart& part : axes) {
        if (std::any_of(seen.begin(), seen.end(), [&](const AxisPart& p) { return overlap(p, part); })) return true;
      }
      seen.insert(seen.end(), axes.begin(), axes.end());
    }
    return false;
  }

  base::Result<ArrayType> enter(const AxesAt& move, const ArrayType& before) {
    TESSERA_TRY_STATUS(check_dimension(move.dimension));
    TESSERA_TRY_STATUS(check_unused(move.axes, before));
    Draft draft = draft_of(before);
    draft.splits[move.dimension] = concatenated(draft.splits[move.dimension], move.axes);
    return finish(before, std::move(draft));
  }

  base::Result<ArrayType> leave(const AxesAt& move, const ArrayType& before) {
    TESSERA_TRY_STATUS(check_dimension(move.dimension));
    TESSERA_TRY(rest, leave_dimension(move.axes, move.dimension, before));
    Draft draft = draft_of(before);
    draft.splits[move.dimension] = rest;
    return finish(before, std::move(draft));
  }

  base::Result<ArrayType> pass(const AxisMove& move, const ArrayType& before) {
    TESSERA_TRY_STATUS(check_dimension(move.from));
    TESSERA_TRY_STATUS(check_dimension(move.to));
    if (move.from == move.to) return refuse("it leads back to the dimension it comes from");
    TESSERA_TRY(rest, leave_dimension(move.axes, move.from, before));
    Draft draft = draft_of(before);
    draft.splits[move.from] = rest;
    draft.splits[move.to] = concatenated(draft.splits[move.to], move.axes);
    return finish(before, std::move(draft));
  }

  // ---- What is wrong with a step ----

  base::Status check_axes(const AxisList& axes) const {
    if (axes.empty()) return refuse("it names no axis");
    for (const AxisPart& part : axes) {
      if (!exists(before_.mesh(), part)) return refuse("the mesh has no such axis");
    }
    return base::Done{};
  }

  base::Status check_dimension(std::size_t dimension) const {
    if (dimension < before_.rank()) return base::Done{};
    return refuse(fmt::format("the array has no dimension {}", dimension));
  }

  base::Status check_unused(const AxisList& axes, const ArrayType& before) const {
    for (const AxisPart& part : canonical(axes)) {
      if (!before.layout().uses(part)) continue;
      return refuse(fmt::format("the array uses `{}` already", print(before.mesh(), AxisList{part})));
    }
    return base::Done{};
  }

  base::Result<AxisList> leave_dimension(const AxisList& axes, std::size_t from, const ArrayType& before) const {
    auto rest = without_trailing(before.layout().split(from), axes);
    if (rest) return std::move(*rest);
    const AxisList& split = before.layout().split(from);
    const bool has_any = std::any_of(split.begin(), split.end(), [&](const AxisPart& there) {
      return std::any_of(axes.begin(), axes.end(), [&](const AxisPart& part) { return part.axis == there.axis; });
    });
    return refuse(fmt::format("`{}` {} dimension {}", print(before.mesh(), canonical(axes)),
                              has_any ? "is not minor-most on" : "does not split", from));
  }

  base::Result<AxisList> leave_pending(const AxisList& axes) const {
    auto rest = without(before_.layout().pending(), axes);
    if (rest) return std::move(*rest);
    return refuse(fmt::format("the array is not pending over `{}`", print(before_.mesh(), canonical(axes))));
  }

  base::Status check_same_array(const ArrayType& target) const {
    if (target.element() != before_.element()) return refuse("its target has another element type");
    if (target.shape() != before_.shape()) return refuse("its target has other extents");
    const bool same_pending = target.layout().pending() == before_.layout().pending() &&
                              target.layout().reduce() == before_.layout().reduce();
    if (!same_pending) return refuse("its target has another pending set");
    return base::Done{};
  }

  base::Status check_round(const Round& round) const {
    if (round.index < 0 || round.index >= round.count) return refuse("it has no such round");
    return check_dimension(round.dimension);
  }

  const Collective& step_;
  const ArrayType& before_;
};

// Does the recipe carry out the effect?
base::Status check_recipe(const Collective& step) {
  const bool is_exchange = std::holds_alternative<Exchange>(step.effect);
  if (round_of(step) != nullptr && !is_exchange) return refuse(step, "only an exchange is cut into rounds");
  if (recipe_of<RelayRef>(step) != nullptr && !is_exchange) return refuse(step, "only an exchange is relayed");
  if (recipe_of<ReduceProgramRef>(step) != nullptr && movement(step) != Movement::sums)
    return refuse(step, "only sums have programs");
  return base::Done{};
}

}  // namespace

base::Result<ArrayType> apply(const Collective& step, const ArrayType& before) {
  return base::guarded([&]() -> base::Result<ArrayType> {
    TESSERA_TRY_STATUS(check_recipe(step));
    return std::visit(Application(step, before), step.effect);
  });
}

}  // namespace tessera::synth
