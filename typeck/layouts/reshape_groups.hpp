// The splits that survive a reshape.
#pragma once

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

}  // namespace tessera::typeck
