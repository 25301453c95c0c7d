// Private to synth: candidate chains. All have one form: resolve the pending axes that the target lacks, move the data,
// keep the axes that become pending on one replica. For each way to resolve sums the portfolio names the best move;
// without a general exchange there are several to choose from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/planner/chain.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

base::Result<ArrayType> after_chain(const Chain& chain, const ArrayType& from);

// The collective, or the slices, that lead from one type to the other in one launch or none; else nothing, or an
// exchange. If tiles are empty, types on different axes can hold the same data: `exactly` asks for the target's own
// axes, because a later step needs one of them.
std::optional<Chain> named_move(const ArrayType& from, const ArrayType& to, bool exactly);
Chain direct_move(const ArrayType& from, const ArrayType& to, bool exactly);

// How the pending set has to change: the axes that stay pending, are resolved, or are kept by one replica.
struct PendingChange {
  AxisList common;
  AxisList resolve;
  AxisList keep;
};
PendingChange pending_change(const ArrayType& from, const ArrayType& to);
// The target before anything is kept: its splits, pending over what stays pending only.
base::Result<ArrayType> without_keeps(const ArrayType& to, const PendingChange& change);

// The ends of a move after which only keeps are to come, and these. First the target before anything is kept, from
// which one replica keeps the value; then layouts in which the kept axes cut it further: each device keeps its tile.
// So an axis that splits the source and is pending in the target moves nothing. Last, on few devices, layouts of the
// source, after whose keeps the parts move.
struct KeptEnd {
  ArrayType target;
  Chain keep;
};
base::Result<std::vector<KeptEnd>> kept_ends(const ArrayType& from, const ArrayType& to, const PendingChange& change);

}  // namespace tessera::synth
