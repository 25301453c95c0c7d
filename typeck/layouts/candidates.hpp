// The greatest elements along a split dimension: each tile gives its own, and the greatest of those are sought.
#pragma once

#include <optional>
#include <string>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class CandidatesRule {
 public:
  CandidatesRule(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  // The type of the greatest along the last dimension. If the array is dealt first, for it is small or its tiles are
  // too short, it is changed to a type in which that dimension is whole.
  std::optional<synth::ArrayType> greatest(const synth::ArrayType& from, const synth::Greatest& how,
                                           NodeLayouts& layouts) const;

 private:
  std::optional<synth::ArrayType> result(const synth::ArrayType& whole, const synth::Greatest& how) const;

  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

// The type of what each tile gives; nothing where a tile is too short.
std::optional<synth::ArrayType> candidates_of(const synth::ArrayType& from, const synth::Greatest& how);
// The integers as which their positions travel.
synth::ElementType element_of_positions(const synth::ArrayType& lines);

}  // namespace tessera::typeck
