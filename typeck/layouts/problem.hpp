// The layouts of one operation's operands, index by index: where they agree, and the assignments that would make them
// agree.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "synth/layout/array_type.hpp"
#include "synth/program/signature.hpp"

namespace tessera::typeck {

std::size_t result_dimension(const synth::IndexSignature& signature, std::size_t index);
bool any_overlap(const synth::AxisList& a, const synth::AxisList& b);

class Problem {
 public:
  // Both must outlive the problem. Pending axes of operands are taken: no index may be split over them.
  Problem(const synth::IndexSignature& signature, std::vector<const synth::ArrayType*> types);

  // The assignment that needs no redistribution, if there is one.
  std::optional<synth::IndexSplits> as_they_are() const;
  // Two indices of the result, each agreed, that one axis splits (an error, not repaired).
  std::optional<std::pair<std::size_t, std::size_t>> clash() const;

  // Candidates: an operand's layout carried to the indices; the wanted layout of the result; replication of the
  // disputed indices only.
  synth::IndexSplits carried_from(std::size_t operand) const;
  synth::IndexSplits wanted(const synth::Layout& layout) const;
  synth::IndexSplits undisputed() const;
  // Result indices that no operand carries (broadcasts) cost nothing to split: they take the wanted split, less the
  // axes already used.
  void split_free(synth::IndexSplits& splits, const synth::Layout& wanted_layout) const;
  // No axis on two indices, none that is pending, and none on an index that must be whole.
  bool valid(const synth::IndexSplits& splits) const;

 private:
  const synth::AxisList* carried(std::size_t operand, std::size_t index) const;
  const synth::AxisList* first_split(std::size_t index) const;
  bool agreed(std::size_t index) const;
  bool may_split(std::size_t index) const;
  bool shares_axis(std::size_t index) const;
  bool whole_dimensions_unsplit() const;
  void fill_lacking(synth::IndexSplits& splits, std::vector<synth::AxisList>& used,
                    const std::function<bool(std::size_t)>& given) const;

  const synth::IndexSignature& signature_;
  std::vector<const synth::ArrayType*> types_;
  std::size_t indices_;
  std::vector<synth::AxisList> reserved_;
};

}  // namespace tessera::typeck
