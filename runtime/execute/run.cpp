// run(): the plan of memory, its limit, the executor, and what is handed back.
#include "runtime/run.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "base/check.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/outputs.hpp"
#include "runtime/kernels/core_share.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/bytes.hpp"
#include "runtime/memory/machine_memory.hpp"

namespace tessera::runtime {

namespace {

std::int64_t memory_limit(const World& world) {
  return world.memory_bytes_max > 0 ? world.memory_bytes_max : machine_memory_bytes() / 4 * 3;
}

base::Status check_inputs(const synth::Program& program, const std::vector<Value>& inputs) {
  TESSERA_CHECK(inputs.size() == program.inputs.size(), "a program is given another number of inputs than it has");
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    TESSERA_CHECK(synth::same_type(inputs[k].type(), program.registers[program.inputs[k]]),
                  "a program is given an input of another type");
  }
  return base::Done{};
}

// Bytes that a rank's devices need: arenas, inputs, copies handed back; stops at the largest number.
std::int64_t needed_bytes(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                          const PartMap& map, int rank) {
  std::int64_t bytes = map.needed_bytes(rank);
  const auto add = [&](synth::RegisterId id) {
    const Block block = map.deal().block(rank, program.registers[id].devices());
    for (std::int64_t d = block.begin; d < block.end; ++d)
      bytes = add_bytes(bytes, tiles[id].bytes[static_cast<std::size_t>(d)]);
  };
  for (const synth::RegisterId input : program.inputs) add(input);
  for (const synth::RegisterId output : program.outputs) {
    if (plan[output].where == RegisterPlan::Where::slice) add(output);
  }
  return bytes;
}

base::Status too_much(const MemoryPlan& plan, std::int64_t bytes, std::int64_t limit, std::string_view of) {
  const std::string why = fmt::format("the limit{} is {} bytes, and this step needs the most", of, limit);
  return base::make(Kind::out_of_memory_plan, bytes, why).from_step(plan.peak_origin);
}

// Where the host sets a limit it is this process's; otherwise all ranks of the machine have to get along, and each has
// its own address space.
base::Status check_memory(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                          const PartMap& map, const World& world, const Team& team) {
  std::int64_t bytes = 0;
  for (const int rank : team.machine_ranks()) {
    if (world.memory_bytes_max > 0 && rank != team.rank()) continue;
    bytes = add_bytes(bytes, needed_bytes(program, tiles, plan, map, rank));
  }
  if (const std::int64_t limit = memory_limit(world); bytes > limit) return too_much(plan, bytes, limit, "");
  const std::int64_t own = needed_bytes(program, tiles, plan, map, team.rank());
  const std::int64_t limit = address_space_bytes();
  return own <= limit ? base::Status(base::Done{}) : too_much(plan, own, limit, " of address space");
}

// Everything a run needs before its first step.
struct Prepared {
  Prepared(const synth::Program& program, const Team& team, base::StopToken stop)
      : tiles(program),
        plan(plan_memory(program, tiles, stop)),
        map(team.deal(), device_counts(program), plan.arena_bytes) {}
  TileMaps tiles;
  MemoryPlan plan;
  PartMap map;
  std::shared_ptr<Arena> arena;
};

std::int64_t offset_in_region(const Team& team, const std::shared_ptr<Arena>& arena) {
  return team.region() == nullptr || arena == nullptr ? 0 : team.region()->offset_of(arena->part(0));
}

// A failure has its place where the program needs the most.
base::Result<std::shared_ptr<Arena>> reserve(const Team& team, const Prepared& prepared, const World& world) {
  const std::int64_t bytes = prepared.map.arena_bytes(team.rank());
  auto arena = team.region() != nullptr ? Arena::reserve(std::span(&bytes, 1), team.region())
                                        : Arena::reserve(std::span(&bytes, 1), world.memory);
  if (arena.ok()) return arena;
  return base::Diagnostic(arena.errors().front()).from_step(prepared.plan.peak_origin);
}

base::Status prepare(const synth::Program& program, const std::vector<Value>& inputs, const World& world, Team& team,
                     std::optional<Prepared>& prepared) {
  TESSERA_TRY_STATUS(synth::verify(program));
  TESSERA_TRY_STATUS(check_inputs(program, inputs));
  prepared.emplace(program, team, base::StopToken(world.stop));
  TESSERA_TRY_STATUS(check_memory(program, prepared->tiles, prepared->plan, prepared->map, world, team));
  TESSERA_TRY(arena, reserve(team, *prepared, world));
  prepared->arena = arena;
  return base::Done{};
}

std::vector<std::int64_t> offsets_of(const std::vector<Team::Words>& words) {
  std::vector<std::int64_t> offsets;
  for (const Team::Words& w : words) offsets.push_back(w[1]);
  return offsets;
}

base::Result<Outcome> run_checked(const synth::Program& program, const std::vector<Value>& inputs, const World& world,
                                  Team& team) {
  std::optional<Prepared> prepared;
  const base::Status ready =
      base::guarded_until_stopped([&] { return prepare(program, inputs, world, team, prepared); });
  const auto hash = team.alone() ? 0 : static_cast<std::int64_t>(synth::hash(program) + (world.trace ? 1 : 0));
  const std::int64_t at = prepared ? offset_in_region(team, prepared->arena) : 0;
  TESSERA_TRY(began, team.agree_on(ready, {hash, at}));
  Parts parts(team, prepared->map, prepared->arena, offsets_of(began));
  Executor executor(program, prepared->tiles, prepared->plan, team, std::move(parts), inputs, world);
  std::optional<CoreShare> share;
  if (!team.alone()) share.emplace(team.machine_count());
  team.begin_run(world.stop);
  Outputs outputs(program, prepared->plan, executor.storage(), inputs, world.team);
  base::Status done = base::guarded([&] { return executor.run(); });
  if (done.ok()) done = base::guarded([&] { return outputs.reserve(); });
  const auto agreed = team.agree(std::move(done), {0, offset_in_region(team, outputs.arena())});
  const base::Status traced = executor.end_trace();
  TESSERA_TRY(ended, agreed);
  TESSERA_TRY_STATUS(traced);
  Outcome outcome{outputs.take(offsets_of(ended)), executor.take_statistics(), executor.peak_bytes()};
  for (const std::int64_t bytes : prepared->plan.arena_bytes) {
    outcome.arena_bytes = std::max(outcome.arena_bytes, bytes);
  }
  return outcome;
}

}  // namespace

base::Result<Outcome> run(const synth::Program& program, const std::vector<Value>& inputs, const World& world) {
  return base::guarded([&] {
    Team alone;
    return run_checked(program, inputs, world, world.team == nullptr ? alone : *world.team);
  });
}

}  // namespace tessera::runtime
