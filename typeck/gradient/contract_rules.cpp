// The derivative of an Einstein sum: for operand k, the sum of the cotangent and the other operands onto k's indices.
#include <algorithm>

#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

// The sum that one operand is given.
struct Onto {
  std::vector<Use> operands;
  synth::Contract sum;
  std::vector<std::size_t> alone;  // dimensions of the operand whose index nothing else has: they repeat
};

using Indices = std::vector<std::uint8_t>;

bool anywhere(const std::vector<Indices>& indices, std::uint8_t index) {
  return std::any_of(indices.begin(), indices.end(),
                     [&](const Indices& own) { return std::find(own.begin(), own.end(), index) != own.end(); });
}

// Ones on the diagonal: what puts the elements of a repeated index back where they were taken from.
Use diagonal(const Build& build, const open::Type& like, std::int64_t extent) {
  constexpr synth::ElementType kInteger = synth::ElementType::i64;
  const open::Type type(kInteger, {extent, extent}, like.mesh_ref());
  const open::Make numbers_of{synth::Iota{}, {std::vector<synth::AxisList>(2), {}}, build.span()};
  const Use numbers = build.compute(type, numbers_of, {});
  const Use step = build.graph().number(build.span(), extent + 1, kInteger, like.mesh_ref());
  const Use none = build.graph().number(build.span(), std::int64_t{0}, kInteger, like.mesh_ref());
  const Use on = build.compare(synth::MapOp::equal, build.map(synth::MapOp::remainder, {numbers, step}), none);
  return build.cast(on, synth::computed_as(like.element()));
}

// The operand's indices, each once: a second one gets a new index, which the diagonal ties to the first.
Indices made_unique(const Reversal& r, Onto& onto, Indices own, std::uint8_t fresh, const open::Type& type) {
  for (std::size_t d = 0; d < own.size(); ++d) {
    const std::uint8_t index = own[d];
    if (std::find(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(d), index) ==
        own.begin() + static_cast<std::ptrdiff_t>(d))
      continue;
    onto.operands.push_back(diagonal(r.build, type, type.shape()[d]));
    own[d] = fresh++;
    onto.sum.operand_indices.push_back({index, own[d]});
  }
  return own;
}

Onto onto_operand(const Reversal& r, const synth::Contract& contract, std::size_t k) {
  const open::Type type = r.type(k);
  Onto onto;
  std::uint8_t fresh = 0;
  onto.operands.push_back(r.g);
  onto.sum.operand_indices.push_back(contract.result_indices);
  for (std::size_t other = 0; other < r.compute.operands.size(); ++other) {
    const auto& own = contract.operand_indices[other];
    for (const std::uint8_t index : own) fresh = std::max<std::uint8_t>(fresh, index + 1);
    if (other == k) continue;
    onto.operands.push_back(r.operand(other));
    onto.sum.operand_indices.push_back(own);
  }
  const Indices unique = made_unique(r, onto, contract.operand_indices[k], fresh, type);
  for (std::size_t d = 0; d < unique.size(); ++d) {
    if (anywhere(onto.sum.operand_indices, unique[d])) {
      onto.sum.result_indices.push_back(unique[d]);
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
  r.give(k, r.build.repeated(r.build.with_unit_dimensions(sum, onto.alone), r.operand(k)));
}

}  // namespace

void reverse_contract(const Reversal& r, const synth::Contract& contract) {
  for (std::size_t k = 0; k < r.compute.operands.size(); ++k) {
    if (r.wants(k)) give_onto(r, contract, k);
  }
}

}  // namespace tessera::typeck::gradient
