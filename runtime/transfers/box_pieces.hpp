// Boxes that travel in messages longer than one piece (runtime/ranks/messenger.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// Calls f for boxes of at most `elements_max` elements that make up a box, in row-major order.
//
// Example: [0:4, 0:6] in boxes of at most 12 is [0:2, 0:6] and [2:4, 0:6]; of at most 4 it is [0:1, 0:3], [0:1, 3:6],
// [1:2, 0:3] and so on.
template <class F>
void cut_box(const synth::Box& box, std::int64_t elements_max, const F& f) {
  std::size_t cut = box.size();  // the dimensions from here on fit
  std::int64_t inner = 1;
  while (cut > 0 && inner * box[cut - 1].length() <= elements_max) inner *= box[--cut].length();
  if (cut == 0) return f(box);
  const std::int64_t length = box[cut - 1].length();
  const std::int64_t most = std::max<std::int64_t>(1, elements_max / inner);
  const std::int64_t parts = (length + most - 1) / most;
  std::int64_t outer = 1;
  for (std::size_t d = 0; d + 1 < cut; ++d) outer *= box[d].length();
  synth::Box part = box;
  for (std::int64_t i = 0; i < outer; ++i) {
    std::int64_t rest = i;
    for (std::size_t d = cut - 1; d-- > 0; rest /= box[d].length())
      part[d] = {box[d].begin + rest % box[d].length(), box[d].begin + rest % box[d].length() + 1};
    for (std::int64_t k = 0; k < parts; ++k) {
      part[cut - 1] = {box[cut - 1].begin + length * k / parts, box[cut - 1].begin + length * (k + 1) / parts};
      f(part);
    }
  }
}

}  // namespace tessera::runtime
