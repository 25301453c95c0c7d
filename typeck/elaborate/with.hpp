// Copies in which a box is replaced. Private to typeck/elaborate/.
#pragma once

#include <string>
#include <vector>

#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

// A copy of a in which v lies over a part. v has a's rank: in each dimension the part's extent, with what lies between
// the steps, or the extent 1, which is repeated. What is pending is finished first.
MaybeValue laid_over(Elaborator& elaborator, Span span, const std::string& who, const Checked& a, const Checked& v,
                     const std::vector<Selection>& part);

}  // namespace tessera::typeck
