#include "runtime/memory/pins.hpp"

#include <algorithm>

#include "runtime/memory/bytes.hpp"

namespace tessera::runtime {

using synth::RegisterId;

void Pins::note_made(std::size_t body, std::size_t step, RegisterId id) {
  made_.resize(std::max(made_.size(), body + 1));
  made_[body].push_back(step);
  sources_[id] = Source{{step, {}}, body};
}

void Pins::note_slice(std::size_t body, RegisterId id) {
  const auto source = sources_.find(plan_[id].root);
  if (source == sources_.end() || source->second.body != body) return;
  if (!slice_around(plan_[id].source).valid()) source->second.slices.emplace(id, 0);
}

RegisterId Pins::slice_around(RegisterId id) const {
  const RegisterId root = plan_[id].root;
  const auto source = sources_.find(root);
  RegisterId around;
  for (RegisterId at = id; at != root; at = plan_[at].source) {
    if (plan_[at].where == RegisterPlan::Where::slice) around = at;
  }
  const bool counts = source != sources_.end() && around.valid() && source->second.slices.contains(around);
  return counts ? around : RegisterId{};
}

void Pins::note_use(RegisterId id, const std::vector<std::size_t>& now, const std::vector<Lifetime>& lives) {
  const auto source = sources_.find(plan_[id].root);
  if (source == sources_.end()) return;
  const std::size_t step = now[lives[source->first.value].depth];
  const RegisterId slice = slice_around(id);
  (slice.valid() ? source->second.slices[slice] : source->second.own_use) = step;
}

// Are the slices that outlive the source's own uses, together, at most half of it?
bool Pins::are_small(RegisterId root, const Source& source) const {
  std::int64_t bytes = 0;
  for (const auto& [slice, last_use] : source.slices) {
    if (last_use > source.own_use) bytes = add_bytes(bytes, tiles_[slice].bytes_max);
  }
  return bytes <= tiles_[root].bytes_max / 2;
}

bool Pins::makes_between(std::size_t body, std::size_t after, std::size_t until) const {
  const std::vector<std::size_t>& made = made_[body];
  const auto next = std::upper_bound(made.begin(), made.end(), after);
  return next != made.end() && *next <= until;
}

Copied Pins::worth_copying(const std::vector<Lifetime>& lives) const {
  Copied worth;
  for (const auto& [root, source] : sources_) {
    if (plan_[root].written_to.valid() || lives[root.value].belongs_to_loop || !are_small(root, source)) continue;
    for (const auto& [slice, last_use] : source.slices) {
      if (makes_between(source.body, source.own_use, last_use)) worth.insert(slice);
    }
  }
  return worth;
}

SlicedUses Pins::take_sliced() && {
  SlicedUses sliced;
  for (auto& [root, source] : sources_) {
    if (!source.slices.empty()) sliced.emplace(root, std::move(source));
  }
  return sliced;
}

}  // namespace tessera::runtime
