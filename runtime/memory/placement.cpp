#include "runtime/memory/placement.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/memory/bytes.hpp"
#include "runtime/memory/chains.hpp"
#include "runtime/memory/payload.hpp"
#include "runtime/memory/places.hpp"
#include "runtime/memory/reads.hpp"
#include "runtime/memory/scratch.hpp"
#include "runtime/memory/sections.hpp"
#include "runtime/memory/window_edges.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;
using Where = RegisterPlan::Where;

// Walks the steps as they run, and hands out places.
class Placement {
 public:
  Placement(const synth::Program& program, const TileMaps& tiles, const WrittenParts& parts, Liveness liveness,
            InPlace in_place, MemoryPlan& plan, base::StopToken stop)
      : program_(program),
        stop_(stop),
        tiles_(tiles),
        parts_(parts),
        plan_(plan),
        lives_(std::move(liveness.lives)),
        turning_(std::move(liveness.turning)),
        in_place_(std::move(in_place)),
        places_(tiles, program),
        payload_(tiles, plan, program.inputs) {
    plan_.arena_bytes.assign(static_cast<std::size_t>(tiles.devices()), 0);
    plan_.peak_bytes = payload_.largest();
  }

  Copied run() {
    plan_.body = walk(program_.body, 0);
    for (const std::int64_t bytes : plan_.arena_bytes) plan_.total_bytes = add_bytes(plan_.total_bytes, aligned(bytes));
    for (const RegisterId input : program_.inputs) {
      plan_.total_bytes = add_bytes(plan_.total_bytes, tiles_[input].bytes_total);
    }
    // A part of an array is handed back as an array of its own.
    for (const RegisterId output : program_.outputs) {
      if (plan(output).where == Where::slice)
        plan_.total_bytes = add_bytes(plan_.total_bytes, tiles_[output].bytes_total);
    }
    return std::move(read_whole_);
  }

 private:
  RegisterPlan& plan(RegisterId id) { return plan_.registers[id.value]; }
  const Lifetime& life(RegisterId id) const { return lives_[id.value]; }

  // Owns memory that this pass hands out.
  bool owns(RegisterId id) {
    return plan(id).where == Where::arena && !plan(id).written_to.valid() && !plan(id).shares.valid() &&
           plan(id).microbatch_offsets.empty();
  }
  bool has_place(RegisterId id) { return owns(id) || plan(id).edges != nullptr; }
  const TileMap& memory(RegisterId id) const { return memory_of(plan_, tiles_, id); }
  bool dies_at(RegisterId id, std::size_t depth, std::size_t step) {
    return owns(id) && life(id).depth == depth && !life(id).belongs_to_loop && life(id).last_use == step;
  }

  void place(RegisterId id) {
    RegisterPlan& entry = plan(id);
    entry.offset = places_.take(id, memory(id).bytes_max);
    for_each_device(memory(id), [&](std::size_t device, std::int64_t bytes) {
      std::int64_t& end = plan_.arena_bytes[device];
      if (bytes > 0) end = std::max(end, add_bytes(entry.offset, bytes));
    });
  }
  void give_birth(StepPlan& step, RegisterId id) {
    if (!has_place(id)) return;
    place(id);
    step.born.push_back(id);
  }
  // Makes room for it, beside operand and result.
  void make_room(const synth::Apply& apply, StepPlan& step) {
    step.beside_bytes = scratch_bytes(program_, tiles_, apply);
    if (step.beside_bytes == 0) return;
    step.beside_of = apply.results[0];
    step.beside_offset = places_.take(step.beside_of, step.beside_bytes);
    for_each_device(tiles_[step.beside_of], [&](std::size_t device, std::int64_t) {
      std::int64_t& end = plan_.arena_bytes[device];
      end = std::max(end, add_bytes(step.beside_offset, step.beside_bytes));
    });
  }
  void free_last_uses(StepPlan& step) {
    if (step.beside_bytes > 0) places_.give_back(step.beside_of, step.beside_offset, step.beside_bytes);
    for (const RegisterId id : step.dies) places_.give_back(id, offset_to_free(id), memory(id).bytes_max);
  }
  // A register with several offsets dies once for each.
  std::int64_t offset_to_free(RegisterId id) {
    const std::vector<std::int64_t>& offsets = plan(id).microbatch_offsets;
    return offsets.empty() ? plan(id).offset : offsets[freed_[id]++ % offsets.size()];
  }
  void note_peak(std::uint32_t origin, const StepPlan& step) {
    const std::int64_t now = payload_.largest(step);
    if (now <= plan_.peak_bytes) return;
    plan_.peak_bytes = now;
    plan_.peak_origin = origin;
  }

  BodyPlan walk(const synth::Body& body, std::size_t depth) {
    BodyPlan result;
    const std::vector<ChainSteps> chains = find_chains(program_, body, tiles_, plan_);
    for (const ChainSteps& chain : chains) keep_inside(body, chain);
    note_read_whole(body, chains);
    const auto deaths = deaths_by_step(body, depth);
    auto chain = chains.begin();
    for (std::size_t i = 0; i < body.size(); ++i) {
      stop_.look();
      if (chain != chains.end() && chain->begin == i) {
        place_chain(body, *chain, deaths, depth, result);
        i = chain->end - 1;
        ++chain;
        continue;
      }
      StepPlan step;
      step.dies = deaths[i];
      std::visit([&](const auto& node) { before(node, step, depth, i); }, body[i].node);
      payload_.add(step.born);
      note_peak(body[i].origin, step);
      std::visit([&](const auto& node) { inside(node, step, depth); }, body[i].node);
      payload_.remove(step.dies);
      free_last_uses(step);
      result.steps.push_back(std::move(step));
    }
    return result;
  }

  // Values that only their own chain reads get no place in memory.
  void keep_inside(const synth::Body& body, const ChainSteps& chain) {
    for (std::size_t i = chain.begin; i < chain.end; ++i) {
      const auto& apply = std::get<synth::Apply>(body[i].node);
      const RegisterId result = apply.results[0];
      if (!is_computed(apply)) continue;
      if (stays_inside(chain, plan(result), life(result))) plan(result).where = Where::blocks;
    }
  }

  void note_read_whole(const synth::Body& body, const std::vector<ChainSteps>& chains) {
    auto chain = chains.begin();
    for (std::size_t i = 0; i < body.size(); ++i) {
      while (chain != chains.end() && chain->end <= i) ++chain;
      const bool is_in_chain = chain != chains.end() && chain->begin <= i;
      const std::span steps(&body[i], is_in_chain ? chain->end - i : 1);
      if (is_in_chain) i = chain->end - 1;
      const bool is_apply = std::holds_alternative<synth::Apply>(steps[0].node);
      if (!is_apply || !has_edges(steps, plan_)) continue;
      if (is_in_chain && find_sections(program_, steps, chain->lead, tiles_, plan_)) continue;
      for (const synth::Step& step : steps) {
        const auto& apply = std::get<synth::Apply>(step.node);
        for (const RegisterId id : apply.operands) {
          if (plan(id).edges != nullptr && plan(id).where == Where::slice) read_whole_.insert(id);
        }
        if (!apply.results.empty() && plan(apply.results[0]).where == Where::part) read_whole_.insert(apply.results[0]);
      }
    }
  }

  // All results of a chain are made at its first step, and all that dies in it dies at its end.
  void place_chain(const synth::Body& body, const ChainSteps& chain, const std::vector<std::vector<RegisterId>>& deaths,
                   std::size_t depth, BodyPlan& result) {
    StepPlan step;
    step.chain_end = chain.end;
    step.chain_lead = chain.lead;
    step.has_edges = has_edges(std::span(body).subspan(chain.begin, chain.end - chain.begin), plan_);
    for (std::size_t i = chain.begin; i < chain.end; ++i) {
      step.dies.insert(step.dies.end(), deaths[i].begin(), deaths[i].end());
    }
    for (std::size_t i = chain.begin; i < chain.end; ++i) {
      const auto& apply = std::get<synth::Apply>(body[i].node);
      if (has_place(apply.results[0])) place_in_chain(body, chain, i, depth, step);
      if (plan(apply.results[0]).where == Where::part) begin_result(apply.results[0], depth, step);
    }
    payload_.add(step.born);
    note_peak(body[chain.begin].origin, step);
    payload_.remove(step.dies);
    free_last_uses(step);
    result.steps.push_back(std::move(step));
    result.steps.resize(chain.end);
  }
  // Unless it is to have its base's place, or is made for a loop or a branch, it needs one now.
  void begin_result(RegisterId part, std::size_t depth, StepPlan& step) {
    const WrittenPart& how = parts_.at(part);
    step.begins.push_back({how.base, how.result, part});
    if (!owns(how.result) || dies_at(how.base, depth, life(how.result).made)) return;
    give_birth(step, how.result);
    plan(how.result).is_begun = true;
  }
  void place_in_chain(const synth::Body& body, const ChainSteps& chain, std::size_t i, std::size_t depth,
                      StepPlan& step) {
    const auto& apply = std::get<synth::Apply>(body[i].node);
    const RegisterId result = apply.results[0];
    const bool is_map = std::holds_alternative<synth::Map>(apply.operation);
    for (std::size_t k = 0; is_map && owns(result) && k < apply.operands.size(); ++k) {
      const RegisterId operand = apply.operands[k];
      const bool dying = std::find(step.dies.begin(), step.dies.end(), operand) != step.dies.end();
      const bool done = life(operand).depth == depth && life(operand).last_use <= i;
      if (!dying || !done || !owns(operand) || !has_tiles_of(program_, tiles_, operand, result)) continue;
      if (!reads_by_blocks(program_, body, chain, plan_, operand)) continue;
      plan(result).takes_over = operand;
      plan(result).offset = plan(operand).offset;
      std::erase(step.dies, operand);
      return;
    }
    give_birth(step, result);
  }

  // The roots a body makes, by the step after which they are not needed. Roots needed at the body's end die there:
  // after the last step, or, in the program's own body, not at all.
  std::vector<std::vector<RegisterId>> deaths_by_step(const synth::Body& body, std::size_t depth) {
    std::vector<std::vector<RegisterId>> deaths(body.size());
    const auto note = [&](RegisterId id) {
      const std::size_t last = life(id).last_use;
      if (!has_place(id) || (last == body.size() && depth == 0)) return;
      deaths[std::min(last, body.size() - 1)].push_back(id);
    };
    for (const synth::Step& step : body) {
      for (const RegisterId id : results_of(step)) note(id);
    }
    return deaths;
  }
  static const std::vector<RegisterId>& results_of(const synth::Step& step) {
    return std::visit([](const auto& node) -> const std::vector<RegisterId>& { return node.results; }, step.node);
  }

  void before(const synth::Apply& apply, StepPlan& step, std::size_t depth, std::size_t i) {
    if (apply.results.empty()) return;
    make_room(apply, step);
    if (!has_place(apply.results[0]) || plan(apply.results[0]).is_begun) return;
    const RegisterId result = apply.results[0];
    if (const RegisterId operand = operand_to_take_over(apply, depth, i); operand.valid()) {
      plan(result).takes_over = operand;
      plan(result).offset = plan(operand).offset;
      std::erase(step.dies, operand);
      return;
    }
    give_birth(step, result);
  }

  // An operand whose place the result may have: it dies, has the result's very tiles, and no other operand looks at its
  // memory, but for itself in an elementwise operation.
  RegisterId operand_to_take_over(const synth::Apply& apply, std::size_t depth, std::size_t i) {
    const bool is_map = std::holds_alternative<synth::Map>(apply.operation);
    for (std::size_t k = 0; k < overwritable(apply); ++k) {
      const RegisterId operand = apply.operands[k];
      if (!dies_at(operand, depth, i)) continue;
      if (!has_tiles_of(program_, tiles_, operand, apply.results[0])) continue;
      const auto looks_elsewhere = [&](const RegisterId& id) {
        return plan(id).root == operand && (id != operand || (!is_map && &id != &apply.operands[k]));
      };
      if (std::none_of(apply.operands.begin(), apply.operands.end(), looks_elsewhere)) return operand;
    }
    return {};
  }
  void inside(const synth::Apply&, StepPlan&, std::size_t) {}

  void before(const synth::Repeat& repeat, StepPlan& step, std::size_t depth, std::size_t i) {
    give_birth(step, repeat.index);
    for (const RegisterId index : repeat.indices_elsewhere) give_birth(step, index);
    for (std::size_t k = 0; k < repeat.parameters.size(); ++k) {
      if (plan(repeat.parameters[k]).shares.valid())
        make_place(repeat, k, step, depth, i);
      else
        make_places(repeat, k, step, depth, i);
    }
  }
  // The two places of a carried value.
  void make_places(const synth::Repeat& repeat, std::size_t k, StepPlan& step, std::size_t depth, std::size_t i) {
    const RegisterId parameter = repeat.parameters[k];
    plan(parameter).adopts = may_adopt(repeat, k, depth, i);
    if (plan(parameter).adopts) {
      plan(parameter).offset = plan(repeat.initial[k]).offset;
      std::erase(step.dies, repeat.initial[k]);
    } else {
      give_birth(step, parameter);
    }
    give_birth(step, repeat.results[k]);
  }
  // Its only place. An inner loop may have it from an outer one.
  void make_place(const synth::Repeat& repeat, std::size_t k, StepPlan& step, std::size_t depth, std::size_t i) {
    const RegisterId result = repeat.results[k];
    if (const auto found = in_place_.by_result.find(result); found != in_place_.by_result.end())
      step.shared.push_back({result, std::move(found->second)});
    if (owns(result) && may_adopt(repeat, k, depth, i)) {
      plan(result).takes_over = repeat.initial[k];
      plan(result).offset = plan(repeat.initial[k]).offset;
      std::erase(step.dies, repeat.initial[k]);
    } else {
      give_birth(step, result);
    }
  }
  // The initial value owns its memory, dies with the loop, and nothing else in the loop looks at it.
  bool may_adopt(const synth::Repeat& repeat, std::size_t k, std::size_t depth, std::size_t i) {
    const RegisterId initial = repeat.initial[k];
    const auto same_memory = [&](RegisterId id) { return plan(id).root == initial; };
    return dies_at(initial, depth, i) && repeat.count != initial &&
           std::count_if(repeat.initial.begin(), repeat.initial.end(), same_memory) == 1 &&
           !reads(repeat.body, initial, plan_) && std::none_of(repeat.next.begin(), repeat.next.end(), same_memory);
  }
  void inside(const synth::Repeat& repeat, StepPlan& step, std::size_t depth) {
    step.bodies.push_back(walk(repeat.body, depth + 1));
    step.dies.push_back(repeat.index);
    step.dies.insert(step.dies.end(), repeat.indices_elsewhere.begin(), repeat.indices_elsewhere.end());
    std::copy_if(repeat.parameters.begin(), repeat.parameters.end(), std::back_inserter(step.dies),
                 [&](RegisterId parameter) { return owns(parameter); });
  }

  // Initial values stay as they are: a pipeline that fails is taken again, in the order of its microbatches.
  void before(const synth::Pipeline& pipeline, StepPlan& step, std::size_t, std::size_t) {
    step.turning = std::move(turning_.at(&pipeline));
    for (const RegisterId index : pipeline.indices) give_birth(step, index);
    for (const RegisterId parameter : pipeline.parameters) give_birth(step, parameter);
    for (const RegisterId result : pipeline.results) give_birth(step, result);
    for (const RegisterId id : kept_between(step)) {
      for (std::int64_t& offset : plan(id).microbatch_offsets) {
        place(id);
        offset = plan(id).offset;
        step.born.push_back(id);
      }
    }
  }
  static std::set<RegisterId> kept_between(const StepPlan& step) {
    std::set<RegisterId> all;
    for (const std::vector<RegisterId>& of_visit : step.turning) all.insert(of_visit.begin(), of_visit.end());
    return all;
  }
  void inside(const synth::Pipeline& pipeline, StepPlan& step, std::size_t depth) {
    for (const synth::Body& visit : pipeline.visits) step.bodies.push_back(walk(visit, depth + 1));
    step.dies.insert(step.dies.end(), pipeline.indices.begin(), pipeline.indices.end());
    step.dies.insert(step.dies.end(), pipeline.parameters.begin(), pipeline.parameters.end());
    for (const RegisterId id : kept_between(step))
      step.dies.insert(step.dies.end(), plan(id).microbatch_offsets.size(), id);
  }

  void before(const synth::Choose& choose, StepPlan& step, std::size_t, std::size_t) {
    for (const RegisterId result : choose.results) give_birth(step, result);
  }
  void inside(const synth::Choose& choose, StepPlan& step, std::size_t depth) {
    step.bodies.push_back(walk(choose.then_body, depth + 1));
    step.bodies.push_back(walk(choose.else_body, depth + 1));
  }

  const synth::Program& program_;
  base::StopToken stop_;
  const TileMaps& tiles_;
  const WrittenParts& parts_;
  MemoryPlan& plan_;
  std::vector<Lifetime> lives_;
  Turning turning_;
  InPlace in_place_;
  std::map<RegisterId, std::size_t> freed_;  // how many places of what has several
  Places places_;
  Payload payload_;
  Copied read_whole_;
};

}  // namespace

Copied place_registers(const synth::Program& program, const TileMaps& tiles, const WrittenParts& parts,
                       Liveness liveness, InPlace in_place, MemoryPlan& plan, base::StopToken stop) {
  return Placement(program, tiles, parts, std::move(liveness), std::move(in_place), plan, stop).run();
}

}  // namespace tessera::runtime
