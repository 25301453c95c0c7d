#include "runtime/transfers/copies.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/memory/commit.hpp"
#include "synth/moves/collective/shared_boxes.hpp"

namespace tessera::runtime {

namespace {

// The devices of a node that want the same far parcel, in ascending order, and where in the target array.
struct FarRequest {
  SteppedBox where;
  std::vector<std::int32_t> targets;
};

// Where the devices of an array on this mesh are.
synth::Seats seats_of(const Team& team, const DeviceRanks& ranks, const synth::MeshRef& mesh) {
  return [&team, &ranks, mesh](std::int32_t device) {
    const int rank = ranks.owner(*mesh, device);
    return synth::Seat{rank, team.node(rank)};
  };
}

class CopyScheduler {
 public:
  // From an array on this mesh to one of this type. What is no array of its own cannot be read by others.
  CopyScheduler(const Team& team, const DeviceRanks& ranks, const synth::MeshRef& from, const synth::ArrayType& to,
                bool may_be_read = true)
      : team_(team),
        ranks_(ranks),
        from_(from),
        to_(to.mesh_ref()),
        reads_(team, ranks, from),
        repeat_reads_(team, ranks, to_),
        may_be_read_(may_be_read) {
    // Ranks of other nodes are taken to repeat boxes: it is not examined.
    if (may_be_read && synth::copies(to) > 1 && team.has_far_ranks()) repeat_reads_.note_reads();
  }

  // True if this rank sends, receives or relays the copy. Copies of other ranks are only counted.
  bool concerns(std::size_t source, std::size_t target) {
    const int from = holder(source);
    const int reader = owner(target);
    if (from != reader) reads_.note_reads();
    if (from == team_.rank() || reader == team_.rank()) return true;
    // Any rank of this node may get what comes to it from elsewhere.
    const int node = team_.node(team_.rank());
    return team_.node(reader) == node && team_.node(from) != node;
  }

  // A copy that concerns this rank.
  void add(const TileBox& source, std::size_t target, const SteppedBox& where) {
    const int reader = owner(target);
    const int node = team_.node(reader);
    if (!may_be_read_ || team_.node(holder(source.device)) == node) return read(reader, source, target, where);
    FarRequest& wish = far_[{node, source}];
    wish.where = where;
    wish.targets.push_back(static_cast<std::int32_t>(target));
  }

  CopySchedule take() {
    take_far();
    schedule_.reads = reads_.take();
    schedule_.repeat_reads = repeat_reads_.take();
    return std::move(schedule_);
  }

 private:
  // The rank of a device of the source, and of the target.
  int holder(std::size_t device) const { return ranks_.owner(*from_, static_cast<std::int64_t>(device)); }
  int owner(std::size_t device) const { return ranks_.owner(*to_, static_cast<std::int64_t>(device)); }
  void read(int reader, const TileBox& source, std::size_t target, const SteppedBox& where) {
    reads_.read(reader, source);
    if (reader == team_.rank()) schedule_.copies.push_back({source, target, where});
  }

  void take_far() {
    std::vector<synth::FarBox> boxes;
    for (const auto& [key, wish] : far_) {
      const int sender = holder(key.second.device);
      boxes.push_back({key.first, sender, team_.place(sender), wish.targets});
    }
    const std::vector<std::int32_t> receivers = synth::receivers(boxes, seats_of(team_, ranks_, to_));
    std::size_t k = 0;
    for (const auto& [key, wish] : far_) pass_on(key.second, wish, static_cast<std::size_t>(receivers[k++]));
    far_.clear();
  }

  // The receiver's rank reads the far box, and the others read it there.
  void pass_on(const TileBox& source, const FarRequest& wish, std::size_t receiver) {
    const TileBox there{receiver, wish.where.box, wish.where.steps};
    for (const std::int32_t number : wish.targets) {
      const auto target = static_cast<std::size_t>(number);
      const int reader = owner(target);
      if (reader == owner(receiver)) {
        read(reader, source, target, wish.where);
        continue;
      }
      repeat_reads_.read(reader, there);
      if (reader == team_.rank()) schedule_.repeats.push_back({there, target, wish.where});
    }
  }

  const Team& team_;
  const DeviceRanks& ranks_;
  synth::MeshRef from_, to_;
  ReadPlanner reads_, repeat_reads_;
  bool may_be_read_;
  std::map<std::pair<int, TileBox>, FarRequest> far_;  // by node
  CopySchedule schedule_;
};

// Copies so many that their cutting pays, between two looks at the messages; and while messages are under way, which
// wait for these looks.
constexpr std::int64_t kBatchElements = std::int64_t{4} << 20U;
constexpr std::int64_t kBatchElementsAmidMessages = std::int64_t{1} << 18U;
constexpr std::int64_t kCommitBytes = std::int64_t{1} << 20U;

TileTarget target_of(const CopySchedule::Copy& copy, const Storage& storage, synth::RegisterId to) {
  return storage.target(to, copy.target, copy.where);
}

ReceiveTargets landings_of(const ReadPlan& reads, const std::vector<CopySchedule::Copy>& copies, const Storage& storage,
                           synth::RegisterId to) {
  std::set<TileBox> alone;
  for (const auto& [rank, parcels] : reads.incoming) {
    if (parcels.size() == 1) alone.insert(*parcels.begin());
  }
  ReceiveTargets landings;
  for (const CopySchedule::Copy& copy : copies) {
    if (!alone.contains(copy.source)) continue;
    const TileTarget target = target_of(copy, storage, to);
    if (is_dense(synth::shape_of(copy.where.box), target.strides)) landings.emplace(copy.source, target.data);
  }
  return landings;
}

// Piece `k` of `n` of a box, cut along its longest dimension.
SteppedBox piece(const SteppedBox& whole, std::int64_t k, std::int64_t n) {
  SteppedBox part = whole;
  const auto longer = [](const synth::Interval& a, const synth::Interval& b) { return a.length() < b.length(); };
  const auto longest = std::max_element(part.box.begin(), part.box.end(), longer);
  if (longest == part.box.end()) return part;  // a scalar; never cut
  const auto d = static_cast<std::size_t>(longest - part.box.begin());
  const synth::Interval part_of_it = synth::share(longest->length(), n, k);
  const std::int64_t begin = longest->begin + part_of_it.begin * (part.steps.empty() ? 1 : part.steps[d]);
  *longest = {begin, begin + part_of_it.length()};
  return part;
}

class CopyRun {
 public:
  CopyRun(const std::vector<CopySchedule::Copy>& copies, Reading& reading, const Storage& storage, synth::RegisterId to)
      : reading_(reading),
        storage_(storage),
        to_(to),
        batch_elements_(reading.has_messages() ? kBatchElementsAmidMessages : kBatchElements) {
    std::int64_t elements = 0;
    for (const CopySchedule::Copy& copy : copies) {
      if (reading.has_come(copy.source))
        add_near(copy);
      else
        to_come_.push_back(&copy);
      elements += synth::elements(copy.where.box);
    }
    // The ranks of a machine share its caches.
    const std::int64_t bytes = elements * synth::bytes_of(storage.type(to).element());
    writing_ = writing_of(bytes * storage.team().machine_count());
  }

  // Boxes that are there are taken while the rest is on its way. Meanwhile, memory is made ready for what these devices
  // get afterwards.
  base::Status run(const std::set<std::size_t>& targets_after) {
    TESSERA_TRY_STATUS(copy(there_));
    for (const std::size_t target : targets_after) TESSERA_TRY_STATUS(commit(storage_.out(to_, target)));
    TESSERA_TRY_STATUS(reading_.await());
    return copy(to_come_);
  }

 private:
  using Copies = std::vector<const CopySchedule::Copy*>;

  void add_near(const CopySchedule::Copy& copy) {
    const std::int64_t pieces = (synth::elements(copy.where.box) + batch_elements_ - 1) / batch_elements_;
    if (pieces <= 1 || !reading_.has_messages()) return there_.push_back(&copy);
    for (std::int64_t k = 0; k < pieces; ++k) {
      SteppedBox source = piece(copy.source.elements(), k, pieces);
      cut_.push_back({{copy.source.device, source.box, source.steps}, copy.target, piece(copy.where, k, pieces)});
      there_.push_back(&cut_.back());
    }
  }

  base::Status copy(const Copies& copies) {
    for (std::size_t begin = 0; begin < copies.size();) {
      std::size_t end = begin;
      std::int64_t elements = 0;
      while (end < copies.size() && elements < batch_elements_) elements += synth::elements(copies[end++]->where.box);
      copy_batch(std::span(copies).subspan(begin, end - begin), elements);
      TESSERA_TRY_STATUS(reading_.advance());
      begin = end;
    }
    return base::Done{};
  }

  base::Status commit(const TileOut& tile) {
    const std::int64_t bytes = count(tile.shape) * synth::bytes_of(tile.element);
    for (std::int64_t begin = 0; begin < bytes; begin += kCommitBytes) {
      commit_pages(tile.data + begin, std::min(kCommitBytes, bytes - begin));
      TESSERA_TRY_STATUS(reading_.advance());
    }
    return base::Done{};
  }

  void copy_batch(std::span<const CopySchedule::Copy* const> batch, std::int64_t elements) const {
    const auto n = static_cast<std::int64_t>(batch.size());
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain * n / std::max<std::int64_t>(1, elements));
    parallel_ranges(n, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const CopySchedule::Copy& copy = *batch[static_cast<std::size_t>(i)];
        const TileView source = reading_.box(copy.source);
        const TileTarget target = target_of(copy, storage_, to_);
        if (source.data != target.data) copy_elements(source, target, writing_);  // else it was received there
      }
    });
  }

  Reading& reading_;
  const Storage& storage_;
  synth::RegisterId to_;
  std::int64_t batch_elements_;
  std::deque<CopySchedule::Copy> cut_;
  Copies there_, to_come_;
  Writing writing_ = Writing::through_caches;
};

base::Status copy_phase(Team& team, const ReadPlan& reads, const std::vector<CopySchedule::Copy>& copies,
                        const Distributed& array, const Storage& storage, synth::RegisterId to,
                        const std::set<std::size_t>& targets_after = {}) {
  TESSERA_TRY(reading, Reading::begin(team, reads, array, landings_of(reads, copies, storage, to)));
  TESSERA_TRY_STATUS(CopyRun(copies, reading, storage, to).run(targets_after));
  return reading.end();
}

class ReductionScheduler {
 public:
  ReductionScheduler(const Team& team, const DeviceRanks& ranks, const synth::ArrayType& to)
      : team_(team),
        ranks_(ranks),
        to_(to),
        reads_(team, ranks, to.mesh_ref()),
        spread_(team, ranks, to.mesh_ref(), to) {}

  ReductionSchedule take(const synth::ArrayType& from) {
    for (const synth::SharedSum& sum : synth::shared_sums(from, to_, seats_of(team_, ranks_, to_.mesh_ref()))) add(sum);
    schedule_.reads = reads_.take();
    schedule_.spread = spread_.take();
    return std::move(schedule_);
  }

 private:
  void add(const synth::SharedSum& sum) {
    const int reader = ranks_.owner(to_.mesh(), sum.device);
    for (const std::int32_t source : *sum.contributors) reads_.read(reader, static_cast<std::size_t>(source), sum.part);
    if (reader == team_.rank()) schedule_.reductions.push_back({sum.device, sum.part, sum.contributors, 0});
    const auto device = static_cast<std::size_t>(sum.device);
    for (const std::int32_t number : *sum.wanted_by) {
      const auto target = static_cast<std::size_t>(number);
      if (target != device && spread_.concerns(device, target)) spread_.add({device, sum.part}, target, {sum.part});
    }
  }

  const Team& team_;
  const DeviceRanks& ranks_;
  const synth::ArrayType& to_;
  ReadPlanner reads_;
  CopyScheduler spread_;
  ReductionSchedule schedule_;
};

}  // namespace

CopySchedule schedule_copies(const Team& team, const DeviceRanks& ranks, const synth::CopyWalk& walk,
                             const synth::MeshRef& from, const synth::ArrayType& to, const synth::Offset& offset,
                             const CopyEdges& edges) {
  CopyScheduler scheduler(team, ranks, from, to, edges.target == nullptr);
  for (std::int32_t target = 0; target < to.devices(); ++target) {
    const auto concerns = [&](std::int32_t source) {
      return scheduler.concerns(static_cast<std::size_t>(source), static_cast<std::size_t>(target));
    };
    walk.to(target, concerns, [&](const synth::BoxCopy& copy) {
      if (is_in_place(copy, offset, edges)) return;
      const SteppedBox from_tile = source_of_copy(copy.box, offset);
      const TileBox source{static_cast<std::size_t>(copy.source), from_tile.box, from_tile.steps};
      scheduler.add(source, static_cast<std::size_t>(copy.target), target_of_copy(copy.box, offset));
    });
  }
  return scheduler.take();
}

base::Status run_copies(Team& team, const CopySchedule& schedule, const Storage& storage, synth::RegisterId from,
                        synth::RegisterId to) {
  std::set<std::size_t> repeated;
  for (const CopySchedule::Copy& copy : schedule.repeats) repeated.insert(copy.target);
  TESSERA_TRY_STATUS(copy_phase(team, schedule.reads, schedule.copies, storage.array(from), storage, to, repeated));
  if (schedule.repeat_reads.is_empty) return base::Done{};
  return copy_phase(team, schedule.repeat_reads, schedule.repeats, storage.array(to), storage, to);
}

ReductionSchedule schedule_reductions(const Team& team, const DeviceRanks& ranks, const synth::ArrayType& from,
                                      const synth::ArrayType& to) {
  return ReductionScheduler(team, ranks, to).take(from);
}

base::Status run_reductions(Team& team, const ReductionSchedule& schedule, const Storage& storage,
                            synth::RegisterId from, synth::RegisterId to) {
  const Distributed array = storage.array(from);
  TESSERA_TRY(reading, Reading::begin(team, schedule.reads, array));
  TESSERA_TRY_STATUS(reading.await());
  parallel_each(static_cast<std::int64_t>(schedule.reductions.size()), [&](std::int64_t i) {
    const synth::BoxReduction& reduction = schedule.reductions[static_cast<std::size_t>(i)];
    std::vector<TileView> parts;
    for (const std::int32_t device : *reduction.contributors)
      parts.push_back(reading.box({static_cast<std::size_t>(device), reduction.box}));
    const auto target = static_cast<std::size_t>(reduction.target);
    const synth::Box& tile = storage.tiles(to).boxes[target];
    combine_parts(array.type.layout().reduce(), parts, target_part(storage.out(to, target), tile, reduction.box));
  });
  TESSERA_TRY_STATUS(reading.end());
  return run_copies(team, schedule.spread, storage, to, to);
}

}  // namespace tessera::runtime
