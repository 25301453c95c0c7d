#include "runtime/transfers/moves.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/memory/window_edges.hpp"
#include "synth/moves/collective/direct_reduction.hpp"

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

bool is_in_place(const synth::BoxCopy& copy, const synth::Offset& offset, const CopyEdges& edges) {
  const auto is_inside = [](const WindowEdges* of, std::int32_t device, const synth::Box& box) {
    return of != nullptr && of->is_inside(static_cast<std::size_t>(device), box);
  };
  return is_inside(edges.target, copy.target, target_of_copy(copy.box, offset).box) ||
         is_inside(edges.source, copy.source, source_of_copy(copy.box, offset).box);
}

CopyEdges edges_between(const Storage& storage, synth::RegisterId from, synth::RegisterId to) {
  return {storage.is_part(from) ? storage.edges(from) : nullptr, storage.edges(to)};
}

Received received_by(const synth::CopyWalk& walk, const synth::ArrayType& to) {
  Received received = nothing_received(to);
  for (std::int32_t device = 0; device < to.devices(); ++device)
    received.add(device, walk.received_elements(device) * synth::bytes_of(to.element()));
  return received;
}

CopyPlan plan_copies(const synth::CopyWalk& walk, const synth::ArrayType& to, const synth::Offset& offset,
                     const CopyEdges& edges) {
  CopyPlan plan{walk, {}, offset};
  if (walk.copies_at_most() > kFewCopies) return plan;
  for (std::int32_t device = 0; device < to.devices(); ++device)
    walk.to(device, from_any, [&](const synth::BoxCopy& copy) {
      if (!is_in_place(copy, offset, edges)) plan.few.push_back(copy);
    });
  return plan;
}

namespace {

// The copies of a register's tiles to another's.
class BoxCopies {
 public:
  BoxCopies(const CopyPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to)
      : plan_(plan),
        storage_(storage),
        to_(to),
        edges_(edges_between(storage, from, to)),
        engine_(storage.engine()),
        sources_(storage.views(from)),
        source_boxes_(storage.boxes(from)),
        target_boxes_(storage.tiles(to).boxes) {
    for (std::size_t device = 0; device < target_boxes_.size(); ++device) {
      targets_.push_back(storage.out(to, device));
      elements_ += count(targets_.back().shape);
    }
    writing_ = writing_of(elements_ * synth::bytes_of(storage.type(to).element()));
    if (!engine_.is_host()) write_key(from, to);
  }

  base::Status run() {
    if (plan_.few.empty()) return copy_many();
    const bool are_large = elements_ / std::ssize(plan_.few) > kPieceElements;
    if (engine_.is_host() && writing_ == Writing::past_caches && are_large) return copy(by_source(plan_.few));
    return copy(plan_.few);
  }

 private:
  base::Status copy(const std::vector<synth::BoxCopy>& copies) const {
    const std::int64_t n = std::ssize(copies);
    const auto move = [&](std::int64_t i) { return move_of(copies[static_cast<std::size_t>(i)]); };
    return engine_.copy({n, move}, {copies_grain(n, elements_), writing_, key_});
  }

  // The plan follows from both registers and the offset; where their tiles lie may change from turn to turn.
  void write_key(synth::RegisterId from, synth::RegisterId to) {
    constexpr std::uint64_t kCopies = 1;
    key_ = {kCopies, 0, from.value, to.value};
    for (const synth::Shift& shift : plan_.offset) {
      for (const std::int64_t part : {shift.offset, shift.step, shift.add, shift.spread})
        key_.push_back(static_cast<std::uint64_t>(part));
    }
    for (const TileView& source : sources_) {
      key_.push_back(reinterpret_cast<std::uintptr_t>(source.data));
      for (const std::int64_t stride : source.strides) key_.push_back(static_cast<std::uint64_t>(stride));
    }
    for (const TileOut& target : targets_) key_.push_back(reinterpret_cast<std::uintptr_t>(target.data));
  }

  // So many copies that they are never held all at once.
  base::Status copy_many() {
    const std::int64_t devices = std::ssize(targets_);
    const std::int64_t all = std::max<std::int64_t>(1, plan_.walk.copies_at_most());
    const std::int64_t some = std::max<std::int64_t>(1, kFewCopies * devices / all);
    for (std::int64_t begin = 0; begin < devices; begin += some)
      TESSERA_TRY_STATUS(copy_to_targets(begin, std::min(devices, begin + some)));
    return base::Done{};
  }
  base::Status copy_to_targets(std::int64_t begin, std::int64_t end) {
    std::vector<std::vector<synth::BoxCopy>> to(static_cast<std::size_t>(end - begin));
    parallel_each(end - begin, [&](std::int64_t i) {
      plan_.walk.to(static_cast<std::int32_t>(begin + i), from_any, [&](const synth::BoxCopy& copy) {
        if (!is_in_place(copy, plan_.offset, edges_)) to[static_cast<std::size_t>(i)].push_back(copy);
      });
    });
    std::vector<std::int64_t> ends;
    for (const auto& copies : to) ends.push_back((ends.empty() ? 0 : ends.back()) + std::ssize(copies));
    const auto move = [&](std::int64_t i) {
      const auto own = std::upper_bound(ends.begin(), ends.end(), i) - ends.begin();
      const std::vector<synth::BoxCopy>& copies = to[static_cast<std::size_t>(own)];
      return move_of(copies[static_cast<std::size_t>(i - ends[static_cast<std::size_t>(own)]) + copies.size()]);
    };
    const std::int64_t elements = elements_ / std::ssize(targets_) * (end - begin);
    if (!key_.empty()) key_[1] = static_cast<std::uint64_t>(begin);
    return engine_.copy({ends.back(), move}, {copies_grain(ends.back(), elements), writing_, key_});
  }

  BoxMove move_of(const synth::BoxCopy& copy) const {
    const auto s = static_cast<std::size_t>(copy.source);
    const auto t = static_cast<std::size_t>(copy.target);
    const TileView source = part_in(sources_[s], source_boxes_[s], source_of_copy(copy.box, plan_.offset));
    const SteppedBox there = target_of_copy(copy.box, plan_.offset);
    if (edges_.target != nullptr) return {source, storage_.target(to_, t, there)};
    return {source, target_part(targets_[t], target_boxes_[t], there)};
  }

  const CopyPlan& plan_;
  const Storage& storage_;
  synth::RegisterId to_;
  CopyEdges edges_;
  Engine& engine_;
  std::vector<TileView> sources_;
  std::vector<TileOut> targets_;
  const std::vector<synth::Box>& source_boxes_;
  const std::vector<synth::Box>& target_boxes_;
  std::int64_t elements_ = 0;
  Writing writing_ = Writing::through_caches;
  std::vector<std::uint64_t> key_;  // for engines that keep what they made of a list
};

}  // namespace

base::Status run_copies(const CopyPlan& plan, const Storage& storage, synth::RegisterId from, synth::RegisterId to) {
  return BoxCopies(plan, storage, from, to).run();
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

base::Status run_reductions(const ReductionPlan& plan, const Storage& storage, synth::RegisterId from,
                            synth::RegisterId to) {
  const std::vector<TileView> sources = storage.views(from);
  const std::vector<synth::Box>& source_boxes = storage.tiles(from).boxes;
  const auto sum = [&](std::int64_t i) -> BoxSum {
    const synth::BoxReduction& reduction = plan.reductions[static_cast<std::size_t>(i)];
    const auto t = static_cast<std::size_t>(reduction.target);
    BoxSum made{{}, target_part(storage.out(to, t), storage.tiles(to).boxes[t], reduction.box)};
    for (const std::int32_t device : *reduction.contributors) {
      const auto c = static_cast<std::size_t>(device);
      const synth::Shape begin = begin_in(reduction.box, source_boxes[c]);
      made.parts.push_back(part_of(sources[c], begin, synth::shape_of(reduction.box)));
    }
    return made;
  };
  const auto repeat = [&](std::int64_t i) -> BoxMove {
    const auto [has, wants] = plan.repeats[static_cast<std::size_t>(i)];
    const TileOut out = storage.out(to, static_cast<std::size_t>(wants));
    return {storage.view(to, static_cast<std::size_t>(has)), {dense_strides(out.shape), out.data}};
  };
  const synth::ReduceOp op = storage.type(from).layout().reduce();
  TESSERA_TRY_STATUS(storage.engine().combine(op, {std::ssize(plan.reductions), sum}));
  return storage.engine().copy({std::ssize(plan.repeats), repeat});
}

}  // namespace tessera::runtime
