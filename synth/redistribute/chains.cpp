// Candidate chains. All of them have one form: resolve what is pending and must not be, move the data, keep what
// becomes pending on one replica. For each way to resolve sums the portfolio names the best move; without a general
// exchange there are several to choose from.
#include <algorithm>
#include <limits>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/redistribute/chain.hpp"
#include "synth/redistribute/named_search.hpp"

namespace tessera::synth {

namespace {

AxisList joined(const AxisList& a, const AxisList& b) {
  AxisList all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// What of the axes to resolve the target wants on a dimension, in the target's order.
AxisList wanted_on(const ArrayType& from, const ArrayType& to, const AxisList& resolve, std::size_t dimension) {
  if (from.mesh() != to.mesh()) return {};
  return shared_in_order(to.layout().split(dimension), resolve).value_or(AxisList{});
}

// Does every tile of the dimension still hold something when it is cut that much finer?
bool fits(const ArrayType& type, std::size_t dimension, const AxisList& axes) {
  const std::int64_t tiles = shard_count(type.layout().split(dimension)) * shard_count(axes);
  return type.shape()[dimension] >= tiles;
}

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

// All axes into one dimension: first those that the target wants there, in its order.
std::optional<Chain> scatter_into(const ArrayType& from, const ArrayType& to, const AxisList& resolve,
                                  std::size_t dimension) {
  if (!fits(from, dimension, resolve)) return std::nullopt;
  const AxisList wanted = wanted_on(from, to, resolve, dimension);
  const auto rest = without(resolve, wanted);
  if (!rest) return std::nullopt;
  return Chain{reduce_scatter_step(canonical(joined(wanted, *rest)), dimension)};
}

std::vector<Chain> resolutions(const ArrayType& from, const ArrayType& to, const AxisList& resolve) {
  if (resolve.empty()) return {Chain{}};
  std::vector<Chain> all{scatter_where_wanted(from, to, resolve)};
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (auto chain = scatter_into(from, to, resolve, d)) all.push_back(std::move(*chain));
  }
  all.push_back(Chain{all_reduce_step(resolve)});
  return all;
}

std::optional<Chain> named_move(const ArrayType& from, const ArrayType& to, bool exactly) {
  if (exactly ? from == to : same_type(from, to)) return Chain{};
  const auto permuted = apply(permute_step(to), from);
  if (same_type(from, to) && permuted.ok()) return Chain{permute_step(to)};
  auto chain = recognise(from, to);
  if (!chain || !exactly) return chain;
  const auto end = after_chain(*chain, from);
  return end.ok() && *end == to ? chain : std::nullopt;
}

// ---- Without a general exchange ----

// Slices that may be taken at once: dimensions that the target only cuts finer, over axes that are free.
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

// Everything the two do not begin with is gathered away and sliced in again.
Chain gathers_and_slices(const ArrayType& from, const ArrayType& to) {
  Chain gathers;
  Chain slices;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    const AxisList shared = common_leading(from.layout().split(d), to.layout().split(d));
    const auto leaving = without_leading(from.layout().split(d), shared);
    const auto entering = without_leading(to.layout().split(d), shared);
    if (leaving && !leaving->empty()) gathers.push_back(all_gather_step(*leaving, d));
    if (entering && !entering->empty()) slices.push_back(slice_step(*entering, d));
  }
  gathers.insert(gathers.end(), slices.begin(), slices.end());
  return gathers;
}

base::Result<std::vector<Chain>> gathering_moves(const ArrayType& from, const ArrayType& to) {
  std::vector<Chain> all{gathers_and_slices(from, to)};
  Chain sliced_first = free_slices(from, to);
  if (sliced_first.empty()) return all;
  TESSERA_TRY(sliced, after_chain(sliced_first, from));
  const Chain rest = gathers_and_slices(sliced, to);
  sliced_first.insert(sliced_first.end(), rest.begin(), rest.end());
  all.push_back(std::move(sliced_first));
  return all;
}

// Chains of named collectives to begin with: the one that is enough, what rivals would do, gathering and slicing, which
// always leads there.
base::Result<std::vector<Chain>> known_named_chains(const ArrayType& from, const ArrayType& to, bool exactly) {
  std::vector<Chain> all;
  if (auto chain = named_move(from, to, exactly)) all.push_back(std::move(*chain));
  const auto is_exchange = [](const Collective& step) { return step.kind == CollectiveKind::exchange; };
  for (const Planner rival : {Planner::paper, Planner::shardy, Planner::dtensor, Planner::xla}) {
    auto chain = rival_chain(from, to, rival);
    if (!chain.ok() || std::any_of(chain->begin(), chain->end(), is_exchange)) continue;
    const auto end = after_chain(*chain, from);
    if (end.ok() && (!exactly || *end == to)) all.push_back(std::move(*chain));
  }
  TESSERA_TRY(gathering, gathering_moves(from, to));
  all.insert(all.end(), gathering.begin(), gathering.end());
  return all;
}

// One for each way to resolve what is pending: moves(resolution, type after it, target, exactly) names the chains that
// lead on.
template <class Moves>
base::Result<std::vector<Chain>> chains(const ArrayType& from, const ArrayType& to, Moves&& moves) {
  const PendingChange change = pending_change(from, to);
  TESSERA_TRY(target, unkept(to, change));
  std::vector<Chain> all;
  for (const Chain& resolution : resolutions(from, target, change.resolve)) {
    TESSERA_TRY(resolved, after_chain(resolution, from));
    TESSERA_TRY(ways, moves(resolution, resolved, target, !change.keep.empty()));
    for (const Chain& move : ways) {
      Chain chain = resolution;
      chain.insert(chain.end(), move.begin(), move.end());
      if (!change.keep.empty()) chain.push_back(keep_step(change.keep, to.layout().reduce()));
      all.push_back(std::move(chain));
    }
  }
  return all;
}

base::Result<double> seconds_of(const Chain& chain, const ArrayType& from, Prices& prices) {
  ArrayType type = from;
  double seconds = 0;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, type));
    seconds += prices.of(step, type, after).seconds;
    type = after;
  }
  return seconds;
}

// Is no array of the chain larger than that?
base::Result<bool> keeps(const Chain& chain, const ArrayType& from, std::int64_t array_bytes_max) {
  ArrayType type = from;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, type));
    if (tile_bytes_max(after) > array_bytes_max) return false;
    type = after;
  }
  return true;
}

// The known chains, and a faster one within the limits if there is one. Where the bound or a budget may be missed, the
// fastest of least peak too.
base::Result<std::vector<Chain>> named_chains(const ArrayType& from, const ArrayType& to, bool exactly, Prices& prices,
                                              SearchLimits limits) {
  TESSERA_TRY(all, known_named_chains(from, to, exactly));
  bool bound_is_kept = false;
  for (const Chain& chain : all) {
    TESSERA_TRY(kept, keeps(chain, from, limits.array_bytes_max));
    if (!kept) continue;
    bound_is_kept = true;
    TESSERA_TRY(seconds, seconds_of(chain, from, prices));
    limits.seconds_max = std::min(limits.seconds_max, seconds);
  }
  auto fastest = fastest_named_chain(from, to, exactly, prices.machine(), limits);
  const bool has_budget = limits.peak_bytes_max < SearchLimits{}.peak_bytes_max;
  if (!fastest && (has_budget || !bound_is_kept)) {
    const auto least = least_named_peak(from, to, exactly);
    if (!least) return all;
    SearchLimits smallest;
    smallest.peak_bytes_max = *least;
    fastest = fastest_named_chain(from, to, exactly, prices.machine(), smallest);
  }
  if (fastest && !fastest->empty()) all.push_back(std::move(*fastest));
  return all;
}

}  // namespace

base::Result<ArrayType> after_chain(const Chain& chain, const ArrayType& from) {
  ArrayType type = from;
  for (const Collective& step : chain) {
    TESSERA_TRY(after, apply(step, type));
    type = after;
  }
  return type;
}

Chain direct_move(const ArrayType& from, const ArrayType& to, bool exactly) {
  return named_move(from, to, exactly).value_or(Chain{exchange_step(to)});
}

PendingChange pending_change(const ArrayType& from, const ArrayType& to) {
  const AxisList& before = from.layout().pending();
  const AxisList& after = to.layout().pending();
  const bool may_stay = from.mesh() == to.mesh() && from.layout().reduce() == to.layout().reduce();
  const auto compared = may_stay ? compare_sets(before, after) : std::nullopt;
  if (!compared) return PendingChange{{}, before, after};
  return PendingChange{compared->common, compared->only_first, compared->only_second};
}

base::Result<ArrayType> unkept(const ArrayType& to, const PendingChange& change) {
  TESSERA_TRY(layout, Layout::make(to.mesh(), to.layout().splits(), change.common, to.layout().reduce()));
  return to.with_layout(layout);
}

base::Result<std::vector<Chain>> portfolio(const ArrayType& from, const ArrayType& to, Prices& prices, Resolve ways) {
  // Sums of the same prices in another order may differ in their last bits.
  constexpr double kSlack = 1 + 1e-9;
  double fastest = std::numeric_limits<double>::infinity();
  using Chains = base::Result<std::vector<Chain>>;
  return chains(from, to,
                [&](const Chain& resolution, const ArrayType& at, const ArrayType& target, bool exactly) -> Chains {
                  TESSERA_TRY(before, seconds_of(resolution, from, prices));
                  if (ways == Resolve::fastest && before > fastest * kSlack) return std::vector<Chain>{};
                  const double rest = ways == Resolve::fastest ? fastest * kSlack - before : fastest;
                  TESSERA_TRY(best, best_move(at, target, exactly, prices, rest));
                  if (!best) return std::vector<Chain>{};
                  TESSERA_TRY(after, seconds_of(*best, at, prices));
                  if (ways == Resolve::fastest) fastest = std::min(fastest, before + after);
                  return std::vector<Chain>{std::move(*best)};
                });
}

base::Result<std::vector<Chain>> collectives_only_chains(const ArrayType& from, const ArrayType& to, Prices& prices,
                                                         std::optional<std::int64_t> budget) {
  if (from.mesh() == to.mesh()) {
    SearchLimits limits;
    limits.array_bytes_max = std::max(tile_bytes_max(from), tile_bytes_max(to));
    if (budget) limits.peak_bytes_max = *budget;
    return chains(from, to, [&](const Chain&, const ArrayType& at, const ArrayType& target, bool exactly) {
      return named_chains(at, target, exactly, prices, limits);
    });
  }
  return base::make(base::Kind::unsupported, name(Planner::tessera), "only an exchange leads from one mesh to another");
}

}  // namespace tessera::synth
