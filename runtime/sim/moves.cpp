#include "runtime/sim/moves.hpp"

#include <map>

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"

namespace tessera::runtime {

namespace {

// Copies worth a task of their own, by their mean size.
std::int64_t copies_grain(const CopyPlan& plan, std::int64_t elements) {
  const auto n = static_cast<std::int64_t>(plan.copies.size());
  return std::max<std::int64_t>(1, kGrain * n / std::max<std::int64_t>(1, elements));
}

}  // namespace

CopyPlan plan_copies(const synth::ArrayType& from, const synth::ArrayType& to, const synth::Offset& offset) {
  CopyPlan plan{synth::copies(from, to, &offset), offset, 0};
  for (const synth::BoxCopy& copy : plan.copies) {
    if (copy.source != copy.target) plan.received_bytes += synth::elements(copy.box) * synth::bytes_of(to.element());
  }
  return plan;
}

void run_copies(const CopyPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to) {
  const std::vector<TileView> sources = storage.views(from);
  const std::vector<synth::Box>& source_boxes = storage.tiles(from).boxes;
  const std::vector<synth::Box>& target_boxes = storage.tiles(to).boxes;
  std::vector<TileOut> targets;
  std::int64_t elements = 0;
  for (std::size_t device = 0; device < target_boxes.size(); ++device) {
    targets.push_back(storage.out(to, device));
    elements += count(targets.back().shape);
  }
  const Writing writing = writing_of(elements * synth::bytes_of(storage.type(to).element()));
  const auto copy = [&](const synth::BoxCopy& c) {
    const auto s = static_cast<std::size_t>(c.source);
    const auto t = static_cast<std::size_t>(c.target);
    const synth::Shape begin = begin_in(c.box, source_boxes[s], &plan.offset);
    const TileView part = part_of(sources[s], begin, synth::shape_of(c.box));
    copy_elements(part, target_part(targets[t], target_boxes[t], c.box), writing);
  };
  const auto n = static_cast<std::int64_t>(plan.copies.size());
  parallel_ranges(n, copies_grain(plan, elements), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) copy(plan.copies[static_cast<std::size_t>(i)]);
  });
}

ReductionPlan plan_reductions(const synth::Collective& step, const synth::ArrayType& from, const synth::ArrayType& to) {
  ReductionPlan plan;
  using Key = std::pair<std::vector<std::int32_t>, synth::Box>;
  std::map<Key, std::int32_t> done;
  const std::int64_t group = synth::shard_count(step.axes);
  std::int64_t elements = 0;
  for (synth::BoxReduction& reduction : synth::reductions(from, to)) {
    elements += synth::elements(reduction.box);
    const auto [entry, first] = done.emplace(Key{reduction.contributors, reduction.box}, reduction.target);
    if (first)
      plan.reductions.push_back(std::move(reduction));
    else
      plan.repeats.emplace_back(entry->second, reduction.target);
  }
  // Everybody receives its part of everybody else's; of an all_reduce, that for the part it owns and then the other
  // parts.
  const std::int64_t bytes = elements * synth::bytes_of(to.element());
  const bool scatters = step.kind == synth::CollectiveKind::reduce_scatter;
  plan.received_bytes = scatters ? bytes * (group - 1) : bytes / group * 2 * (group - 1);
  return plan;
}

void run_reductions(const ReductionPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to) {
  const std::vector<TileView> sources = storage.views(from);
  const std::vector<synth::Box>& source_boxes = storage.tiles(from).boxes;
  const synth::ReduceOp op = storage.type(from).layout().reduce();
  parallel_each(static_cast<std::int64_t>(plan.reductions.size()), [&](std::int64_t i) {
    const synth::BoxReduction& reduction = plan.reductions[static_cast<std::size_t>(i)];
    if (synth::empty(reduction.box)) return;
    std::vector<TileView> parts;
    for (const std::int32_t device : reduction.contributors) {
      const auto c = static_cast<std::size_t>(device);
      const synth::Shape begin = begin_in(reduction.box, source_boxes[c]);
      parts.push_back(part_of(sources[c], begin, synth::shape_of(reduction.box)));
    }
    const auto t = static_cast<std::size_t>(reduction.target);
    combine_parts(op, parts, target_part(storage.out(to, t), storage.tiles(to).boxes[t], reduction.box));
  });
  parallel_each(static_cast<std::int64_t>(plan.repeats.size()), [&](std::int64_t i) {
    const auto [has, wants] = plan.repeats[static_cast<std::size_t>(i)];
    copy_elements(storage.view(to, static_cast<std::size_t>(has)), storage.out(to, static_cast<std::size_t>(wants)));
  });
}

}  // namespace tessera::runtime
