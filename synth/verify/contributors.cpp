// Which parts of a sum every device has gathered, and whether a new tile can be filled at all.
#include <algorithm>
#include <utility>

#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

namespace {

Contributors nobody(std::int64_t contributors) {
  return Contributors(static_cast<std::size_t>(contributors + 63) / 64, 0);
}

Contributors everybody(std::int64_t contributors) {
  Contributors all = nobody(contributors);
  for (std::int64_t c = 0; c < contributors; ++c) all[static_cast<std::size_t>(c / 64)] |= std::uint64_t{1} << (c % 64);
  return all;
}

// Adds what is not there yet; false if something is there twice.
bool join(Contributors& into, const Contributors& more) {
  for (std::size_t w = 0; w < into.size(); ++w) {
    if ((into[w] & more[w]) != 0) return false;
    into[w] |= more[w];
  }
  return true;
}

// Devices at one place along the pending axes are replicas: whatever moves between them must be worth the same.
Fault check_replicas(const State& state) {
  std::vector<const Contributors*> first(static_cast<std::size_t>(state.standing.contributors), nullptr);
  for (std::size_t i = 0; i < state.gathered.size(); ++i) {
    auto& known = first[static_cast<std::size_t>(state.standing.pending[i])];
    if (known == nullptr) known = &state.gathered[i];
    if (*known != state.gathered[i]) return "devices that should hold the same parts of a sum do not";
  }
  return std::nullopt;
}

// Every element of a device's new tile lies on some device at the same place along the pending axes. Tiles of one
// layout are equal or have nothing in common: each counts once.
Fault check_sources(const State& before, const Holdings& after) {
  const Holdings& start = before.standing;
  const Numbers tiles = start.tile_numbers();
  Numbers counted_for(tiles.size(), -1);  // of every tile: the last device it was counted for
  for (std::int64_t target = 0; target < after.devices(); ++target) {
    std::int64_t found = 0;
    for (std::int64_t source = 0; source < start.devices(); ++source) {
      const auto from = static_cast<std::size_t>(source);
      if (start.pending[from] != after.pending[static_cast<std::size_t>(target)]) continue;
      auto& last = counted_for[static_cast<std::size_t>(tiles[from])];
      if (last == target) continue;
      last = target;
      found += shared_elements(start, source, after, target);
    }
    if (found != after.elements(target)) return "a device needs elements that nobody can send it";
  }
  return std::nullopt;
}

// On another mesh nothing is pending, so that every device has gathered the same.
void change_devices(State& state, const Holdings& after) {
  const Contributors all = state.gathered.front();
  const bool followed = after.devices() <= kExplicitDevicesMax;
  state.gathered.assign(followed ? static_cast<std::size_t>(after.devices()) : 0, all);
}

Fault combine_groups(State& state, const AxisList& axes) {
  const Numbers leaders = group_leaders(state.type.mesh(), axes);
  std::vector<Contributors> sums(state.gathered.size());
  for (std::size_t i = 0; i < state.gathered.size(); ++i) {
    auto& sum = sums[static_cast<std::size_t>(leaders[i])];
    if (sum.empty()) {
      sum = state.gathered[i];
    } else if (!join(sum, state.gathered[i])) {
      return "a part of a sum is added twice";
    }
    const auto leader = static_cast<std::int64_t>(leaders[i]);
    const std::int64_t both = shared_elements(state.standing, leader, state.standing, static_cast<std::int64_t>(i));
    if (both != state.standing.elements(leader) || both != state.standing.elements(static_cast<std::int64_t>(i))) {
      return "devices that add their tiles hold different ones";
    }
  }
  for (std::size_t i = 0; i < state.gathered.size(); ++i)
    state.gathered[i] = sums[static_cast<std::size_t>(leaders[i])];
  return std::nullopt;
}

void keep_on_one(State& state, const AxisList& axes) {
  const Numbers along = places(state.type.mesh(), axes);
  for (std::size_t i = 0; i < state.gathered.size(); ++i) {
    if (along[i] != 0) std::fill(state.gathered[i].begin(), state.gathered[i].end(), 0);
  }
}

// Over the places along the pending axes every part of the sum is there exactly once.
Fault check_parts(const State& state, std::int64_t contributors) {
  if (auto fault = check_replicas(state)) return fault;
  Contributors all = nobody(contributors);
  std::vector<bool> counted(static_cast<std::size_t>(state.standing.contributors), false);
  for (std::size_t i = 0; i < state.gathered.size(); ++i) {
    const auto place = static_cast<std::size_t>(state.standing.pending[i]);
    if (counted[place]) continue;
    counted[place] = true;
    if (!join(all, state.gathered[i])) return "a part of a sum is there twice in the end";
  }
  if (all != everybody(contributors)) return "a part of a sum is missing in the end";
  return std::nullopt;
}

}  // namespace

State::State(const ArrayType& from) : type(from), standing(from) {
  if (standing.devices() > kExplicitDevicesMax) return;
  for (const std::int64_t place : standing.pending) {
    gathered.push_back(nobody(standing.contributors));
    gathered.back()[static_cast<std::size_t>(place / 64)] |= std::uint64_t{1} << (place % 64);
  }
}

Fault follow_contributors(State& state, const Collective& step, const Holdings& after) {
  if (state.gathered.empty()) return std::nullopt;
  if (const auto* scatter = std::get_if<ReduceScatter>(&step.effect)) return combine_groups(state, scatter->axes);
  if (const auto* reduce = std::get_if<AllReduce>(&step.effect)) return combine_groups(state, reduce->axes);
  if (const auto* keep = std::get_if<Keep>(&step.effect)) {
    if (!keep->from) keep_on_one(state, keep->axes);
    return std::nullopt;
  }
  if (auto fault = check_replicas(state)) return fault;
  if (auto fault = check_sources(state, after)) return fault;
  if (after.ids != state.standing.ids) change_devices(state, after);
  return std::nullopt;
}

Fault check_sums(const State& state, std::int64_t contributors) {
  if (state.gathered.empty()) return std::nullopt;
  return check_parts(state, contributors);
}

}  // namespace tessera::synth::verifier
