// Private to synth/choose: what single axes do in a strategy, and all ways to put them together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/choose/strategy.hpp"
#include "synth/program/signature.hpp"

namespace tessera::synth {

// What an axis does in a strategy: it splits an index in one of its cuts, or a sum over it passes.
struct AxisRole {
  int index = -1;
  std::uint8_t cut = 0;
  std::vector<std::size_t> pending = {};  // operands
  ReduceOp reduce = ReduceOp::sum;
};

// Calls f with every combination of one role for each axis.
template <class F>
void for_each_combination(const std::vector<std::vector<AxisRole>>& roles, const F& f) {
  std::vector<std::size_t> at(roles.size(), 0);
  std::vector<const AxisRole*> taken(roles.size());
  while (true) {
    for (std::size_t a = 0; a < roles.size(); ++a) taken[a] = &roles[a][at[a]];
    f(taken);
    std::size_t a = 0;
    while (a < roles.size() && ++at[a] == roles[a].size()) at[a++] = 0;
    if (a == roles.size()) return;
  }
}

AxisPart part_of(const SpaceOf& space, std::size_t axis, std::uint8_t cut);
// The cuts of an axis that differ from the even one, and that.
std::vector<std::uint8_t> cuts_of_axis(const SpaceOf& space, std::size_t axis);
// The ways in which a list of axes, in mesh order, may split one index.
std::vector<AxisList> orders_of(const SpaceOf& space, const AxisList& axes);

// Calls f with the splits in each combination of orders.
template <class F>
void for_each_order(const SpaceOf& space, const IndexSplits& splits, const F& f) {
  std::vector<std::vector<AxisList>> orders;
  for (const AxisList& split : splits) orders.push_back(orders_of(space, split));
  std::vector<std::size_t> at(splits.size(), 0);
  while (true) {
    IndexSplits ordered;
    for (std::size_t i = 0; i < splits.size(); ++i) ordered.push_back(orders[i][at[i]]);
    f(ordered);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == orders[i].size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

// What one role for each axis of the space splits, by index; and over which axes a sum of which kind passes. Mixed
// kinds are none.
IndexSplits splits_by_roles(const SpaceOf& space, std::size_t count, const std::vector<const AxisRole*>& taken,
                            AxisList& pending, std::optional<ReduceOp>& reduce, bool& is_mixed);

// The value in a layout; nothing where it cannot have that one.
std::optional<ArrayType> type_of(const MeshRef& mesh, const ChoiceValue& value, const Layout& layout);

}  // namespace tessera::synth
