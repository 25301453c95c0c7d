// Positions of the greatest and least elements along split dimensions: each tile gives one, and the first of them
// counts.
#pragma once

#include <optional>
#include <string>

#include "typeck/layouts/greedy.hpp"

namespace tessera::typeck {

class Records {
 public:
  Records(Plans& plans, Reports& reports, const std::string& who, base::Span span)
      : plans_(plans), reports_(reports), who_(who), span_(span) {}

  // The type of the positions. Where the array is small, dealing it may be faster than finishing extremes and
  // positions: then the array is changed to a type in which the dimensions are whole.
  std::optional<synth::ArrayType> positions(const synth::ArrayType& from, const synth::ArgReduce& how,
                                            const synth::Shape& shape, NodeLayouts& layouts) const;

 private:
  struct Types {
    synth::ArrayType extremes;   // as the tiles give them
    synth::ArrayType whole;      // finished
    synth::ArrayType positions;  // as the tiles give them
  };
  std::optional<Types> types(const synth::ArrayType& from, const synth::ArgReduce& how,
                             const synth::Shape& shape) const;
  std::optional<Alternative> price(const Types& types) const;
  std::optional<synth::ArrayType> reduced(const synth::Operation& operation,
                                          const std::vector<synth::ArrayType>& operands, synth::ElementType element,
                                          const synth::Shape& shape) const;

  Plans& plans_;
  Reports& reports_;
  const std::string& who_;
  base::Span span_;
};

// Does an array that lies so give its positions by records?
bool goes_by_records(const synth::ArrayType& from, const synth::ArgReduce& how);
// The reduction that gives the elements whose positions are sought.
synth::ReduceKind extreme_of(const synth::ArgReduce& how);
// What is pending, finished where it is.
synth::ArrayType finished_in_place(const synth::ArrayType& type);

// What is pending, finished as rule 2 prices it: along dimension 0, of a scalar everywhere.
synth::ArrayType finished_along(const synth::ArrayType& type);

}  // namespace tessera::typeck
