// Collectives and assembling.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "base/wide.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/ranges.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/transfers/programs.hpp"
#include "runtime/transfers/relays.hpp"

namespace tessera::runtime {

base::Status Executor::collect(const synth::Apply& apply, const synth::Collect& collect, const StepPlan& plan) {
  const synth::RegisterId from = apply.operands[0];
  const synth::RegisterId to = apply.results[0];
  if (borders_ != nullptr && is_border(from, to)) return send_over_border(from, to);
  const synth::Collective& step = collect.collective;
  const auto* const keep = std::get_if<synth::Keep>(&step.effect);
  const bool is_listed = synth::listed_of(step) != nullptr && !team_.alone();
  if (keep != nullptr && !is_listed) return this->keep(from, to, *keep);
  if (team_.alone() && synth::program_of(step) == nullptr) return collect_boxes(apply, step, plan);
  return on_host(apply, plan, [&] { return collect_boxes(apply, step, plan); });
}

base::Status Executor::collect_boxes(const synth::Apply& apply, const synth::Collective& step, const StepPlan& plan) {
  const synth::RegisterId from = apply.operands[0];
  const synth::RegisterId to = apply.results[0];
  if (const synth::ListedSends* const listed = synth::listed_of(step); listed != nullptr && !team_.alone())
    return send_as_listed(*listed, from, to);
  switch (synth::movement(step)) {
    case synth::Movement::none:  // a slice is a view; nothing comes here
    case synth::Movement::copies:
      return synth::relay_of(step) != nullptr ? relay_boxes(*synth::relay_of(step), from, to) : copy_whole(from, to);
    case synth::Movement::sums:
      return synth::program_of(step) != nullptr ? reduce_by_program(step, from, to, plan)
                                                : reduce_boxes(step, from, to);
  }
  throw base::InternalError("an unknown collective");
}

base::Status Executor::copy_whole(synth::RegisterId from, synth::RegisterId to) {
  return copy_boxes(from, to, 0, synth::Offset(storage_.type(to).rank(), std::int64_t{0}));
}

// In one address space it does not matter who passes a box on: every device copies it from one that has it in the
// beginning.
base::Status Executor::relay_boxes(const synth::RelayRecipe& recipe, synth::RegisterId from, synth::RegisterId to) {
  if (team_.alone()) return copy_whole(from, to);
  auto known = slots_.find(to);
  if (known == slots_.end()) {
    forget_plans();
    const synth::ArrayType& to_type = storage_.type(to);
    const synth::CopyWalk walk(storage_.type(from), to_type);
    Slots made{received_by(walk, to_type),
               schedule_relay(team_, storage_.ranks(), recipe, storage_.type(from), to_type), nullptr};
    known = slots_.emplace(to, std::move(made)).first;
  }
  count_received(known->second.received);
  return run_slots(team_, std::array{SlotTask{known->second.schedule.get(), from, to}}, storage_);
}

base::Status Executor::send_as_listed(const synth::ListedSends& listed, synth::RegisterId from, synth::RegisterId to) {
  const synth::ArrayType& to_type = storage_.type(to);
  count_received(received_by(synth::CopyWalk(storage_.type(from), to_type), to_type));
  const auto schedule = schedule_sends(team_, storage_.ranks(), listed, storage_.type(from), to_type);
  return run_slots(team_, std::array{SlotTask{schedule.get(), from, to}}, storage_);
}

// Several relays at once, on ranks.
base::Status Executor::relay_together(std::span<const synth::Step> steps, const StepPlan& plan) {
  std::vector<std::unique_ptr<SlotSchedule>> schedules;
  std::vector<SlotTask> tasks;
  std::vector<const synth::Apply*> applies;
  OriginStatistics& statistics = costs_.of(steps[0].origin);
  TESSERA_TRY(begin, moment());
  received_bytes_ = 0;
  for (const synth::Step& step : steps) {
    const auto& apply = std::get<synth::Apply>(step.node);
    applies.push_back(&apply);
    const synth::Collective& collective = std::get<synth::Collect>(apply.operation).collective;
    const synth::ArrayType& from = storage_.type(apply.operands[0]);
    const synth::ArrayType& to = storage_.type(apply.results[0]);
    count_received(received_by(synth::CopyWalk(from, to), to));
    schedules.push_back(schedule_relay(team_, storage_.ranks(), *synth::relay_of(collective), from, to));
    tasks.push_back({schedules.back().get(), apply.operands[0], apply.results[0]});
    if (received_bytes_ > 0) ++statistics.steps;
  }
  TESSERA_TRY_STATUS(on_host(applies, plan, [&] { return run_slots(team_, tasks, storage_); }));
  TESSERA_TRY(end, moment());
  costs_.add_time(statistics, begin, end, true);
  statistics.received_bytes += received_bytes_;
  progress_.received_bytes += received_bytes_;
  return base::Done{};
}

base::Status Executor::reduce_by_program(const synth::Collective& step, synth::RegisterId from, synth::RegisterId to,
                                         const StepPlan& plan) {
  auto known = slots_.find(to);
  if (known == slots_.end()) {
    forget_plans();
    const synth::ArrayType& to_type = storage_.type(to);
    auto reduction = synth::ProgrammedReduction::of(step, storage_.type(from), to_type);
    TESSERA_CHECK(reduction.has_value(), "a reduction that was verified has a wrong program");
    Slots made{received_by(*reduction, to_type), nullptr, nullptr};
    if (team_.alone())
      made.reduction = std::make_shared<const synth::ProgrammedReduction>(std::move(*reduction));
    else
      made.schedule = schedule_program(team_, storage_.ranks(), std::move(*reduction), plan.beside_offset, to_type);
    known = slots_.emplace(to, std::move(made)).first;
  }
  count_received(known->second.received);
  if (!team_.alone()) return run_slots(team_, std::array{SlotTask{known->second.schedule.get(), from, to}}, storage_);
  run_program(*known->second.reduction, storage_, from, to);
  return base::Done{};
}

base::Status Executor::reduce_boxes(const synth::Collective& step, synth::RegisterId from, synth::RegisterId to) {
  auto known = reductions_.find(to);
  if (known == reductions_.end()) {
    forget_plans();
    Reductions made{plan_reductions(step, storage_.type(from), storage_.type(to)), {}};
    if (!team_.alone())
      made.schedule = schedule_reductions(team_, storage_.ranks(), storage_.type(from), storage_.type(to));
    known = reductions_.emplace(to, std::move(made)).first;
  }
  count_received(known->second.plan.received);
  if (!team_.alone()) return run_reductions(team_, known->second.schedule, storage_, from, to);
  return run_reductions(known->second.plan, storage_, from, to);
}

// Copies the boxes of the part of a result that has this number.
base::Status Executor::copy_boxes(synth::RegisterId from, synth::RegisterId to, std::size_t part,
                                  const synth::Offset& offset) {
  TESSERA_TRY(is_done, copy_little(from, to, offset));
  if (is_done) return base::Done{};
  const Copies& copies = cached_copies(from, to, part, offset);
  count_received(copies.received);
  if (!team_.alone()) return run_copies(team_, std::get<CopySchedule>(copies.how), storage_, from, to);
  return run_copies(std::get<CopyPlan>(copies.how), storage_, from, to);
}

namespace {

// The part of a target's box that the source has, in the source's positions, if target element r is source element
// r + offset; else nothing.
std::optional<synth::Box> wanted_of(const synth::Box& target, const synth::Shape& source, const synth::Offset& offset) {
  synth::Box box;
  for (std::size_t d = 0; d < target.size(); ++d) {
    const std::int64_t by = offset[d].offset;
    box.push_back({std::max(target[d].begin + by, std::int64_t{0}), std::min(target[d].end + by, source[d])});
    if (box[d].begin >= box[d].end) return std::nullopt;
  }
  return box;
}

std::optional<synth::Box> common_part(const synth::Box& a, const synth::Box& b) {
  synth::Box box;
  for (std::size_t d = 0; d < a.size(); ++d) {
    box.push_back({std::max(a[d].begin, b[d].begin), std::min(a[d].end, b[d].end)});
    if (box[d].begin >= box[d].end) return std::nullopt;
  }
  return box;
}

// A box of the source where it lies in the target.
synth::Box moved_back(const synth::Box& box, const synth::Offset& offset) {
  synth::Box moved;
  for (std::size_t d = 0; d < box.size(); ++d)
    moved.push_back({box[d].begin - offset[d].offset, box[d].end - offset[d].offset});
  return moved;
}

// True if every element has the next one beside it, and no sum of positions overflows.
bool is_plain(const synth::Shift& shift) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61U;
  return shift.step == 1 && shift.add == 0 && shift.spread == 1 && shift.offset > -kFar && shift.offset < kFar;
}

// So many devices at most look for what they want at each other's.
constexpr std::size_t kFewDevices = 16;

}  // namespace

// Copies a small part without a plan, if every device has the elements that it wants, or there are few devices. In a
// loop, parts begin elsewhere in each turn, and a plan would take longer than the copies.
base::Result<bool> Executor::copy_little(synth::RegisterId from, synth::RegisterId to, const synth::Offset& offset) {
  const TileMap& sources = storage_.tiles(from);
  const TileMap& targets = storage_.tiles(to);
  const std::int64_t bytes = std::min(sources.bytes_total, targets.bytes_total);
  const bool is_small = bytes <= kGrain && targets.boxes.size() <= kGrain;
  if (!is_small || tracer_ != nullptr || storage_.is_part(from) ||
      storage_.type(from).mesh_ref() != storage_.type(to).mesh_ref())
    return false;
  if (!std::all_of(offset.begin(), offset.end(), is_plain) || !list_little(from, to, offset)) return false;
  const auto move = [&](std::int64_t i) -> BoxMove {
    const LittleCopy& copy = little_[static_cast<std::size_t>(i)];
    const TileView source = storage_.view(from, copy.source);
    const synth::Box& around = sources.boxes[copy.source];
    return {part_of(source, begin_in(copy.box, around), synth::shape_of(copy.box)),
            storage_.target(to, copy.target, moved_back(copy.box, offset))};
  };
  const std::int64_t copies = std::ssize(little_);
  TESSERA_TRY_STATUS(storage_.engine().copy({copies, move}, {.grain = copies}));
  return true;
}

// False if some device would have to be told by a plan where its elements are.
bool Executor::list_little(synth::RegisterId from, synth::RegisterId to, const synth::Offset& offset) {
  little_.clear();
  const std::vector<synth::Box>& sources = storage_.tiles(from).boxes;
  const std::vector<synth::Box>& targets = storage_.tiles(to).boxes;
  const Block mine = storage_.block(to);
  const bool may_move = team_.alone() && targets.size() <= kFewDevices &&
                        storage_.type(from).layout().pending().empty() && storage_.type(to).layout().pending().empty();
  const bool has_edges = storage_.edges(to) != nullptr;  // what a device has itself is read there
  std::int64_t moved = 0;
  for (std::size_t device = 0; device < targets.size(); ++device) {
    const auto wanted = wanted_of(targets[device], storage_.type(from).shape(), offset);
    if (!wanted) continue;
    const auto own = common_part(*wanted, sources[device]);
    if (own && !has_edges && mine.holds(static_cast<std::int64_t>(device))) little_.push_back({device, device, *own});
    if (own == wanted) continue;
    if (!may_move) return false;
    moved += synth::elements(*wanted) - (own ? synth::elements(*own) : 0);
    list_others(device, sources, *wanted);
  }
  received_bytes_ += moved * synth::bytes_of(storage_.type(to).element());
  return true;
}

// What other devices have of a box. Tiles are the same box, or have nothing in common: the first of equals sends.
void Executor::list_others(std::size_t device, const std::vector<synth::Box>& sources, const synth::Box& wanted) {
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const auto is_there = [&](const synth::Box& box) { return box == sources[source]; };
    const auto before = sources.begin() + static_cast<std::ptrdiff_t>(source);
    if (is_there(sources[device]) || std::any_of(sources.begin(), before, is_there)) continue;
    if (const auto part = common_part(wanted, sources[source])) little_.push_back({source, device, *part});
  }
}

base::Status Executor::keep(synth::RegisterId from, synth::RegisterId to, const synth::Keep& step) {
  const auto keeps = [&](std::size_t device) {
    return step.from || synth::keeps_value(storage_.type(from), step.axes, static_cast<std::int64_t>(device));
  };
  const Block mine = storage_.block(to);
  const auto filled = [&](std::int64_t i) -> TileOut {
    const auto device = static_cast<std::size_t>(mine.begin + i);
    TileOut out = storage_.out(to, device);
    if (!step.from && keeps(device)) out.shape = {0};
    return out;
  };
  const auto move = [&](std::int64_t i) -> BoxMove {
    const auto device = static_cast<std::size_t>(mine.begin + i);
    const synth::Box& own = storage_.tiles(from).boxes[device];
    if (!keeps(device) || synth::empty(own)) return no_move(storage_.type(to).element());
    return {storage_.view(from, device), target_part(storage_.out(to, device), storage_.tiles(to).boxes[device], own)};
  };
  TESSERA_TRY_STATUS(storage_.engine().fill_identity(step.reduce, {mine.size(), filled}));
  return storage_.engine().copy({mine.size(), move},
                                {.grain = storage_.tiles(to).bytes_total <= kGrain ? mine.size() : 1});
}

// Plans outside of loops are used once, and between many devices they are large.
void Executor::forget_plans() {
  if (loops_ > 0) return;
  copies_.clear();
  slots_.clear();
  reductions_.clear();
}

const Executor::Copies& Executor::cached_copies(synth::RegisterId from, synth::RegisterId to, std::size_t part,
                                                const synth::Offset& offset) {
  const auto key = std::pair(to, part);
  auto known = copies_.find(key);
  if (known == copies_.end() || known->second.offset != offset) {
    const synth::ArrayType& to_type = storage_.type(to);
    forget_plans();
    const synth::CopyWalk walk(storage_.type(from), to_type, &offset);
    Copies made{offset, received_by(walk, to_type), CopySchedule{}};
    if (team_.alone())
      made.how = plan_copies(walk, to_type, offset, edges_between(storage_, from, to));
    else
      made.how = schedule_copies(team_, storage_.ranks(), walk, storage_.type(from).mesh_ref(), to_type, offset,
                                 edges_between(storage_, from, to));
    known = copies_.insert_or_assign(key, std::move(made)).first;
  }
  return known->second;
}

// A window that sees its source in a frame: its edges are the frame, but for what other devices have of the source.
base::Status Executor::fetch_through_frame(const synth::Apply& apply, const StepPlan& plan, synth::LiteralId literal) {
  const synth::RegisterId window = apply.results[0];
  const synth::RegisterId source = plan_[window].source;
  synth::Offset offset;
  for (const std::int64_t begin : plan_[window].begin) offset.push_back(synth::Shift{begin});
  const auto fetch = [&]() -> base::Status {
    const Block mine = storage_.block(window);
    const auto edges = [&](std::int64_t i) { return storage_.out(window, static_cast<std::size_t>(mine.begin + i)); };
    TESSERA_TRY_STATUS(storage_.engine().fill({mine.size(), edges}, program_.literals[literal].bytes));
    return copy_boxes(source, window, 0, offset);
  };
  if (team_.alone()) return fetch();
  synth::Apply reads = apply;
  reads.operands = {source};
  return on_host(reads, plan, fetch);
}

base::Status Executor::assemble(const synth::Apply& apply, const synth::Assemble& assemble, const StepPlan& plan) {
  if (const auto frame = storage_.frame(apply.results[0])) return fetch_through_frame(apply, plan, *frame);
  if (assemble.parts.size() == 1) {
    TESSERA_TRY(offset, part_offset(apply, assemble.parts[0]));
    const auto copy_one = [&] { return assemble_parts(apply, assemble, std::span(&offset, 1)); };
    return team_.alone() ? copy_one() : on_host(apply, plan, copy_one);
  }
  std::vector<synth::Offset> offsets;
  for (const synth::Part& part : assemble.parts) {
    TESSERA_TRY(offset, part_offset(apply, part));
    offsets.push_back(offset);
  }
  const auto copy = [&] { return assemble_parts(apply, assemble, offsets); };
  return team_.alone() ? copy() : on_host(apply, plan, copy);
}

base::Status Executor::assemble_parts(const synth::Apply& apply, const synth::Assemble& assemble,
                                      std::span<const synth::Offset> offsets) {
  const synth::RegisterId to = apply.results[0];
  const auto source = [&](std::size_t k) { return apply.operands[assemble.parts[k].operand]; };
  // Where it does not lie there already; the chain that made a part has seen to it before.
  if (assemble.has_base && !storage_.is_part(source(0)))
    TESSERA_TRY_STATUS(copy_to(apply.operands[0], to, storage_.offset(to)));
  for (std::size_t k = 0; k < assemble.parts.size(); ++k) {
    const synth::RegisterId from = source(k);
    if (storage_.is_part(from) && storage_.edges(from) == nullptr) continue;  // every device has what it wants
    TESSERA_TRY_STATUS(copy_boxes(from, to, k, offsets[k]));
  }
  return base::Done{};
}

base::Result<synth::Offset> Executor::part_offset(const synth::Apply& apply, const synth::Part& part) const {
  const synth::Shape& lengths = storage_.type(apply.operands[part.operand]).shape();
  const synth::Shape& extents = storage_.type(apply.results[0]).shape();
  synth::Offset offset;
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    const synth::Placement& placement = part.placements[d];
    synth::Placement known = placement;
    if (placement.scalar >= 0) {
      const synth::RegisterId id = apply.operands[static_cast<std::size_t>(placement.scalar)];
      TESSERA_TRY(given, storage_.scalar<std::int64_t>(id));
      const base::Wide scalar =
          given < 0 && placement.wraps ? static_cast<base::Wide>(given) + placement.wrap_extent : given;
      const base::Wide wide = placement.add + (placement.subtract ? -scalar : scalar);
      const bool inside = wide >= 0 && wide + lengths[d] <= extents[d];
      const bool covers = wide <= 0 && wide + lengths[d] >= extents[d];
      if (!inside && !covers && !placement.clips) return out_of_range(given, lengths[d], extents[d], d);
      known.add = static_cast<std::int64_t>(wide);
    }
    offset.push_back(synth::shift_of(known));
  }
  return offset;
}

}  // namespace tessera::runtime
