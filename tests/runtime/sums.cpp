#include "tests/runtime/sums.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

synth::ReduceKind kind_of_pending(synth::ReduceOp op) {
  switch (op) {
    case synth::ReduceOp::sum: return synth::ReduceKind::sum;
    case synth::ReduceOp::max: return synth::ReduceKind::max;
    case synth::ReduceOp::min: return synth::ReduceKind::min;
    case synth::ReduceOp::product: return synth::ReduceKind::product;
  }
  return synth::ReduceKind::sum;
}

// Numbers of its own for every device of a group, as a dimension more, which it then has to itself: pending.
RegisterId parts_of(Builder& builder, const synth::ArrayType& pending) {
  const synth::AxisList& axes = pending.layout().pending();
  synth::Shape shape{synth::shard_count(axes)};
  std::vector<synth::AxisList> splits{axes};
  for (std::size_t d = 0; d < pending.rank(); ++d) {
    shape.push_back(pending.shape()[d]);
    splits.push_back(pending.layout().split(d));
  }
  const auto layout = synth::Layout::make(pending.mesh(), splits, {}, synth::ReduceOp::sum);
  const auto type = synth::ArrayType::make(pending.element(), shape, pending.mesh_ref(), *layout);
  const bool floats = pending.element() == synth::ElementType::f32 || pending.element() == synth::ElementType::f64;
  const RegisterId all =
      floats ? builder.apply(synth::Random{}, {builder.number(7)}, *type) : builder.apply(synth::Iota{}, {}, *type);
  return builder.apply(synth::Reduce{kind_of_pending(pending.layout().reduce()), {0}}, {all}, pending);
}

}  // namespace

synth::Program program_of_sums(const synth::Plan& plan) {
  Builder builder(print(plan.from.mesh()));
  RegisterId at = parts_of(builder, plan.from);
  for (const synth::PlanStep& step : plan.steps)
    at = builder.apply(synth::Collect{step.collective, 1}, {at}, step.after);
  builder.output(at);
  return std::move(builder.program());
}

bool has_program(const synth::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const synth::PlanStep& step) { return synth::program_of(step.collective) != nullptr; });
}

}  // namespace tessera::runtime::test
