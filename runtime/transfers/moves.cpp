#include "runtime/transfers/moves.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"
#include "synth/collective/direct_reduction.hpp"

namespace tessera::runtime {

namespace {

// Copies worth a task of their own, by their mean size.
std::int64_t copies_grain(std::int64_t n, std::int64_t elements) {
  return std::max<std::int64_t>(1, kGrain * n / std::max<std::int64_t>(1, elements));
}

Received nothing_received(const synth::ArrayType& type) {
  return {0, std::vector<std::int64_t>(static_cast<std::size_t>(type.devices()), 0)};
}

// So many copies are held; each takes some hundred bytes.
constexpr std::int64_t kFewCopies = 4096;
bool from_any(std::int32_t) { return true; }

// The pieces that copies are cut into where the order of what is read pays.
constexpr std::int64_t kPieceElements = std::int64_t{1} << 17U;

// Pieces of a copy along its first dimension that has several indices, which the memory walks last.
void add_pieces(const synth::BoxCopy& copy, std::vector<synth::BoxCopy>& pieces) {
  const auto outer =
      std::find_if(copy.box.begin(), copy.box.end(), [](const synth::Interval& i) { return i.length() > 1; });
  const std::int64_t wanted = synth::elements(copy.box) / kPieceElements;
  if (outer == copy.box.end() || wanted < 2) return pieces.push_back(copy);
  const std::int64_t n = std::min(wanted, outer->length());
  for (std::int64_t k = 0; k < n; ++k) {
    pieces.push_back(copy);
    const synth::Interval part = synth::share(outer->length(), n, k);
    pieces.back().box[static_cast<std::size_t>(outer - copy.box.begin())] = {outer->begin + part.begin,
                                                                             outer->begin + part.end};
  }
}

// The copies by what they read: several targets take neighbouring parts of a source at the same time.
std::vector<synth::BoxCopy> by_source(const std::vector<synth::BoxCopy>& copies) {
  std::vector<synth::BoxCopy> pieces;
  for (const synth::BoxCopy& copy : copies) add_pieces(copy, pieces);
  std::stable_sort(pieces.begin(), pieces.end(), [](const synth::BoxCopy& a, const synth::BoxCopy& b) {
    return std::tie(a.source, a.box) < std::tie(b.source, b.box);
  });
  return pieces;
}

}  // namespace

Received received_by(const synth::CopyWalk& walk, const synth::ArrayType& to) {
  Received received = nothing_received(to);
  for (std::int32_t device = 0; device < to.devices(); ++device)
    received.add(device, walk.received_elements(device) * synth::bytes_of(to.element()));
  return received;
}

CopyPlan plan_copies(const synth::CopyWalk& walk, const synth::ArrayType& to, const synth::Offset& offset) {
  CopyPlan plan{walk, {}, offset};
  if (walk.copies_at_most() > kFewCopies) return plan;
  for (std::int32_t device = 0; device < to.devices(); ++device)
    walk.to(device, from_any, [&](const synth::BoxCopy& copy) { plan.few.push_back(copy); });
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
    const TileView part = part_in(sources[s], source_boxes[s], source_of_copy(c.box, plan.offset));
    copy_elements(part, target_part(targets[t], target_boxes[t], target_of_copy(c.box, plan.offset)), writing);
  };
  const auto all = [&](const std::vector<synth::BoxCopy>& copies) {
    const auto n = static_cast<std::int64_t>(copies.size());
    parallel_ranges(n, copies_grain(n, elements), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) copy(copies[static_cast<std::size_t>(i)]);
    });
  };
  if (plan.few.empty()) {
    const auto devices = static_cast<std::int64_t>(targets.size());
    return parallel_ranges(devices, copies_grain(devices, elements), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t device = begin; device < end; ++device)
        plan.walk.to(static_cast<std::int32_t>(device), from_any, copy);
    });
  }
  const bool are_large = elements / std::ssize(plan.few) > kPieceElements;
  if (writing == Writing::past_caches && are_large)
    all(by_source(plan.few));
  else
    all(plan.few);
}

ReductionPlan plan_reductions(const synth::Collective& step, const synth::ArrayType& from, const synth::ArrayType& to) {
  ReductionPlan plan{{}, {}, nothing_received(to)};
  using Key = std::pair<std::int32_t, synth::Box>;  // the first contributor, which no other group has
  std::map<Key, std::int32_t> done;
  for (synth::BoxReduction& reduction : synth::reductions(from, to)) {
    const synth::DirectReduction direct(synth::kind_of(step), std::ssize(*reduction.contributors));
    const auto position = static_cast<std::int64_t>(reduction.position);
    plan.received.add(reduction.target,
                      direct.received(synth::elements(reduction.box), position) * synth::bytes_of(to.element()));
    const auto [entry, first] = done.emplace(Key{reduction.contributors->front(), reduction.box}, reduction.target);
    if (first)
      plan.reductions.push_back(std::move(reduction));
    else
      plan.repeats.emplace_back(entry->second, reduction.target);
  }
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
    for (const std::int32_t device : *reduction.contributors) {
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
