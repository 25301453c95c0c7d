// Lines that are sorted along a split dimension: each is brought together on one device, or sorted over its tiles by
// cuts.
#pragma once

#include <optional>
#include <string>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class CuttingRule {
 public:
  CuttingRule(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  // The type in which the array is sorted along the dimension, to which it is changed: as it lies, or with the
  // dimension dealt. What was compared is put beside the layouts if it is sorted by cuts.
  std::optional<synth::ArrayType> ready(const synth::ArrayType& from, std::size_t dimension, const synth::Sort& sort,
                                        const Want& want, NodeLayouts& layouts) const;

 private:
  std::optional<Alternative> price(const synth::ArrayType& from, std::size_t dimension, const synth::Sort& sort,
                                   const Want& want) const;

  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

// What sorting arrays of this type receives at most; 0 where lines are whole. Throws InternalError where the verifier
// refuses who sorts a line together.
std::int64_t bytes_of_cuts(const synth::Sort& sort, const synth::ArrayType& type, const synth::ArrayType& result);

}  // namespace tessera::typeck
