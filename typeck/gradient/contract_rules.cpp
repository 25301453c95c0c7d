// The derivative of an Einstein sum: for operand k, the sum of the cotangent and the other operands onto k's indices.
#include <algorithm>

#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

Use numbers_along(const Build& build, const open::Type& like, std::size_t dimension) {
  const open::Type type(synth::ElementType::i64, {like.shape()[dimension]}, like.mesh_ref());
  const open::Make numbers{synth::Iota{}, {std::vector<synth::AxisList>(1), {}}, build.span()};
  std::vector<std::size_t> others;
  for (std::size_t d = 0; d < like.rank(); ++d) {
    if (d != dimension) others.push_back(d);
  }
  return build.with_unit_dimensions(build.compute(type, numbers, {}), others);
}

namespace {

// The sum that one operand is given.
struct Onto {
  std::vector<Use> operands;
  synth::Contract sum;
  std::vector<std::size_t> alone;  // dimensions of the operand whose index nothing else has, or an earlier one has
};

using Indices = std::vector<std::uint8_t>;

bool anywhere(const std::vector<Indices>& indices, std::uint8_t index) {
  return std::any_of(indices.begin(), indices.end(),
                     [&](const Indices& own) { return std::find(own.begin(), own.end(), index) != own.end(); });
}

bool repeats(const Indices& own, std::size_t d) {
  const auto at = own.begin() + static_cast<std::ptrdiff_t>(d);
  return std::find(own.begin(), at, own[d]) != at;
}

// Zeros where positions along dimensions that repeat an index differ: only the diagonal was read. Every device makes
// that of its own tile, out of numbers along the dimensions.
Use on_the_diagonal(const Reversal& r, const Indices& own, Use value, std::size_t k) {
  const Build& b = r.build;
  const open::Type like = r.type(k);
  std::optional<Use> is_there;
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (!repeats(own, d)) continue;
    const auto first = static_cast<std::size_t>(std::find(own.begin(), own.end(), own[d]) - own.begin());
    const Use equal = b.compare(synth::MapOp::equal, numbers_along(b, like, first), numbers_along(b, like, d));
    is_there = is_there.has_value() ? b.map(synth::MapOp::logical_and, {*is_there, equal}) : equal;
  }
  if (!is_there.has_value()) return value;
  const Use element = b.finished(value);
  const Use placed = b.select(*is_there, element, b.number(0, element));
  r.graph().wish(placed, r.operand(k).value);
  return placed;
}

Onto onto_operand(const Reversal& r, const synth::Contract& contract, std::size_t k) {
  Onto onto;
  onto.operands.push_back(r.g);
  onto.sum.operand_indices.push_back(contract.result_indices);
  for (std::size_t other = 0; other < r.compute.operands.size(); ++other) {
    if (other == k) continue;
    onto.operands.push_back(r.operand(other));
    onto.sum.operand_indices.push_back(contract.operand_indices[other]);
  }
  const Indices& own = contract.operand_indices[k];
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (!repeats(own, d) && anywhere(onto.sum.operand_indices, own[d])) {
      onto.sum.result_indices.push_back(own[d]);
    } else {
      onto.alone.push_back(d);
    }
  }
  return onto;
}

// The product, wished to be split as the operand is where nothing is lacking in it.
Use product(const Reversal& r, const Onto& onto, std::size_t k) {
  synth::Shape shape;
  const Use operand = r.operand(k);
  const open::Type like = r.type(k);
  for (std::size_t d = 0; d < like.rank(); ++d) {
    if (std::ranges::find(onto.alone, d) == onto.alone.end()) shape.push_back(like.shape()[d]);
  }
  const open::Type type(synth::computed_as(r.graph().type(onto.operands.front()).element()), shape, like.mesh_ref());
  const Use sum = r.build.compute(type, open::Product{onto.sum, {}}, onto.operands);
  if (onto.alone.empty()) r.graph().wish(sum, operand.value);
  return sum;
}

void give_onto(const Reversal& r, const synth::Contract& contract, std::size_t k) {
  const Onto onto = onto_operand(r, contract, k);
  const bool is_sum = onto.operands.size() > 1 || onto.sum.operand_indices[0] != onto.sum.result_indices;
  const Use sum = is_sum ? product(r, onto, k) : r.g;
  const Use spread = r.build.with_unit_dimensions(sum, onto.alone);
  r.give(k, r.build.repeated(on_the_diagonal(r, contract.operand_indices[k], spread, k), r.operand(k)));
}

}  // namespace

void reverse_contract(const Reversal& r, const synth::Contract& contract) {
  for (std::size_t k = 0; k < r.compute.operands.size(); ++k) {
    if (r.wants(k)) give_onto(r, contract, k);
  }
}

}  // namespace tessera::typeck::gradient
