// When the values of a program are in memory: the program as it runs, with every call of a function by itself.
//
// A value is there from the moment in which it is made to the one in which it is read last; a copy of it from the first
// to the last of the reads that it serves. What a device holds at once is the sum of the tiles of both. A part that a
// read takes of a value or copy is a view and takes no room.
//
// Example: the nodes 0 to 3 are a parameter x, y = x * x, z = sum(y), and somebody who wants z. Node n reads in moment
// 2n, and its result is there in 2n + 1. Then x is there from 0 to 8, the end; y from 3 to 5; z from 5 to 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"

namespace tessera::synth {

using ChoiceValueId = base::Id<struct ChoiceValueTag>;

// A use of a problem's node takes the value there, which stays until `until`: what a function is given, say, until the
// function does not need it any more.
struct ChoiceRead {
  std::size_t node = 0;
  std::size_t use = 0;
  std::size_t moment = 0;
  std::size_t until = 0;
};

// A value, once for each time that it is made.
struct ChoiceLife {
  ChoiceValueId value;
  std::size_t born = 0;
  std::size_t dies = 0;  // the last moment
  bool has_room = true;  // false: it is what a read of another life took, and lies there
  std::vector<ChoiceRead> reads = {};
};

}  // namespace tessera::synth
