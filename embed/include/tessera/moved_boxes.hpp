// What operations such as `concat` move by themselves (Program::moved_boxes), for pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// One array of which boxes move.
struct MovedBoxes {
  std::string what;  // `part 1 of 2`, `numbers`, `rows`; empty where there is one array
  std::vector<std::int64_t> from_shape;
  std::vector<std::int64_t> to_shape;
  Plan::Moment from;  // where it lies
  Plan::Moment to;    // what becomes of it, with what every device receives
  // Boxes of the array before; none where values alone say which boxes these are.
  std::vector<Plan::Move> moves;
};

}  // namespace tessera
