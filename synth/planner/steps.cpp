#include "synth/planner/steps.hpp"

#include <utility>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

std::vector<std::size_t> changed_dimensions(const ArrayType& from, const ArrayType& to) {
  std::vector<std::size_t> changed;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (!same_cuts(from, d, to, d)) changed.push_back(d);
  }
  return changed;
}

// Axes that are trailing on `longer` and not on `shorter`; nothing unless there are some and the lists are otherwise
// alike.
std::optional<AxisList> extension(const AxisList& longer, const AxisList& shorter) {
  auto rest = without_leading(longer, shorter);
  if (!rest || rest->empty()) return std::nullopt;
  return rest;
}

std::optional<Chain> slices(const ArrayType& from, const ArrayType& to, const std::vector<std::size_t>& changed) {
  Chain chain;
  for (const std::size_t d : changed) {
    auto axes = extension(to.layout().split(d), from.layout().split(d));
    if (!axes) return std::nullopt;
    chain.push_back(slice_step(std::move(*axes), d));
  }
  return chain;
}

std::optional<Chain> gather_of_one(const ArrayType& from, const ArrayType& to, std::size_t d) {
  auto axes = extension(from.layout().split(d), to.layout().split(d));
  if (!axes) return std::nullopt;
  return Chain{all_gather_step(std::move(*axes), d)};
}

std::optional<Chain> all_to_all_of_two(const ArrayType& from, const ArrayType& to, std::size_t leaves,
                                       std::size_t enters) {
  const auto leaving = extension(from.layout().split(leaves), to.layout().split(leaves));
  auto entering = extension(to.layout().split(enters), from.layout().split(enters));
  if (!leaving || !entering || !same_axes(*leaving, *entering)) return std::nullopt;
  return Chain{all_to_all_step(std::move(*entering), leaves, enters)};
}

std::optional<Chain> permute_of(const ArrayType& from, const ArrayType& to) {
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (!(cuts(from, d) == cuts(to, d))) return std::nullopt;
  }
  return Chain{permute_step(to)};
}

bool leads_to(const Chain& chain, const ArrayType& from, const ArrayType& to) {
  ArrayType type = from;
  for (const Collective& step : chain) {
    auto after = apply(step, type);
    if (!after.ok()) return false;
    type = *after;
  }
  return same_type(type, to);
}

}  // namespace

Collective slice_step(AxisList axes, std::size_t to) {
  Slice slice;
  slice.moves.push_back({std::move(axes), to});
  return {std::move(slice), Direct{}};
}

Collective all_gather_step(AxisList axes, std::size_t from) {
  AllGather gather;
  gather.moves.push_back({std::move(axes), from});
  return {std::move(gather), Direct{}};
}

Collective all_to_all_step(AxisList axes, std::size_t from, std::size_t to) {
  AllToAll all_to_all;
  all_to_all.moves.push_back({std::move(axes), from, to});
  return {std::move(all_to_all), Direct{}};
}

Collective reduce_scatter_step(AxisList axes, std::size_t to, AxisList cut) {
  return {ReduceScatter{std::move(axes), to, std::move(cut)}, Direct{}};
}
Collective all_reduce_step(AxisList axes) { return {AllReduce{std::move(axes)}, Direct{}}; }
Collective keep_step(AxisList axes, ReduceOp reduce, std::optional<std::size_t> from) {
  return {Keep{std::move(axes), reduce, from}, Direct{}};
}
Collective permute_step(const ArrayType& target) { return {Permute{target}, Direct{}}; }
Collective exchange_step(const ArrayType& target) { return {Exchange{target}, Direct{}}; }
Collective relay_step(const ArrayType& target, RelayRef recipe) { return {Exchange{target}, std::move(recipe)}; }

bool is_launch(const Collective& step) { return movement(step) != Movement::none; }

std::optional<Chain> find_chain(const ArrayType& from, const ArrayType& to) {
  if (from.mesh() != to.mesh()) return std::nullopt;
  const std::vector<std::size_t> changed = changed_dimensions(from, to);
  std::vector<std::optional<Chain>> found{slices(from, to, changed)};
  if (changed.size() == 1) found.push_back(gather_of_one(from, to, changed[0]));
  if (changed.size() == 2) {
    found.push_back(all_to_all_of_two(from, to, changed[0], changed[1]));
    found.push_back(all_to_all_of_two(from, to, changed[1], changed[0]));
  }
  found.push_back(permute_of(from, to));
  for (auto& chain : found) {
    if (chain && leads_to(*chain, from, to)) return chain;
  }
  return std::nullopt;
}

bool fits(const ArrayType& type, std::size_t dimension, const AxisList& axes) {
  const AxisList finer = concatenated(type.layout().split(dimension), axes);
  return Cuts(type.mesh(), type.shape()[dimension], finer).fill_every_tile();
}

AxisList free_axes(const ArrayType& type) {
  std::vector<AxisList> used = type.layout().splits();
  used.push_back(type.layout().pending());
  return unused(type.mesh(), used);
}

}  // namespace tessera::synth
