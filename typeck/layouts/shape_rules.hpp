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

class ShapeRules {
 public:
  ShapeRules(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  using Type = synth::ArrayType;
  // Splits that the new shape cannot have are dealt to other dimensions first, by price; without room for them they are
  // given up.
  std::optional<Type> reshaped(const Type& from, const synth::Shape& shape, const Want& want, Changes& way) const;
  // Without these dimensions of extent 1; the axes of split ones (they have empty tiles) are
  // dealt first.
  std::optional<Type> dropped(const Type& from, const std::vector<std::size_t>& dimensions, Changes& way) const;
  // With dimensions of extent 1 at these places of the result, ascending.
  std::optional<Type> unsqueezed(const Type& from, const std::vector<std::size_t>& dimensions) const;
  // A padded dimension keeps the axes on the longer extent.
  std::optional<Type> padded(const Type& from, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths) const;
  // A `:` keeps the split; a proper sub-range keeps the axes on the shorter dimension; what an integer selects is
  // whole.
  std::optional<Type> sliced(const Type& from, const std::vector<open::Selected>& taken) const;
  // Every so many elements: see EverySteps.
  std::optional<Type> every(const Operand& operand, const open::Every& every, Greedy& greedy, Changes& way) const;

 private:
  struct Reshaped {
    Type before;
    Type after;
  };
  std::optional<Reshaped> reshape_types(const Type& from, const synth::Shape& shape,
                                        const ReshapeLayouts& layouts) const;

  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

// How a dimension's every so many elements are taken, where it lies so: rows of one step each are made of it, of which
// one column is taken. It is made longer where only so its tiles are of whole steps.
//
// Example: of 10 elements on x:2 every third from 1 on are three. With two tiles there have to be 4 rows of 3: the
// dimension is padded by 2 elements, and of column 1 the first 3 rows are taken.
struct EverySteps {
  std::int64_t padding = 0;
  synth::Shape rows;                   // the shape with the dimension as rows of a step each
  std::vector<open::Selected> column;  // taken of it
  bool takes_all = true;               // nothing is left out
  std::vector<std::size_t> singles;    // dimensions of the column that go

  EverySteps(const synth::ArrayType& from, const open::Every& every);
};

}  // namespace tessera::typeck
