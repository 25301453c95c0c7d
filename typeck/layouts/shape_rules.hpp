// Layouts of operations that have no index signature: the type that an operand is changed to first, and that of the
// result. Each adds its change to the operand's way and gives the result's type; nothing where that was reported.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typeck/layouts/greedy.hpp"
#include "typeck/layouts/reshape_groups.hpp"

namespace tessera::typeck {

// A reshape that moves elements: the array made longer, reshaped and cut off, with the steps that do both. A step that
// changes nothing has no parts.
struct ShiftedReshape {
  synth::ArrayType longer;
  synth::ArrayType reshaped;
  synth::Assemble lengthen = {};  // zeros of the longer type, then the array
  synth::Assemble cut = {};
};
// Nothing where tiles hold the same elements.
std::optional<ShiftedReshape> shifted_reshape(const synth::ArrayType& from, const synth::ArrayType& to);

class ShapeRules {
 public:
  ShapeRules(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  using Type = synth::ArrayType;
  // Splits that the new shape cannot have are dealt to other dimensions first, by price; without room for them they are
  // given up. Where tiles then hold other elements, elements move inside of the reshape (longer_reshape).
  std::optional<Type> reshaped(const Type& from, const synth::Shape& shape, const Want& want,
                               NodeLayouts& layouts) const;
  // Without these dimensions of extent 1; the axes of split ones (they have empty tiles) are
  // dealt first.
  std::optional<Type> dropped(const Type& from, const std::vector<std::size_t>& dimensions, Changes& way) const;
  // With dimensions of extent 1 at these places of the result, ascending.
  std::optional<Type> unsqueezed(const Type& from, const std::vector<std::size_t>& dimensions) const;
  // A padded dimension keeps the axes on the longer extent.
  std::optional<Type> padded(const Type& from, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths) const;
  // A `:` keeps the split; a proper sub-range, and a range with a step, keeps the axes on its own dimension; what an
  // integer selects is whole.
  std::optional<Type> sliced(const Type& from, const std::vector<open::Selected>& taken) const;

 private:
  struct Reshaped {
    Type before;
    Type after;
  };
  std::optional<Reshaped> reshape_types(const Type& from, const synth::Shape& shape,
                                        const ReshapeLayouts& layouts) const;
  std::optional<Alternative> price_of_reshape(const Type& from, const Reshaped& types, const Want& want) const;

  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

}  // namespace tessera::typeck
