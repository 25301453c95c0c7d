// run(): the plan of memory, its limit, the executor, and what is handed back.
#include "runtime/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/memory/bytes.hpp"
#include "runtime/sim/executor.hpp"

namespace tessera::runtime {

namespace {

// Tiles up to this size are copied out of a run's arena, so that a small value does not keep a large mapping.
constexpr std::int64_t kSmallTileBytes = std::int64_t{64} << 10U;

std::int64_t memory_limit(const World& world) {
  if (world.memory_bytes_max > 0) return world.memory_bytes_max;
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages / 4 * 3 * page : kBytesMax;
}

base::Status check_inputs(const synth::Program& program, const std::vector<Value>& inputs) {
  TESSERA_CHECK(inputs.size() == program.inputs.size(), "a program is given another number of inputs than it has");
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    TESSERA_CHECK(synth::same_type(inputs[k].type(), program.registers[program.inputs[k]]),
                  "a program is given an input of another type");
  }
  return base::Done{};
}

// Hands values out of the arena that the run leaves behind.
class Outputs {
 public:
  Outputs(const synth::Program& program, const MemoryPlan& plan, const Storage& storage,
          const std::vector<Value>& inputs)
      : program_(program), plan_(plan), storage_(storage), inputs_(inputs) {}

  base::Result<std::vector<Value>> take() {
    std::vector<Value> values;
    for (const synth::RegisterId id : program_.outputs) {
      TESSERA_TRY(value, output(id));
      values.push_back(std::move(value));
    }
    // What no value lies in is given back now; the rest with the values.
    std::vector<Arena::Range> kept;
    for (const auto& [root, held] : leases_) {
      const auto ranges = ranges_of(root);
      kept.insert(kept.end(), ranges.begin(), ranges.end());
    }
    storage_.arena()->release_all_but(std::move(kept));
    return values;
  }

 private:
  base::Result<Value> output(synth::RegisterId id) {
    const synth::RegisterId root = plan_[id].root;
    const bool from_input = plan_[root].where == RegisterPlan::Where::input;
    // A part of an array does not keep the whole.
    const bool is_whole = is_dense_everywhere(id) && storage_.tiles(id).bytes == storage_.tiles(root).bytes;
    if (!is_whole || (!from_input && storage_.tiles(root).bytes_max <= kSmallTileBytes)) return copied(id);
    return Value(storage_.type(id), from_input ? input_arena(root) : leased(root), tiles_of(id));
  }

  bool is_dense_everywhere(synth::RegisterId id) const {
    for (std::size_t device = 0; device < storage_.tiles(id).boxes.size(); ++device) {
      const TileView view = storage_.view(id, device);
      const bool is_aligned =
          reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(kAlignment) == 0;
      if (!is_dense(view.shape, view.strides) || !is_aligned) return false;
    }
    return true;
  }

  std::vector<const std::byte*> tiles_of(synth::RegisterId id) const {
    std::vector<const std::byte*> tiles;
    for (std::size_t device = 0; device < storage_.tiles(id).boxes.size(); ++device) {
      tiles.push_back(storage_.view(id, device).data);
    }
    return tiles;
  }

  std::shared_ptr<const Arena> input_arena(synth::RegisterId root) const {
    const auto k = std::find(program_.inputs.begin(), program_.inputs.end(), root) - program_.inputs.begin();
    return inputs_[static_cast<std::size_t>(k)].arena();
  }

  std::vector<Arena::Range> ranges_of(synth::RegisterId root) const {
    std::vector<Arena::Range> ranges;
    for (std::size_t device = 0; device < storage_.tiles(root).boxes.size(); ++device) {
      ranges.emplace_back(storage_.view(root, device).data, storage_.tiles(root).bytes[device]);
    }
    return ranges;
  }
  std::shared_ptr<const Arena> leased(synth::RegisterId root) {
    auto& held = leases_[root];
    if (held == nullptr) held = lease(storage_.arena(), ranges_of(root));
    return held;
  }

  // A value in an arena of its own.
  base::Result<Value> copied(synth::RegisterId id) const {
    TESSERA_TRY(arena, Arena::reserve(storage_.tiles(id).bytes));
    std::vector<const std::byte*> tiles;
    for (std::size_t device = 0; device < storage_.tiles(id).boxes.size(); ++device) {
      const TileView view = storage_.view(id, device);
      copy_elements(view, TileOut{view.element, view.shape, arena->part(device)});
      tiles.push_back(arena->part(device));
    }
    return Value(storage_.type(id), arena, std::move(tiles));
  }

  const synth::Program& program_;
  const MemoryPlan& plan_;
  const Storage& storage_;
  const std::vector<Value>& inputs_;
  std::map<synth::RegisterId, std::shared_ptr<const Arena>> leases_;
};

base::Result<Outcome> run_checked(const synth::Program& program, const std::vector<Value>& inputs, const World& world) {
  TESSERA_TRY_STATUS(synth::verify(program));
  TESSERA_TRY_STATUS(check_inputs(program, inputs));
  const TileMaps tiles(program);
  const MemoryPlan plan = plan_memory(program, tiles);
  const std::int64_t limit = memory_limit(world);
  if (plan.total_bytes > limit) {
    const std::string why = fmt::format("the limit is {} bytes, and this step needs the most", limit);
    return base::make(base::Kind::out_of_memory_plan, plan.total_bytes, why).from_step(plan.peak_origin);
  }
  TESSERA_TRY(arena, Arena::reserve(plan.arena_bytes));
  Executor executor(program, tiles, plan, arena, inputs, world);
  TESSERA_TRY_STATUS(executor.run());
  Outcome outcome;
  TESSERA_TRY(outputs, Outputs(program, plan, executor.storage(), inputs).take());
  outcome.outputs = std::move(outputs);
  outcome.statistics = executor.take_statistics();
  outcome.peak_bytes = executor.peak_bytes();
  for (const std::int64_t bytes : plan.arena_bytes) outcome.arena_bytes = std::max(outcome.arena_bytes, bytes);
  return outcome;
}

}  // namespace

base::Result<Outcome> run(const synth::Program& program, const std::vector<Value>& inputs, const World& world) {
  return base::guarded([&] { return run_checked(program, inputs, world); });
}

}  // namespace tessera::runtime
