#include "synth/program/choice/memory.hpp"

#include <algorithm>
#include <map>

#include "synth/layout/cluster/machine.hpp"
#include "synth/moves/plan/plan.hpp"

namespace tessera::synth {

TakenPlaces::TakenPlaces(const ChoiceProblem& problem) : problem_(problem), has_place_(problem.values.size(), 0) {
  for (const ChoiceNode& node : problem.nodes) {
    const bool is_fused = node.operation && (std::holds_alternative<Map>(*node.operation) ||
                                             std::holds_alternative<Reduce>(*node.operation) ||
                                             std::holds_alternative<Reshape>(*node.operation));
    for (const ChoiceUse& use : node.uses) {
      if (!is_fused) has_place_[use.value.value] = 1;
    }
  }
}

bool TakenPlaces::takes(const ChoiceNode& node, const ChoiceUse& use) const {
  if (!node.operation || !std::holds_alternative<Map>(*node.operation)) return false;
  const ChoiceValue& operand = problem_[use.value];
  const ChoiceValue& result = problem_[*node.result];
  return has_place_[node.result->value] != 0 && operand.shape == result.shape && operand.element == result.element;
}

std::vector<ChoiceLife> lives_in_order(const ChoiceProblem& problem) {
  const std::size_t end = 2 * problem.nodes.size();
  const TakenPlaces places(problem);
  std::vector<ChoiceLife> lives(problem.values.size());
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    const ChoiceNode& node = problem.nodes[n];
    const bool is_parameter = !node.operation && node.result;
    if (node.result) {
      ChoiceLife& own = lives[node.result->value];
      own.value = *node.result;
      own.born = is_parameter ? 0 : 2 * n + 1;
      own.dies = is_parameter ? end : std::max(own.dies, own.born);
    }
    for (std::size_t u = 0; u < node.uses.size(); ++u) {
      ChoiceLife& own = lives[node.uses[u].value.value];
      // A join's use is that of a result or of a next value.
      const std::size_t moment = node.operation || problem.nodes[n].pin ? 2 * n : end;
      const std::size_t until = !node.operation ? end : places.takes(node, node.uses[u]) ? 2 * n : 2 * n + 1;
      own.reads.push_back({n, u, std::min(moment, until), until});
      own.dies = std::max(own.dies, until);
    }
  }
  return lives;
}

MemoryUse::MemoryUse(const ChoiceProblem& problem, const LayoutChoice& choice)
    : problem_(problem), choice_(choice), made_(problem.values.size()) {
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    const auto& result = problem.nodes[n].result;
    if (result) made_[result->value] = type_in(problem, *result, *choice.nodes[n].result);
  }
  for (const ChoiceLife& life : problem.lives) {
    moments_ = std::max(moments_, life.dies + 1);
    add_life(life);
    add_copies(life);
  }
}

void MemoryUse::add_life(const ChoiceLife& life) {
  if (life.has_room) stays_.push_back({life.value, {number_of(*made_[life.value.value])}, life.born, life.dies});
}

// A copy is there from the first to the last of what is read of it, and of the copies that are made of it.
void MemoryUse::add_copies(const ChoiceLife& life) {
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> spans;
  for (const ChoiceRead& read : life.reads) {
    auto copy = choice_.nodes[read.node].uses[read.use].copy;
    while (copy) {
      const auto [known, is_new] = spans.try_emplace(*copy, read.moment, read.until);
      if (!is_new) {
        known->second.first = std::min(known->second.first, read.moment);
        known->second.second = std::max(known->second.second, read.until);
      }
      copy = choice_.conversions[*copy].of_copy;
    }
  }
  for (const auto& [copy, span] : spans) {
    const Plan& plan = *choice_.conversions[copy].plan;
    stays_.push_back({life.value, {number_of(plan.to)}, span.first, span.second});
    Stay between{life.value, {}, span.first, span.first};
    for (std::size_t s = 0; s + 1 < plan.steps.size(); ++s) between.types.push_back(number_of(plan.steps[s].after));
    if (!between.types.empty()) stays_.push_back(std::move(between));
  }
}

std::size_t MemoryUse::number_of(const ArrayType& type) {
  const auto known = std::ranges::find(types_, type);
  if (known != types_.end()) return static_cast<std::size_t>(known - types_.begin());
  types_.push_back(type);
  return types_.size() - 1;
}

std::vector<std::int64_t> MemoryUse::bytes_of_types(std::int64_t device) const {
  std::vector<std::int64_t> bytes;
  for (const ArrayType& type : types_) bytes.push_back(tile_bytes(type, device));
  return bytes;
}

std::int64_t MemoryUse::bytes_of(const Stay& stay, const std::vector<std::int64_t>& bytes) {
  std::int64_t most = 0;
  for (const std::size_t type : stay.types) most = std::max(most, bytes[type]);
  return most;
}

std::vector<std::int64_t> MemoryUse::of_device(std::int64_t device) const {
  const std::vector<std::int64_t> bytes = bytes_of_types(device);
  std::vector<std::int64_t> held(moments_ + 1, 0);
  for (const Stay& stay : stays_) {
    held[stay.first] += bytes_of(stay, bytes);
    held[stay.last + 1] -= bytes_of(stay, bytes);
  }
  for (std::size_t moment = 1; moment < held.size(); ++moment) held[moment] += held[moment - 1];
  held.resize(moments_);
  return held;
}

std::vector<std::int64_t> MemoryUse::peaks() const {
  std::vector<std::int64_t> peaks;
  for (std::int64_t device = 0; device < problem_.mesh->devices(); ++device) {
    const std::vector<std::int64_t> held = of_device(device);
    peaks.push_back(held.empty() ? 0 : *std::ranges::max_element(held));
  }
  return peaks;
}

std::vector<MemoryUse::Holding> MemoryUse::holdings(std::size_t moment, std::int64_t device) const {
  const std::vector<std::int64_t> bytes = bytes_of_types(device);
  std::map<ChoiceValueId, std::int64_t> of_values;
  for (const Stay& stay : stays_) {
    if (stay.first <= moment && moment <= stay.last) of_values[stay.value] += bytes_of(stay, bytes);
  }
  std::vector<Holding> all;
  for (const auto& [value, held] : of_values) all.push_back({value, held});
  std::ranges::stable_sort(all, [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
  return all;
}

std::vector<std::int64_t> memory_limits(const Machine& machine, const Mesh& mesh) {
  std::vector<std::int64_t> limits;
  std::vector<std::int64_t> of_devices;
  for (const DeviceKind& kind : machine.devices) {
    const auto count = static_cast<std::size_t>(std::min(kind.count, mesh.devices_end()));
    of_devices.insert(of_devices.end(), count, kind.memory_bytes);
  }
  bool is_limited = false;
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    const std::size_t number = mesh.device_of_run(device).value;
    limits.push_back(number < of_devices.size() ? of_devices[number] : 0);
    is_limited = is_limited || limits.back() > 0;
  }
  return is_limited ? limits : std::vector<std::int64_t>();
}

}  // namespace tessera::synth
