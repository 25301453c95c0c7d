#include "synth/planner/collectives_only.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/planner/by_digits.hpp"
#include "synth/planner/chains.hpp"
#include "synth/planner/named_search.hpp"
#include "synth/planner/rivals/rivals.hpp"
#include "synth/planner/sum_steps.hpp"

namespace tessera::synth {

namespace {

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
base::Result<std::vector<Chain>> known_named_chains(const ArrayType& from, const ArrayType& to, bool exactly,
                                                    Prices& prices) {
  std::vector<Chain> all;
  if (auto chain = named_move(from, to, exactly)) all.push_back(std::move(*chain));
  const auto is_exchange = [](const Collective& step) { return kind_of(step) == CollectiveKind::exchange; };
  for (const Planner rival : {Planner::paper, Planner::shardy, Planner::dtensor, Planner::xla}) {
    auto chain = rival_chain(from, to, rival, prices.machine());
    if (!chain.ok() || std::any_of(chain->begin(), chain->end(), is_exchange)) continue;
    const auto end = after_chain(*chain, from);
    if (end.ok() && (!exactly || *end == to)) all.push_back(std::move(*chain));
  }
  if (auto moved = move_by_digits(from, to, prices, std::numeric_limits<double>::infinity()))
    all.push_back(std::move(*moved));
  if (auto moved = move_by_prime_digits(from, to, prices)) all.push_back(std::move(*moved));
  TESSERA_TRY(gathering, gathering_moves(from, to));
  all.insert(all.end(), gathering.begin(), gathering.end());
  return all;
}

// One for each way to resolve what is pending: moves(resolution, type after it, target, exactly) names the chains that
// lead on.
template <class Moves>
base::Result<std::vector<Chain>> chains(const ArrayType& from, const ArrayType& to, Moves&& moves) {
  const PendingChange change = pending_change(from, to);
  TESSERA_TRY(ends, kept_ends(from, to, change));
  std::vector<Chain> all;
  for (const KeptEnd& end : ends) {
    for (const Chain& resolution : simple_resolutions(from, end.target, change.resolve)) {
      TESSERA_TRY(resolved, after_chain(resolution, from));
      TESSERA_TRY(ways, moves(resolution, resolved, end.target, !change.keep.empty()));
      for (const Chain& move : ways) {
        Chain chain = resolution;
        append(chain, move);
        append(chain, end.keep);
        all.push_back(std::move(chain));
      }
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

// The known chains, and a faster one within the limits if there is one. If the bound or a budget may be missed, also
// the fastest of least peak.
base::Result<std::vector<Chain>> named_chains(const ArrayType& from, const ArrayType& to, bool exactly, Prices& prices,
                                              SearchLimits limits) {
  TESSERA_TRY(all, known_named_chains(from, to, exactly, prices));
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
  if (!from.mesh().has_devices_of(to.mesh())) return base::make(Kind::cross_mesh, print(from.mesh()), print(to.mesh()));
  return base::make(Kind::unsupported, name(Planner::tessera), "only an exchange leads from one mesh to another");
}

}  // namespace tessera::synth
