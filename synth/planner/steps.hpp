// Private to synth: steps built from their fields, named collectives recognised in a change of layout, and what a type
// has room for.
#pragma once

#include <cstddef>
#include <optional>

#include "synth/planner/chain.hpp"

namespace tessera::synth {

// Steps by their fields.
Collective slice_step(AxisList axes, std::size_t to);
Collective all_gather_step(AxisList axes, std::size_t from);
Collective all_to_all_step(AxisList axes, std::size_t from, std::size_t to);
Collective reduce_scatter_step(AxisList axes, std::size_t to, AxisList cut = {});
Collective all_reduce_step(AxisList axes);
Collective keep_step(AxisList axes, ReduceOp reduce, std::optional<std::size_t> from = {});
Collective permute_step(const ArrayType& target);
Collective exchange_step(const ArrayType& target);
Collective relay_step(const ArrayType& target, RelayRef recipe);

// Does the step communicate at all?
bool is_launch(const Collective& step);

// The named collectives (or slices) that make one type of another with the same pending set, if one launch, or none, is
// enough.
std::optional<Chain> find_chain(const ArrayType& from, const ArrayType& to);

// The axes that a type leaves unused: devices that differ along them alone have the same.
AxisList free_axes(const ArrayType& type);

// Does every tile of the dimension still hold something when it is cut that much finer?
bool fits(const ArrayType& type, std::size_t dimension, const AxisList& axes);

}  // namespace tessera::synth
