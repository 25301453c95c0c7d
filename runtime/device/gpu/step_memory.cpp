#include "runtime/device/gpu/step_memory.hpp"

#include <utility>

namespace tessera::device {

namespace {

constexpr std::size_t kStepsKept = 4096;

std::uint64_t key_hash(const StepKey& key) {
  std::uint64_t hash = key.size();
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

void write_tiles(const runtime::Tiles& tiles, synth::RegisterId id, StepKey& key) {
  const runtime::Block block = tiles.block(id);
  for (std::int64_t device = block.begin; device < block.end; ++device) {
    const runtime::TileView view = tiles.view(id, static_cast<std::size_t>(device));
    key.push_back(number_of(view.data));
    for (const std::int64_t stride : view.strides) key.push_back(static_cast<std::uint64_t>(stride));
  }
}

}  // namespace

void write_key(const runtime::LocalStep& step, StepKey& key) {
  key = {number_of(&step.apply), static_cast<std::uint64_t>(step.beside)};
  for (const synth::RegisterId id : step.apply.operands) write_tiles(step.tiles, id, key);
  for (const synth::RegisterId id : step.apply.results) write_tiles(step.tiles, id, key);
}

void write_key(const runtime::ChainStep& chain, StepKey& key) {
  using Where = runtime::RegisterPlan::Where;
  key = {number_of(chain.steps.data()), chain.steps.size(), chain.lead};
  // Of what lies in blocks nobody asks where, nor of a view of it.
  const auto has_tiles = [&](synth::RegisterId id) {
    const Where where = chain.plan[chain.plan[id].root].where;
    return where == Where::arena || where == Where::input;
  };
  for (const synth::Step& step : chain.steps) {
    const auto& apply = std::get<synth::Apply>(step.node);
    for (const synth::RegisterId id : apply.operands) {
      if (has_tiles(id)) write_tiles(chain.tiles, id, key);
    }
    for (const synth::RegisterId id : apply.results) {
      if (chain.plan[id].where == Where::arena || chain.plan[id].where == Where::part)
        write_tiles(chain.tiles, id, key);
    }
  }
}

void write_key(const runtime::ListHints& list, StepKey& key) { key.assign(list.key.begin(), list.key.end()); }

const std::vector<KeptLaunch>* StepMemory::find(const StepKey& key) const {
  const auto found = entries_.find(key_hash(key));
  return found == entries_.end() || found->second.key != key ? nullptr : &found->second.launches;
}

void StepMemory::keep(const StepKey& key, std::vector<KeptLaunch> launches) {
  if (entries_.size() >= kStepsKept) forget();
  entries_.insert_or_assign(key_hash(key), Entry{key, std::move(launches)});
}

}  // namespace tessera::device
