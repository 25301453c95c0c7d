#include "interop/write/phases.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "interop/kinds.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/collective/sends.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::interop {

namespace {

using synth::ArrayType;
using synth::Box;
using synth::BoxSend;
using synth::Collective;
using synth::Interval;

std::vector<Box> boxes_of(const ArrayType& type, std::int64_t devices) {
  std::vector<Box> boxes(static_cast<std::size_t>(devices), Box(type.rank(), Interval{0, 0}));
  for (std::int64_t number = 0; number < type.devices(); ++number)
    boxes[type.mesh().device_of_run(number).value] = synth::tile(type, number);
  return boxes;
}

BoxMove copy_of(const BoxSend& send, bool of_after) { return {send.target, send.box, {{send.source, of_after}}}; }

// All at once, or hop by hop and stretch by stretch: in stage t hop h moves stretch t - h.
std::vector<Stage> stages_of_copies(const std::vector<BoxSend>& sends, std::int64_t stretches) {
  std::int64_t hops = 1;
  std::set<std::pair<std::int32_t, Box>> came;
  for (const BoxSend& send : sends) hops = std::max(hops, std::int64_t{send.hop} + 1);
  if (sends.size() * static_cast<std::size_t>(stretches) > kEmittedPiecesMax) stretches = 1;
  std::vector<Stage> stages(static_cast<std::size_t>(hops + stretches - 1));
  for (std::int64_t hop = 0; hop < hops; ++hop) {
    std::vector<std::pair<std::int32_t, Box>> coming;
    for (const BoxSend& send : sends) {
      if (send.hop != hop || synth::empty(send.box)) continue;
      const bool of_after = hop > 0 && came.contains({send.source, send.box});
      coming.emplace_back(send.target, send.box);
      if (send.source == send.target) {
        stages[0].push_back(copy_of(send, false));
        continue;
      }
      for (std::int64_t s = 0; s < stretches; ++s) {
        const Interval stretch = synth::share(synth::elements(send.box), stretches, s);
        for (const Box& box : synth::boxes_of_stretch(send.box, stretch)) {
          stages[static_cast<std::size_t>(hop + s)].push_back({send.target, box, {{send.source, of_after}}});
        }
      }
    }
    came.insert(coming.begin(), coming.end());
  }
  return stages;
}

Phase copying(const synth::RunMachine& machine, const Collective& step, const ArrayType& before, const ArrayType& after,
              std::int64_t devices) {
  const synth::RelayRecipe* relay = synth::relay_of(step);
  const auto sends = synth::sends(machine, step, before, after);
  return {boxes_of(before, devices), boxes_of(after, devices), false,
          stages_of_copies(sends, relay == nullptr ? 1 : relay->stretches)};
}

// Of axes that the array does not use only the device at position 0 keeps the value.
Phase keeping(const synth::RunMachine& machine, const Collective& step, const synth::Keep& keep,
              const ArrayType& before, const ArrayType& after, std::int64_t devices) {
  Phase phase = copying(machine, step, before, after, devices);
  phase.fills = true;
  if (keep.from) return phase;
  for (Stage& stage : phase.stages) {
    std::erase_if(stage, [&](const BoxMove& move) {
      const auto number = before.mesh().number_of(synth::DeviceId{static_cast<std::uint32_t>(move.target)});
      return !synth::keeps_value(before, keep.axes, *number);
    });
  }
  return phase;
}

// To each device the parts of its stretch, in ascending order; then, in an all_reduce, the sums to the others.
std::vector<Stage> stages_of_direct_sum(const synth::RunMachine& machine, const Collective& step,
                                        const ArrayType& before, const ArrayType& after) {
  std::vector<Stage> stages(1);
  std::map<std::pair<std::int32_t, Box>, std::size_t> made;
  for (const BoxSend& send : synth::sends(machine, step, before, after)) {
    if (synth::empty(send.box)) continue;
    if (send.adds) {
      const auto [at, is_new] = made.try_emplace({send.target, send.box}, stages[0].size());
      if (is_new) stages[0].push_back({send.target, send.box, {}});
      stages[0][at->second].pieces.push_back({send.source, false});
    } else {
      if (stages.size() == 1) stages.emplace_back();
      stages[1].push_back(copy_of(send, true));
    }
  }
  return stages;
}

// As the runtime takes a program's hops: in a slot those that follow another come after it.
std::vector<Stage> stages_of_program(const synth::ProgrammedReduction& reduction, const ArrayType& before) {
  const synth::ReduceMoves& moves = reduction.moves();
  std::map<std::int64_t, Stage> stages;
  for (std::size_t hop = 0; hop < moves.hops.size(); ++hop) {
    const bool follows = hop > 0 && moves.hops[hop].slot == moves.hops[hop - 1].slot;
    const auto device = [&](std::size_t group, std::int32_t member) {
      return before.mesh().run_device(reduction.device(group, member));
    };
    const auto add = [&](std::size_t group, const synth::ReduceMove& move) {
      std::vector<Piece> pieces;
      for (const auto& from : move.from) pieces.push_back({device(group, from.member), !from.of_source});
      for (std::int64_t s = 0; s < moves.stretches; ++s) {
        Stage& stage = stages[(moves.hops[hop].slot + s) * 2 + (follows ? 1 : 0)];
        for (const std::int32_t chunk : move.chunks) {
          for (const Box& box : reduction.boxes(group, chunk, s)) {
            if (!synth::empty(box)) stage.push_back({device(group, move.to), box, pieces});
          }
        }
      }
    };
    reduction.for_each_move(hop, [](std::size_t, std::int32_t) { return true; }, add);
  }
  std::vector<Stage> result;
  for (auto& [slot, stage] : stages) result.push_back(std::move(stage));
  return result;
}

// Sums are made in arrays like the one before; of a reduce_scatter each device keeps its part of that.
std::vector<Phase> summing(const synth::RunMachine& machine, const Collective& step, const ArrayType& before,
                           const ArrayType& after, std::int64_t devices) {
  const auto programmed = synth::ProgrammedReduction::of(step, before, after);
  Phase sum{boxes_of(before, devices), boxes_of(before, devices), false, {}};
  sum.stages = programmed ? stages_of_program(*programmed, before) : stages_of_direct_sum(machine, step, before, after);
  const bool scatters = synth::kind_of(step) == synth::CollectiveKind::reduce_scatter;
  if (!scatters) return {sum};
  if (!programmed) {
    sum.after = boxes_of(after, devices);
    return {sum};
  }
  Phase crop{sum.after, boxes_of(after, devices), false, std::vector<Stage>(1)};
  for (std::int32_t device = 0; device < devices; ++device) {
    const Box& box = crop.after[static_cast<std::size_t>(device)];
    if (!synth::empty(box)) crop.stages[0].push_back({device, box, {{device, false}}});
  }
  return {sum, crop};
}

}  // namespace

std::size_t pieces_in(const std::vector<Phase>& phases) {
  std::size_t count = 0;
  for (const Phase& phase : phases) {
    for (const Stage& stage : phase.stages) {
      for (const BoxMove& move : stage) count += move.pieces.size();
    }
  }
  return count;
}

std::vector<Phase> phases_of(const synth::RunMachine& machine, const Collective& step, const ArrayType& before,
                             const ArrayType& after, std::int64_t devices) {
  if (const auto* keep = std::get_if<synth::Keep>(&step.effect))
    return {keeping(machine, step, *keep, before, after, devices)};
  if (synth::movement(step) == synth::Movement::sums) return summing(machine, step, before, after, devices);
  return {copying(machine, step, before, after, devices)};
}

base::Result<std::vector<Phase>> phases_of(const synth::Plan& plan, const synth::Machine& given) {
  const std::int64_t devices = std::max(plan.from.mesh().devices_end(), plan.to.mesh().devices_end());
  const auto too_many = [&](std::string_view what) {
    return base::make(Kind::emit_unsupported, "the plan", "any target", what)
        .suggest("tessera plan --sends --json lists them as data");
  };
  if (devices > kEmittedDevicesMax)
    return too_many("more than 1,024 devices have too many sends to be written as a program");
  TESSERA_TRY(machine, synth::machine_for(given, synth::run_devices(plan.from, plan.to)));
  std::vector<Phase> phases;
  ArrayType before = plan.from;
  for (const synth::PlanStep& step : plan.steps) {
    const synth::Round* round = synth::round_of(step.collective);
    auto more = phases_of(machine, step.collective, before, step.after, devices);
    if (round != nullptr && round->index > 0) {
      auto& stages = more.front().stages;
      phases.back().stages.insert(phases.back().stages.end(), stages.begin(), stages.end());
    } else {
      phases.insert(phases.end(), more.begin(), more.end());
    }
    if (round == nullptr || round->index + 1 == round->count) before = step.after;
    if (pieces_in(phases) > kEmittedPiecesMax) return too_many("its sends are more than 400,000");
  }
  return phases;
}

}  // namespace tessera::interop
