// The derivative of an Einstein sum: for operand k, the sum of the cotangent and the other operands onto k's indices.
#include <algorithm>

#include "typeck/gradient/rules.hpp"

namespace tessera::typeck::gradient {

namespace {

// The sum that one operand is given.
struct Onto {
  std::vector<Held> operands;
  synth::Contract sum;
  std::vector<std::size_t> alone;  // dimensions of the operand whose index nothing else has: they repeat
};

using Indices = std::vector<std::uint8_t>;

bool anywhere(const std::vector<Indices>& indices, std::uint8_t index) {
  return std::any_of(indices.begin(), indices.end(),
                     [&](const Indices& own) { return std::find(own.begin(), own.end(), index) != own.end(); });
}

// Ones on the diagonal: what puts the elements of a repeated index back where they were taken from.
MaybeHeld diagonal(const Build& build, const ArrayType& like, std::int64_t extent) {
  Inserter& inserter = build.inserter();
  const auto type = ArrayType::replicated(ElementType::i64, {extent, extent}, like.mesh_ref());
  const auto numbers_type = inserter.made(type, build.span());
  if (!numbers_type.has_value()) return std::nullopt;
  const Held numbers = inserter.compute(build.span(), *numbers_type, synth::Iota{}, {});
  const Held step = inserter.scalar(build.span(), extent + 1, ElementType::i64, like.mesh_ref());
  const Held none = inserter.scalar(build.span(), std::int64_t{0}, ElementType::i64, like.mesh_ref());
  const MaybeHeld on = build.compare(synth::MapOp::equal, build.map(synth::MapOp::remainder, {numbers, step}), none);
  return build.cast(on, synth::computed_as(like.element()));
}

// The operand's indices, each once: a second one gets a new index, which the diagonal ties to the first.
std::optional<Indices> made_unique(const Reversal& r, Onto& onto, Indices own, std::uint8_t fresh,
                                   const ArrayType& type) {
  for (std::size_t d = 0; d < own.size(); ++d) {
    const std::uint8_t index = own[d];
    if (std::find(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(d), index) ==
        own.begin() + static_cast<std::ptrdiff_t>(d))
      continue;
    const MaybeHeld ones = diagonal(r.build, type, type.shape()[d]);
    if (!ones.has_value()) return std::nullopt;
    own[d] = fresh++;
    onto.operands.push_back(*ones);
    onto.sum.operand_indices.push_back({index, own[d]});
  }
  return own;
}

std::optional<Onto> onto_operand(const Reversal& r, const synth::Contract& contract, std::size_t k) {
  const ArrayType type = r.type(k);
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
  const auto unique = made_unique(r, onto, contract.operand_indices[k], fresh, type);
  if (!unique.has_value()) return std::nullopt;
  for (std::size_t d = 0; d < unique->size(); ++d) {
    if (anywhere(onto.sum.operand_indices, (*unique)[d])) {
      onto.sum.result_indices.push_back((*unique)[d]);
    } else {
      onto.alone.push_back(d);
    }
  }
  return onto;
}

bool give_onto(const Reversal& r, const synth::Contract& contract, std::size_t k) {
  auto onto = onto_operand(r, contract, k);
  if (!onto.has_value()) return false;
  const ArrayType type = r.type(k);
  MaybeHeld sum = r.g;
  const bool is_sum = onto->operands.size() > 1 || onto->sum.operand_indices[0] != onto->sum.result_indices;
  if (is_sum) {
    const Want want = onto->alone.empty() ? want_splits(type) : Want{};
    sum = r.build.inserter().contract(r.build.span(), std::move(onto->operands), onto->sum, r.build.who(), want);
  }
  return r.give(k, r.build.repeated(r.build.with_unit_dimensions(sum, onto->alone), type));
}

}  // namespace

bool reverse_contract(const Reversal& r, const synth::Contract& contract) {
  for (std::size_t k = 0; k < r.compute.operands.size(); ++k) {
    if (r.wants(k) && !give_onto(r, contract, k)) return false;
  }
  return true;
}

}  // namespace tessera::typeck::gradient
