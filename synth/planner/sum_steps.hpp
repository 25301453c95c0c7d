// Private to synth: the steps of which the ways to finish pending sums consist (sums.hpp searches among these ways).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "synth/moves/prices/prices.hpp"
#include "synth/planner/chain.hpp"

namespace tessera::synth {

// The axes to resolve that the target wants on a dimension, in the target's order.
AxisList wanted_on(const ArrayType& from, const ArrayType& to, const AxisList& resolve, std::size_t dimension);

// All axes into one dimension: first those that the target wants there, in its order.
std::optional<Collective> scatter_into(const ArrayType& from, const ArrayType& to, const AxisList& resolve,
                                       std::size_t dimension);

// Axes into the dimension that wants them, cut further by axes that are free: groups along those have copies of the
// sum, and each makes a part of it. First what the target wants, `f32[64]{+b} -> f32[64@(b,a)]`; then by all, so that
// nothing is added twice, though it has to be gathered again.
std::vector<Collective> scatters_that_cut(const ArrayType& from, const ArrayType& to, const AxisList& wanted,
                                          std::size_t dimension);

// Slices that may be taken at once: dimensions that the target only cuts finer, over axes that are free.
Chain free_slices(const ArrayType& from, const ArrayType& to);

// The chain, and a slice over everything that is free after it, the outermost or the innermost axis major, into each of
// the dimensions that are long enough.
std::vector<Chain> cut_further(const Chain& chain, const ArrayType& from);

// The target's cuts without those by the axes to resolve, which are pending: the layout in which the parts of a sum lie
// as the target wants them. `leading`: of every dimension only the cuts before such an axis, so that the sum can be
// scattered right behind them. Nothing if the two use parts of one axis.
enum class Slices : std::uint8_t { all, leading };
std::optional<ArrayType> target_in_parts(const ArrayType& from, const ArrayType& to, const AxisList& resolve,
                                         Slices cuts);

// The pending axes one by one, cut where a unit of the machine ends.
AxisList single_axes(const ArrayType& type, const AxisList& axes, const RunMachine& machine);

// A few simple ways, whatever their cost: for planning within a budget or without a general exchange, where several
// have to be tried.
std::vector<Chain> simple_resolutions(const ArrayType& from, const ArrayType& to, const AxisList& resolve);

}  // namespace tessera::synth
