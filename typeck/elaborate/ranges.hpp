// Ranges whose length is known only at run time, `a[i, :j]`, where they stand directly in what adds elements up along
// them. The whole dimension is taken, so that its extent is known, and what lies outside of the range counts as
// nothing. Private to typeck/elaborate/.
//
// `sum(a[:j])` is `sum(a, where=iota(like=a) < j)`, and `a[:j] @ b[:j]` has zeros from j on in both; `a with [:j] = v`
// puts back from j on what stands there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typeck/elaborate/values.hpp"

namespace tessera::typeck {

class Elaborator;

// One of these ranges. An end that is not written is the array's; a negative one counts from the end.
struct RunTimeRange {
  std::size_t dimension = 0;  // of the part, without the dimensions of its integers
  MaybeValue start;
  MaybeValue stop;
  Span span;
};

// A part of an array with its whole dimensions, and the ranges that are meant.
struct RangedPart {
  Checked value;
  std::vector<RunTimeRange> ranges;
};

// The range along a dimension; null: there is none.
const RunTimeRange* range_along(const std::vector<RunTimeRange>& ranges, std::size_t dimension);
bool same_range(const RunTimeRange& a, const RunTimeRange& b);
// May an expression be a part with such ranges, or an element-wise formula of some?
bool may_have_ranges(const Ast& ast, ExprId id);
// The value of an expression, and its ranges if it is such a part or formula.
std::optional<RangedPart> check_ranged(Elaborator& elaborator, ExprId id, const Preference& want);
// Which elements lie in all ranges: bool, in the shape of the part.
MaybeValue in_ranges(Elaborator& elaborator, Span span, const std::string& who, const RangedPart& part);
// Refuses ranges along other dimensions than these.
bool ranges_go_along(Elaborator& elaborator, const RangedPart& part, const std::vector<std::size_t>& dimensions);
// The ranges of a part as the subscripts of an array have them; of the part itself, from which the dimensions of
// integers are gone, and in which others are new.
void number_anew(std::vector<RunTimeRange>& ranges, const std::vector<Selection>& taken,
                 const std::vector<std::size_t>& added);
// The operands of a contraction, whose dimensions have these indices: zeros outside of their ranges, which go along
// indices that the result lacks, and are the same wherever the index stands.
std::optional<std::vector<Checked>> contracted_ranges(Elaborator& elaborator, Span span, const std::string& who,
                                                      const std::vector<RangedPart>& parts,
                                                      const std::vector<std::vector<int>>& indices,
                                                      const std::vector<int>& result);
// What replaces a part of a, where that part has ranges: v inside of them, and outside what a has there. The ranges of
// v are those of the part.
MaybeValue replaced_in_ranges(Elaborator& elaborator, Span span, const RangedPart& part, const RangedPart& v);
// The operands of `@`, as those of a contraction.
std::optional<std::pair<Checked, Checked>> product_of_ranges(Elaborator& elaborator, ExprId id,
                                                             const frontend::Binary& product, const Preference& want);

}  // namespace tessera::typeck
