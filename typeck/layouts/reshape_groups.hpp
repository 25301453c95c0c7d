// The splits that survive a reshape.
#pragma once

#include <optional>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::typeck {

// The layout the operand must have before, and the one the result has then: their tiles hold the same elements in the
// same order, so that the reshape itself moves nothing.
struct ReshapeLayouts {
  std::vector<synth::AxisList> before;
  std::vector<synth::AxisList> after;
};

// Both shapes are cut into the smallest groups of neighbouring dimensions of equal products. In a group the axes of the
// major dimension survive, major ones first, as far as its cuts are cuts of the new major dimension, too. All other
// splits are given up.
//
// Example: on x:4,y:2 f32[16@x, 4] becomes [64@x], and [16@(x,y)] becomes [4@x, 4]: y is given up, because its cuts lie
// inside the rows.
ReshapeLayouts reshape_layouts(const synth::ArrayType& from, const synth::Shape& to);

// The same with the splits that are given up dealt to the major dimensions of groups: one way for each group that is
// the first to take them, as far as cuts of its two major dimensions coincide and have a position for every tile; the
// others follow in their order. Ways that take nothing are left out.
//
// Example: on x:4 f32[8, 16@x] becomes [128@x] by way of [8@x, 16].
std::vector<ReshapeLayouts> dealt_reshapes(const synth::ArrayType& from, const synth::Shape& to);

// Extents of a reshape whose tiles hold other elements before and after: both arrays get longer at the end of major
// dimensions, until their tiles hold the same. What was added is cut off afterwards, so that only the elements beside
// the ends of tiles move.
//
// Example: on x:4 f32[7@x, 6] becomes [42@x] by way of [8@x, 6] and [48@x]. Tiles of 7 rows begin at 0, 1, 3 and 5,
// those of 8 at 0, 2, 4 and 6; tiles of 42 elements begin at 0, 10, 21 and 31, those of 48 at 0, 12, 24 and 36.
struct LongerReshape {
  synth::Shape before;
  synth::Shape after;
};
// Nothing where tiles hold the same, or where the arrays would get more than twice as large.
std::optional<LongerReshape> longer_reshape(const synth::ArrayType& from, const synth::ArrayType& to);

// As dealt_reshapes, for tiles that hold the same in longer arrays only: each way has a longer_reshape.
std::vector<ReshapeLayouts> shifted_reshapes(const synth::ArrayType& from, const synth::Shape& to);

// The layouts that give the result these splits, if there are any: they stand on major dimensions alone.
std::optional<ReshapeLayouts> reshape_into(const synth::ArrayType& from, const synth::Shape& to,
                                           const std::vector<synth::AxisList>& after);

}  // namespace tessera::typeck
