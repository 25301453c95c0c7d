#include "synth/planner/sum_steps.hpp"

#include <algorithm>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/refinements.hpp"
#include "synth/planner/steps.hpp"

namespace tessera::synth {

namespace {

// Each axis straight into the dimension that wants it; what no dimension wants is reduced whole, on the smaller tiles.
Chain scatter_where_wanted(const ArrayType& from, const ArrayType& to, const AxisList& resolve) {
  Chain chain;
  AxisList left = resolve;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const AxisList axes = wanted_on(from, to, left, d);
    const auto rest = without(left, axes);
    if (axes.empty() || !rest) continue;
    chain.push_back(reduce_scatter_step(axes, d));
    left = *rest;
  }
  if (!left.empty()) chain.push_back(all_reduce_step(left));
  return chain;
}

}  // namespace

AxisList wanted_on(const ArrayType& from, const ArrayType& to, const AxisList& resolve, std::size_t dimension) {
  if (from.mesh() != to.mesh()) return {};
  return shared_in_order(to.layout().split(dimension), resolve).value_or(AxisList{});
}

Chain free_slices(const ArrayType& from, const ArrayType& to) {
  Chain chain;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const auto axes = without_leading(to.layout().split(d), from.layout().split(d));
    if (!axes || axes->empty()) continue;
    const bool free =
        std::none_of(axes->begin(), axes->end(), [&](const AxisPart& p) { return from.layout().uses(p); });
    if (free) chain.push_back(slice_step(*axes, d));
  }
  return chain;
}

std::optional<Collective> scatter_into(const ArrayType& from, const ArrayType& to, const AxisList& resolve,
                                       std::size_t dimension) {
  if (!fits(from, dimension, resolve)) return std::nullopt;
  const AxisList wanted = wanted_on(from, to, resolve, dimension);
  const auto rest = without(resolve, wanted);
  if (!rest) return std::nullopt;
  return reduce_scatter_step(concatenated(wanted, *rest), dimension);
}

std::vector<Collective> scatters_that_cut(const ArrayType& from, const ArrayType& to, const AxisList& wanted,
                                          std::size_t dimension) {
  if (wanted.empty()) return {};
  const AxisList free = free_axes(from);
  if (free.empty()) return {};
  std::vector<Collective> all;
  const auto behind =
      without_leading(to.layout().split(dimension), concatenated(from.layout().split(dimension), wanted));
  if (behind && !behind->empty() && without(free, *behind))
    all.push_back(reduce_scatter_step(wanted, dimension, *behind));
  if ((!behind || *behind != free) && fits(from, dimension, concatenated(wanted, free)))
    all.push_back(reduce_scatter_step(wanted, dimension, free));
  return all;
}

std::vector<Chain> cut_further(const Chain& chain, const ArrayType& from) {
  const auto type = after_chain(chain, from);
  if (!type.ok()) return {};
  std::vector<Chain> all{chain};
  const AxisList axes = free_axes(*type);
  const AxisList reversed(axes.rbegin(), axes.rend());
  for (std::size_t d = 0; d < type->rank() && !axes.empty(); ++d) {
    if (!fits(*type, d, axes)) continue;
    for (const AxisList& order : {axes, reversed}) {
      all.push_back(chain);
      all.back().push_back(slice_step(order, d));
      if (axes.size() == 1) break;
    }
  }
  return all;
}

std::optional<ArrayType> target_in_parts(const ArrayType& from, const ArrayType& to, const AxisList& resolve,
                                         Slices cuts) {
  if (from.mesh() != to.mesh()) return std::nullopt;
  const auto is_pending = [&](const AxisPart& part) {
    return std::find(resolve.begin(), resolve.end(), part) != resolve.end();
  };
  std::vector<AxisList> splits = to.layout().splits();
  for (AxisList& split : splits) {
    if (cuts == Slices::leading) split.erase(std::find_if(split.begin(), split.end(), is_pending), split.end());
    std::erase_if(split, is_pending);
  }
  auto layout = Layout::make(to.mesh(), std::move(splits), from.layout().pending(), from.layout().reduce());
  if (!layout.ok()) return std::nullopt;
  auto type = to.with_layout(std::move(*layout));
  if (!type.ok()) return std::nullopt;
  return *type;
}

AxisList single_axes(const ArrayType& type, const AxisList& axes, const RunMachine& machine) {
  AxisList parts;
  const std::vector<std::int64_t> units = Cluster(machine).unit_sizes();
  for (const AxisPart& part : axes) {
    for (const AxisPart& piece : cut_at_units(type.mesh(), part, units)) parts.push_back(piece);
  }
  return parts;
}

std::vector<Chain> simple_resolutions(const ArrayType& from, const ArrayType& to, const AxisList& resolve) {
  if (resolve.empty()) return {Chain{}};
  std::vector<Chain> all;
  std::vector<Chain> starts{Chain{}};
  const auto parts = target_in_parts(from, to, resolve, Slices::all);
  if (parts) starts.push_back(free_slices(from, *parts));
  if (starts.back().empty()) starts.resize(1);
  for (const Chain& start : starts) {
    const auto begin = after_chain(start, from);
    if (!begin.ok()) continue;
    const auto add = [&](const Chain& rest) {
      all.push_back(start);
      append(all.back(), rest);
    };
    add(scatter_where_wanted(*begin, to, resolve));
    for (std::size_t d = 0; d < from.rank(); ++d) {
      if (auto step = scatter_into(*begin, to, resolve, d)) add({std::move(*step)});
    }
    add({all_reduce_step(resolve)});
  }
  return all;
}

}  // namespace tessera::synth
