// The executor: one switch over the steps of a verified program. All devices of this rank (without a team, all devices)
// take a step before any takes the next; the work of a step is spread over the cores, and nothing ever waits inside a
// task.
//
// Example: on two devices `iota(f32[4@x])` makes two elements on each. `all_gather` to f32[4] then copies what each has
// and what it lacks: 8 bytes come to each, 16 are counted, and a device has held at most 8 + 16 bytes at once.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execute/costs.hpp"
#include "runtime/execute/host_copies.hpp"
#include "runtime/execute/stopping.hpp"
#include "runtime/execute/throttle.hpp"
#include "runtime/execute/trace.hpp"
#include "runtime/execute/world.hpp"
#include "runtime/memory/payload.hpp"
#include "runtime/transfers/borders.hpp"
#include "runtime/transfers/copies.hpp"
#include "runtime/transfers/moves.hpp"
#include "runtime/transfers/slots.hpp"
#include "runtime/transfers/storage.hpp"
#include "synth/moves/collective/carries.hpp"

namespace tessera::synth {
class ProgrammedReduction;
}

namespace tessera::runtime {

// The most that a step needs of a place of the engine beside its arrays, and what the step is of.
struct NeededRoom {
  Room room;
  std::uint32_t origin = 0;
};

class Executor {
 public:
  Executor(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, Team& team, Parts parts,
           const std::vector<Value>& inputs, const World& world, Engine& engine);

  // Of every place; nothing where the run is to stop. No step is taken.
  std::vector<NeededRoom> needed_room();
  base::Status run();
  // Called on all ranks, after their agreement on how the run went: ends the trace.
  base::Status end_trace() { return tracer_ == nullptr ? base::Status(base::Done{}) : tracer_->gather(); }
  const Storage& storage() const { return storage_; }
  // Called on all ranks, after a run that went well: adds up what each has counted of its own devices alone.
  base::Status add_up_counts() { return costs_.add_up(team_); }
  std::vector<OriginStatistics> take_statistics() { return costs_.take(); }
  // Payload alive on a device, the largest seen.
  std::int64_t peak_bytes() const { return peak_bytes_; }
  // The steps that were taken on copies in host memory, by their words.
  const std::map<std::string, std::int64_t>& host_steps() const { return host_steps_; }
  // The clock of a run that is throttled, else 0.
  double clock_seconds() const { return throttle_ ? throttle_->clock() : 0; }

 private:
  base::Status run_body(const synth::Body& body, const BodyPlan& plan);
  bool may_be_long(const synth::Step& step) const;
  // A step, or the chain that begins with it.
  base::Status take(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status take_throttled(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status take_traced(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status run_node(const synth::Step& step, const StepPlan& plan, const synth::Apply& apply);
  base::Status run_node(const synth::Step& step, const StepPlan& plan, const synth::Repeat& repeat);
  base::Status run_node(const synth::Step& step, const StepPlan& plan, const synth::Choose& choose);
  base::Status run_node(const synth::Step& step, const StepPlan& plan, const synth::Pipeline& pipeline);
  base::Result<Costs::Moment> moment();
  base::Status settle_times();
  base::Status take_watched(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status take_edges(std::span<const synth::Step> chain);
  base::Status fetch_through_frame(const synth::Apply& apply, const StepPlan& plan, synth::LiteralId literal);
  base::Status take_by_sections(std::span<const synth::Step> steps, std::size_t lead);
  bool has_edges(const synth::Apply& apply) const {
    return !apply.results.empty() && plan_[apply.results[0]].edges != nullptr && !storage_.is_part(apply.results[0]);
  }
  // A step whose result is a part of another array, and that has nothing to do but to say where a window begins that
  // moves.
  bool is_view(const synth::Apply& apply) const {
    return plan_[apply.results[0]].where != RegisterPlan::Where::arena && !has_edges(apply);
  }
  base::Status begin_window(const synth::Apply& apply);
  base::Status run_chain_of(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status take_chain(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status run_operation_of(const synth::Apply& apply, const StepPlan& plan);
  base::Status take_local(const synth::Apply& apply, const StepPlan& plan);
  base::Status take_chains(std::span<const ChainStep> chains);
  base::Status collect_boxes(const synth::Apply& apply, const synth::Collective& step, const StepPlan& plan);
  // What looks into the tiles of these steps: where the engine is not the host, into copies of them.
  using Applies = std::span<const synth::Apply* const>;
  template <class F>
  base::Status on_host(Applies applies, const StepPlan& plan, const F& f) {
    return storage_.engine().is_host() ? f() : on_copies(applies, plan, f);
  }
  template <class F>
  base::Status on_host(const synth::Apply& apply, const StepPlan& plan, const F& f) {
    return on_host(std::array{&apply}, plan, f);
  }
  // room.cpp
  void count_room(const synth::Body& body, const BodyPlan& plan);
  void count_room(const synth::Apply& apply, const StepPlan& plan);
  base::Status note_room(const LocalStep& step);
  base::Status note_room(std::span<const ChainStep> chains);

  // far_steps.cpp
  base::Status on_copies(Applies applies, const StepPlan& plan, const std::function<base::Status()>& f);
  base::Status take_far(const LocalStep& step, const StepPlan& plan);
  base::Status move_far(const LocalStep& step);
  base::Result<bool> keep_constant(synth::RegisterId result, const synth::Literal& literal);
  base::Status write_constant(const synth::Apply& apply, const synth::Constant& constant);

  base::Status make_constant(const synth::Apply& apply, const synth::Constant& constant, const StepPlan& plan);
  base::Status lay(const synth::Apply& apply, const synth::Lay& lay, const StepPlan& plan);
  base::Status load(const synth::Apply& apply, const synth::Load& load);

  // control.cpp
  struct Carried {
    std::int64_t parameter_offset = 0;
    std::int64_t result_offset = 0;
    bool direct = false;  // the body writes the next value where it is wanted
  };
  base::Status take_branch(const StepPlan& plan, const synth::Choose& choose, bool then);
  base::Result<std::vector<Carried>> begin_loop(const synth::Repeat& repeat, std::int64_t turns);
  base::Result<bool> goes_on(const synth::Repeat& repeat, const std::vector<synth::RegisterId>& values);
  base::Status bring_to_results(const synth::Repeat& repeat, const std::vector<Carried>& carried);
  base::Status begin_turn(const synth::Repeat& repeat, const std::vector<Carried>& carried, std::int64_t turn,
                          std::int64_t turns);
  base::Status end_turn(const synth::Repeat& repeat, const std::vector<Carried>& carried, std::int64_t turn,
                        std::int64_t turns);
  base::Status copy_to(synth::RegisterId from, synth::RegisterId type_of, std::int64_t offset);
  base::Status lay_around_part(const BegunResult& begun);
  base::Status write_index(synth::RegisterId index, std::int64_t turn);
  void note_known(const synth::Step& step);

  // pipeline.cpp
  base::Status take_visits(const synth::Pipeline& pipeline, const StepPlan& plan,
                           const std::vector<std::uint32_t>& order);
  base::Status take_visit(const synth::Pipeline& pipeline, const StepPlan& plan, std::uint32_t visit,
                          std::int64_t microbatch);
  void enter(std::int64_t visit, std::int64_t microbatch);
  base::Status begin_visit(const synth::Pipeline& pipeline, const StepPlan& plan, std::uint32_t visit,
                           std::int64_t microbatch);

  base::Status take_all(const synth::Pipeline& pipeline, const StepPlan& plan, const std::vector<std::uint32_t>& order);
  // On ranks.
  bool is_border(synth::RegisterId from, synth::RegisterId to) const;
  std::vector<Borders::Crossing> crossings(const synth::Pipeline& pipeline,
                                           const std::vector<std::uint32_t>& order) const;
  base::Status send_over_border(synth::RegisterId from, synth::RegisterId to);
  void remember(synth::RegisterId id, std::int64_t microbatch);
  void recall(synth::RegisterId id, std::int64_t microbatch);

  // communication.cpp
  struct Copies {
    synth::Offset offset;
    Received received;
    std::variant<CopyPlan, CopySchedule> how;  // alone, or of a team
  };
  struct Reductions {
    ReductionPlan plan;
    ReductionSchedule schedule;  // of a team
  };
  base::Status collect(const synth::Apply& apply, const synth::Collect& collect, const StepPlan& plan);
  base::Status assemble(const synth::Apply& apply, const synth::Assemble& assemble, const StepPlan& plan);
  base::Status assemble_parts(const synth::Apply& apply, const synth::Assemble& assemble,
                              std::span<const synth::Offset> offsets);
  template <class Along>  // a Scan or a Recur
  base::Status run_along(const synth::Apply& apply, const Along& along, const StepPlan& plan);
  template <class Along>
  base::Status run_over_tiles(const synth::Apply& apply, const Along& along, const std::vector<synth::CarryHop>& hops,
                              const StepPlan& plan);
  base::Status run_sort(const synth::Apply& apply, const synth::Sort& sort, const StepPlan& plan);
  base::Status sort_over_tiles(const synth::Apply& apply, const synth::Sort& sort, std::int64_t beside);
  base::Status run_take(const synth::Apply& apply, const StepPlan& plan);
  base::Status take_rows(const synth::Apply& apply);
  base::Status run_scatter_add(const synth::Apply& apply, const StepPlan& plan);
  base::Status add_delivered_rows(const synth::Apply& apply);
  base::Status add_delivered_elements(const synth::Apply& apply);
  base::Status keep(synth::RegisterId from, synth::RegisterId to, const synth::Keep& step);
  base::Result<synth::Shape> starts_of(const synth::Apply& apply, const synth::Lay& lay) const;
  base::Result<synth::Offset> part_offset(const synth::Apply& apply, const synth::Part& part) const;
  base::Status copy_whole(synth::RegisterId from, synth::RegisterId to);
  base::Status copy_boxes(synth::RegisterId from, synth::RegisterId to, std::size_t part, const synth::Offset& offset);
  base::Result<bool> copy_little(synth::RegisterId from, synth::RegisterId to, const synth::Offset& offset);
  bool list_little(synth::RegisterId from, synth::RegisterId to, const synth::Offset& offset);
  void list_others(std::size_t device, const std::vector<synth::Box>& sources, const synth::Box& wanted);
  base::Status relay_together(std::span<const synth::Step> steps, const StepPlan& plan);
  base::Status relay_boxes(const synth::RelayRecipe& recipe, synth::RegisterId from, synth::RegisterId to);
  base::Status send_as_listed(const synth::ListedSends& listed, synth::RegisterId from, synth::RegisterId to);
  base::Status reduce_by_program(const synth::Collective& step, synth::RegisterId from, synth::RegisterId to,
                                 const StepPlan& plan);
  base::Status reduce_boxes(const synth::Collective& step, synth::RegisterId from, synth::RegisterId to);
  const Copies& cached_copies(synth::RegisterId from, synth::RegisterId to, std::size_t part,
                              const synth::Offset& offset);
  void forget_plans();
  void count_received(const Received& received) {
    received_bytes_ += received.bytes;
    if (tracer_ != nullptr) tracer_->count(received);
  }
  DeviceTimes* device_times() {
    if (tracer_ != nullptr) return tracer_->times();
    return throttle_ ? throttle_->times() : nullptr;
  }

  void tell_progress(const synth::Body& body, std::size_t step);
  // Before these steps: may the run go on?
  base::Status may_take(std::span<const synth::Step> steps);

  const synth::Program& program_;
  const MemoryPlan& plan_;
  const World& world_;
  Engine& engine_;
  Team& team_;
  Storage storage_;
  HostCopies host_copies_;
  std::vector<NeededRoom>* needed_room_ = nullptr;  // there: steps are asked what they need, and not taken
  std::vector<bool> placed_;  // which registers are more than read (far_steps.cpp); empty: not known yet
  Payload payload_;
  const BeginWatch* begin_watch_ = nullptr;
  bool is_watched_ = false;
  std::unique_ptr<Tracer> tracer_;  // none: nobody wants to know
  std::optional<Throttle> throttle_;
  std::int64_t peak_bytes_ = 0;
  std::map<std::string, std::int64_t> host_steps_;
  std::int64_t received_bytes_ = 0;  // by the present step
  bool counts_apart_ = false;        // every rank counts what its own devices receive in the present step
  Progress progress_;
  std::int64_t steps_taken_ = 0;
  std::uint32_t origin_ = 0;       // of the present step
  std::int64_t output_bytes_ = 0;  // that were written
  Costs costs_;
  bool is_marked_ = false;      // times are those of the engine, which works later
  int loops_ = 0;               // that run
  Borders* borders_ = nullptr;  // of the pipeline that runs on ranks
  bool in_pipeline_ = false;
  std::int64_t microbatch_ = -1;  // of the visit that is taken
  std::int64_t visit_ = -1;
  // The scalars, microbatch by microbatch, that ranks without devices of their mesh know.
  std::map<std::pair<synth::RegisterId, std::int64_t>, std::array<std::byte, 8>> known_scalars_;
  // By their first step: what the engine keeps of chains in loops.
  std::unordered_map<const synth::Step*, std::unique_ptr<KeptChain>> chains_;
  struct SectionedChain;
  std::unordered_map<const synth::Step*, std::shared_ptr<SectionedChain>> sectioned_;
  // The copies of a small part, each of a box of the source from one device's tile to another's. The room is kept.
  struct LittleCopy {
    std::size_t source = 0;
    std::size_t target = 0;
    synth::Box box;
  };
  std::vector<LittleCopy> little_;
  // By result and number of the part: steps of loops run often, and are planned once.
  std::map<std::pair<synth::RegisterId, std::size_t>, Copies> copies_;
  struct Slots {
    Received received;
    std::shared_ptr<const SlotSchedule> schedule;                 // of a team
    std::shared_ptr<const synth::ProgrammedReduction> reduction;  // alone
  };
  std::map<synth::RegisterId, Slots> slots_;  // relays, and reductions by programs
  std::map<synth::RegisterId, Reductions> reductions_;
};

}  // namespace tessera::runtime
