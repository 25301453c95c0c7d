// run(): the plan of memory, its limit, the executor, and what is handed back.
#include "runtime/execute/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "base/units_text.hpp"
#include "runtime/engine/host/host_engine.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/outputs.hpp"
#include "runtime/kernels/blas.hpp"
#include "runtime/kernels/core_share.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/bytes.hpp"
#include "runtime/memory/device_peaks.hpp"
#include "runtime/memory/machine_memory.hpp"
#include "runtime/memory/plan.hpp"
#include "runtime/ranks/region.hpp"
#include "runtime/values/move_value.hpp"

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

// Bytes that a rank's devices need, or a share of them: arenas, inputs, copies handed back; stops at the largest
// number.
std::int64_t needed_bytes(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                          const PartMap& map, int rank, const Share& share = {}) {
  std::int64_t bytes = map.arena_bytes(rank, share);
  const auto add = [&](synth::RegisterId id) {
    const Block block = map.ranks().share(rank, share, program.registers[id].mesh());
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
  const std::string why =
      fmt::format("the limit{} is {}, and this step needs the most", of, base::exact_bytes_text(limit));
  return base::make(Kind::out_of_memory_plan, base::exact_bytes_text(bytes), why).from_step(plan.peak_origin);
}

// If the host sets a limit it is this process's; otherwise all ranks of the machine have to get along, and each has
// its own address space.
base::Status check_memory(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                          const PartMap& map, const World& world, const Team& team) {
  std::int64_t bytes = 0;
  for (const int rank : team.machine_ranks()) {
    if (world.memory_bytes_max > 0 && rank != team.rank()) continue;
    bytes = add_bytes(bytes, needed_bytes(program, tiles, plan, map, rank));
  }
  if (world.memory_bytes_max > 0) bytes = add_bytes(bytes, world.kept_bytes);
  if (const std::int64_t limit = memory_limit(world); bytes > limit) return too_much(plan, bytes, limit, "");
  const std::int64_t limit = address_space_bytes();
  if (limit == kBytesMax) return base::Done{};
  const std::int64_t own = needed_bytes(program, tiles, plan, map, team.rank());
  return own <= limit ? base::Status(base::Done{}) : too_much(plan, own, limit, " of address space");
}

// The same where tiles lie in an engine's own memory, place by place.
base::Status check_engine_memory(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                                 const PartMap& map, const Engine& engine, int rank) {
  for (int place = 0; place < engine.places(); ++place) {
    const std::int64_t limit = engine.memory_bytes_max(place);
    const std::int64_t bytes = needed_bytes(program, tiles, plan, map, rank, {place, engine.places()});
    if (limit > 0 && bytes > limit) return too_much(plan, bytes, limit, " of " + engine.name(place));
  }
  return base::Done{};
}

// The device that lacks the most memory. The machine may describe fewer devices than the run has.
base::Status check_device_memory(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                                 const World& world) {
  const auto is_limited = [](const synth::DeviceKind& kind) { return kind.memory_bytes > 0; };
  if (std::none_of(world.machine.devices.begin(), world.machine.devices.end(), is_limited)) return base::Done{};
  const std::vector<synth::DeviceKind> kinds = synth::kinds_of_devices(world.machine);
  const std::vector<DevicePeak> peaks = device_peaks(program, tiles, plan);
  std::size_t worst = 0;
  std::int64_t lacks = 0;
  for (std::size_t device = 0; device < std::min(kinds.size(), peaks.size()); ++device) {
    if (!is_limited(kinds[device]) || peaks[device].bytes - kinds[device].memory_bytes <= lacks) continue;
    worst = device;
    lacks = peaks[device].bytes - kinds[device].memory_bytes;
  }
  if (lacks == 0) return base::Done{};
  return base::make(Kind::device_memory, worst, base::exact_bytes_text(kinds[worst].memory_bytes),
                    base::exact_bytes_text(peaks[worst].bytes))
      .from_step(peaks[worst].origin)
      .suggest(
          "split its arrays over more devices, or in proportion to their memory: `mesh m = [d: 8 fit(memory)]`, "
          "`f32[4096@d.fit]`");
}

// The devices of a run are dealt to its ranks once.
DeviceRanks ranks_of(const synth::Program& program, const std::vector<Value>& inputs, const World& world,
                     const Team& team) {
  std::int64_t devices = world.devices;
  for (const synth::ArrayType& type : program.registers.items()) devices = std::max(devices, type.mesh().devices_end());
  for (const Value& input : inputs) devices = std::max(devices, input.ranks().devices());
  return {team.size(), devices};
}

}  // namespace

// Holds the memory of everything that a program makes.
struct ProgramMemory {
  ProgramMemory(const synth::Program& program, const DeviceRanks& ranks, base::StopToken stop)
      : tiles(program), plan(plan_memory(program, tiles, stop)), map(ranks, plan.arena_bytes) {}
  TileMaps tiles;
  MemoryPlan plan;
  PartMap map;

  // What steps need of this engine, which the executor asks once; before it has, or of another: nothing.
  std::vector<NeededRoom> room_of(const std::shared_ptr<Engine>& engine, Executor* executor = nullptr) const {
    const std::scoped_lock lock(mutex);
    if (asked.lock() == engine) return room;
    if (executor == nullptr) return {};
    room = executor->needed_room();
    if (!room.empty()) asked = engine;
    return room;
  }

 private:
  mutable std::mutex mutex;
  mutable std::weak_ptr<Engine> asked;
  mutable std::vector<NeededRoom> room;
};

namespace {

std::shared_ptr<Engine> engine_of(const World& world) {
  return world.engine != nullptr ? world.engine : std::make_shared<HostEngine>(world.memory);
}

// Everything a run needs before its first step.
struct Ready {
  std::optional<ProgramMemory> own;  // unless it was known before
  const ProgramMemory* memory = nullptr;
  std::shared_ptr<Engine> engine;
  std::shared_ptr<Arena> arena;
};

std::int64_t offset_in_region(const Team& team, const std::shared_ptr<Arena>& arena) {
  return team.region() == nullptr || arena == nullptr ? 0 : team.region()->offset_of(arena->part(0));
}

// Where memory is missing because a GPU is lost, it says so.
base::Status not_lost(Engine& engine) { return engine.wait(); }

// A failure has its place where the program needs the most.
base::Result<std::shared_ptr<Arena>> reserve(const Team& team, const ProgramMemory& memory, Engine& engine) {
  const std::vector<std::int64_t> bytes = memory.map.shares_bytes(team.rank(), engine.places());
  auto arena =
      team.region() != nullptr ? Arena::reserve(bytes, team.region()) : Arena::reserve(bytes, pools_of(engine));
  if (arena.ok()) return arena;
  TESSERA_TRY_STATUS(not_lost(engine));
  return base::Diagnostic(arena.errors().front()).from_step(memory.plan.peak_origin);
}

base::Status make_ready(const synth::Program& program, const std::vector<Value>& inputs, const World& world, Team& team,
                        Ready& ready) {
  if (ready.memory == nullptr) TESSERA_TRY_STATUS(synth::verify(program));
  TESSERA_TRY_STATUS(check_inputs(program, inputs));
  if (ready.memory == nullptr) {
    ready.memory = &ready.own.emplace(program, ranks_of(program, inputs, world, team), base::StopToken(world.stop));
  }
  const ProgramMemory& memory = *ready.memory;
  TESSERA_TRY_STATUS(check_device_memory(program, memory.tiles, memory.plan, world));
  if (ready.engine->is_host()) {
    TESSERA_TRY_STATUS(check_memory(program, memory.tiles, memory.plan, memory.map, world, team));
  } else {
    TESSERA_TRY_STATUS(check_engine_memory(program, memory.tiles, memory.plan, memory.map, *ready.engine, team.rank()));
  }
  ready.engine->leave_room();
  TESSERA_TRY(arena, reserve(team, memory, *ready.engine));
  ready.arena = arena;
  return base::Done{};
}

// Inputs of runs with fewer devices move to where their devices are now, and those that lie elsewhere are brought in.
base::Result<std::vector<Value>> moved_inputs(const std::vector<Value>& inputs, const DeviceRanks& ranks,
                                              const World& world, const std::shared_ptr<Engine>& engine) {
  std::vector<Value> moved;
  for (const Value& input : inputs) {
    TESSERA_TRY(dealt, on_ranks(input, ranks, world.memory));
    TESSERA_TRY(value, dealt.on(engine));
    moved.push_back(std::move(value));
  }
  return moved;
}

bool has_products(const synth::Body& body) {
  return std::any_of(body.begin(), body.end(), [](const synth::Step& step) {
    if (const auto* const apply = std::get_if<synth::Apply>(&step.node))
      return std::holds_alternative<synth::Contract>(apply->operation) ||
             std::holds_alternative<synth::MatrixFunction>(apply->operation);
    if (const auto* const repeat = std::get_if<synth::Repeat>(&step.node)) return has_products(repeat->body);
    if (const auto* const pipeline = std::get_if<synth::Pipeline>(&step.node))
      return std::any_of(pipeline->visits.begin(), pipeline->visits.end(), has_products);
    const auto& choose = std::get<synth::Choose>(step.node);
    return has_products(choose.then_body) || has_products(choose.else_body);
  });
}

// What steps need beside their arrays is there before the first of them.
base::Status make_room(const synth::Program& program, const ProgramMemory& memory, Executor& executor,
                       const std::shared_ptr<Engine>& engine, int rank) {
  if (engine->is_host()) return base::Done{};
  const std::vector<NeededRoom> rooms = memory.room_of(engine, &executor);
  for (int place = 0; place < static_cast<int>(rooms.size()); ++place) {
    const NeededRoom& needed = rooms[static_cast<std::size_t>(place)];
    const base::Status made = engine->make_room(place, needed.room);
    if (made.ok()) continue;
    TESSERA_TRY_STATUS(not_lost(*engine));
    if (made.errors().front().kind != Kind::out_of_memory_plan) return made;
    const std::int64_t beside = add_bytes(needed.room.of_step, needed.room.lasting);
    const std::int64_t bytes =
        needed_bytes(program, memory.tiles, memory.plan, memory.map, rank, {place, engine->places()});
    const std::string why = fmt::format("{} of that for what steps need beside them, and {} has {} for a program",
                                        base::exact_bytes_text(beside), engine->name(place),
                                        base::exact_bytes_text(engine->memory_bytes_max(place)));
    return base::make(Kind::out_of_memory_plan, base::exact_bytes_text(add_bytes(bytes, beside)), why)
        .from_step(needed.origin);
  }
  return base::Done{};
}

std::vector<std::int64_t> offsets_of(const std::vector<Team::Words>& words) {
  std::vector<std::int64_t> offsets;
  for (const Team::Words& w : words) offsets.push_back(w[1]);
  return offsets;
}

base::Result<Outcome> run_checked(const synth::Program& program, const ProgramMemory* known,
                                  const std::vector<Value>& given, const World& world, Team& team) {
  Ready own{{}, known, engine_of(world), {}};
  const base::Status ready = base::guarded_until_stopped([&] { return make_ready(program, given, world, team, own); });
  const auto hash =
      team.alone() ? 0
                   : static_cast<std::int64_t>(synth::hash(program) + (world.trace ? 1 : 0) + (world.profile ? 2 : 0));
  const std::int64_t at = offset_in_region(team, own.arena);
  TESSERA_TRY(began, team.agree_on(ready, {hash, at}));
  const ProgramMemory& memory = *own.memory;
  // Whatever fails here has to come to the agreement, which the other ranks wait for.
  std::vector<Value> inputs;
  std::optional<Executor> executor;
  std::optional<CoreShare> share;
  std::optional<Outputs> outputs;
  team.begin_run(world.stop);
  base::Status done = base::guarded([&]() -> base::Status {
    TESSERA_TRY(moved, moved_inputs(given, memory.map.ranks(), world, own.engine));
    inputs = std::move(moved);
    if (has_products(program.body)) TESSERA_TRY_STATUS(prepare_products());
    executor.emplace(program, memory.tiles, memory.plan, team, Parts(team, memory.map, own.arena, offsets_of(began)),
                     inputs, world, *own.engine);
    if (!team.alone()) share.emplace(team.machine_count());
    outputs.emplace(program, memory.plan, executor->storage(), inputs, world.team);
    const base::Status reserved = outputs->reserve();
    if (!reserved.ok()) TESSERA_TRY_STATUS(not_lost(*own.engine));
    TESSERA_TRY_STATUS(reserved);
    TESSERA_TRY_STATUS(make_room(program, memory, *executor, own.engine, team.rank()));
    TESSERA_TRY_STATUS(executor->run());
    return outputs->copy();
  });
  const auto agreed = team.agree(std::move(done), {0, outputs ? offset_in_region(team, outputs->arena()) : 0});
  if (!executor) return agreed.errors();
  const double clock = executor->clock_seconds();
  const base::Status traced = executor->end_trace();
  if (!(agreed && traced) && world.counted_of_failed) world.counted_of_failed(executor->take_statistics());
  TESSERA_TRY(ended, agreed);
  TESSERA_TRY_STATUS(traced);
  TESSERA_TRY_STATUS(executor->add_up_counts());
  std::vector<OriginStatistics> statistics = executor->take_statistics();
  std::vector<RankSeconds> seconds;
  if (world.profile) {
    TESSERA_TRY(of_ranks, seconds_of_ranks(team, statistics));
    seconds = std::move(of_ranks);
  }
  Outcome outcome{outputs->take(offsets_of(ended)),
                  std::move(statistics),
                  std::move(seconds),
                  executor->peak_bytes(),
                  0,
                  clock,
                  find_kept(program, memory.plan, memory.tiles, world.passes),
                  {executor->host_steps().begin(), executor->host_steps().end()}};
  for (const std::int64_t bytes : memory.plan.arena_bytes) {
    outcome.arena_bytes = std::max(outcome.arena_bytes, bytes);
  }
  for (const NeededRoom& needed : memory.room_of(own.engine)) {
    outcome.room_bytes = std::max(outcome.room_bytes, add_bytes(needed.room.of_step, needed.room.lasting));
  }
  return outcome;
}

}  // namespace

base::Result<Outcome> run(const synth::Program& program, const std::vector<Value>& inputs, const World& world) {
  return base::guarded([&] {
    Team alone;
    return run_checked(program, nullptr, inputs, world, world.team == nullptr ? alone : *world.team);
  });
}

class PreparedProgram {
 public:
  PreparedProgram(synth::Program prepared, const World& world, const Team& team)
      : program(std::move(prepared)),
        memory(program, ranks_of(program, {}, world, team), base::StopToken(world.stop)) {}
  PreparedProgram(const PreparedProgram&) = delete;
  PreparedProgram& operator=(const PreparedProgram&) = delete;

  synth::Program program;
  ProgramMemory memory;
};

base::Result<std::shared_ptr<const PreparedProgram>> prepare(synth::Program program, const World& world) {
  return base::guarded_until_stopped([&]() -> base::Result<std::shared_ptr<const PreparedProgram>> {
    TESSERA_TRY_STATUS(synth::verify(program));
    const Team alone;
    const Team& team = world.team == nullptr ? alone : *world.team;
    return std::shared_ptr<const PreparedProgram>(std::make_shared<PreparedProgram>(std::move(program), world, team));
  });
}

base::Result<Outcome> run(const PreparedProgram& prepared, const std::vector<Value>& inputs, const World& world) {
  return base::guarded([&] {
    Team alone;
    Team& team = world.team == nullptr ? alone : *world.team;
    return run_checked(prepared.program, &prepared.memory, inputs, world, team);
  });
}

}  // namespace tessera::runtime
