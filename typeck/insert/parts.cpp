// Arrays that are made of parts: their elements go straight from the tiles where they lie to those of the result.
#include "typeck/layouts/parts.hpp"

#include <algorithm>

#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

MaybeHeld TypedOperations::concat(Span span, const std::string& who, std::vector<Held> all, const open::Concat& concat,
                                  NodeLayouts layouts) {
  const auto values = brought(std::move(all), std::move(layouts.uses), false);
  if (!values.has_value()) return std::nullopt;
  std::vector<ArrayType> operands;
  std::vector<NodeId> nodes;
  for (const Held& value : *values) {
    operands.push_back(type(value));
    nodes.push_back(value.node());
  }
  const ArrayType& result = layouts.types.at(0);
  synth::Assemble assemble = joined_along(concat.dimension, operands);
  const std::int64_t bytes = bytes_of_parts(assemble, operands, result);
  if (!allow_received(bytes, Reason{Reason::Asker::operation, who, span, {}, {}}, span)) return std::nullopt;
  const Held made_value = compute(span, result, std::move(assemble), std::move(nodes), bytes, who);
  std::get<Compute>(typed_.nodes[made_value.node()].body).compared = std::move(layouts.compared);
  return made_value;
}

// The operands are the array, the new elements, and the positions that are known only at run time.
MaybeHeld TypedOperations::update(Span span, const std::string& who, const std::vector<Held>& operands,
                                  const open::Update& update) {
  const ArrayType own = type(operands[0]);
  const ArrayType part_type = type(operands[1]);
  synth::Assemble assemble{true, {synth::Part{1, std::vector<synth::Placement>(own.rank())}}};
  std::int32_t scalar = 2;
  for (std::size_t d = 0; d < update.at.size(); ++d) {
    synth::Placement& placement = assemble.parts[0].placements[d];
    if (update.at[d].has_value())
      placement.add = *update.at[d];
    else
      placement = synth::Placement{0, scalar++, false, true, own.shape()[d]};
  }
  const bool at_run_time = scalar > 2;
  const std::int64_t bytes =
      at_run_time ? received_at_most(part_type, own) : bytes_of_parts(assemble, {own, part_type}, own);
  const Reason why{Reason::Asker::operation, who, span, operands[1].span, {}};
  if (!allow_received(bytes, why, span)) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Held& operand : operands) nodes.push_back(operand.node());
  return compute(span, own, std::move(assemble), std::move(nodes), bytes, who);
}

}  // namespace tessera::typeck
