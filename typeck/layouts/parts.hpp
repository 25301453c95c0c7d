// Arrays that are made of parts: their elements go straight from the tiles where they lie to those of the result.
#pragma once

#include <optional>
#include <vector>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

// The operands one behind the other along a dimension.
synth::Assemble joined_along(std::size_t dimension, const std::vector<synth::ArrayType>& operands);
// The bytes that placing the parts brings to devices from others; at most, where positions are known at run time.
// Throws InternalError where the verifier refuses the copies.
std::int64_t bytes_of_parts(const synth::Assemble& assemble, const std::vector<synth::ArrayType>& operands,
                            const synth::ArrayType& result);

// What goes from tile to tile along the result, of an operation that does so. Throws InternalError where the verifier
// refuses its hops.
std::int64_t bytes_of_carries(const synth::Operation& operation, const synth::ArrayType& result);

// The layouts of a result of such parts: those of the operands, or the wanted one, whichever is reached the fastest.
class PartLayouts {
 public:
  PartLayouts(Plans& plans, Reports& reports, const Want& want) : plans_(plans), reports_(reports), want_(want) {}

  // Adds the result's type, and what was compared, to the layouts.
  bool choose(const Signature& signature, const synth::Assemble& assemble,
              const std::vector<synth::ArrayType>& operands, NodeLayouts& layouts) const;

 private:
  std::optional<Alternative> price(const synth::Assemble& assemble, const std::vector<synth::ArrayType>& operands,
                                   const synth::ArrayType& result, base::Span span) const;

  Plans& plans_;
  Reports& reports_;
  const Want& want_;
};

}  // namespace tessera::typeck
