// How the bytes of a step move: sends between devices, in hops and stretches.
//
// A *piece* is a box of the array that travels as one. Each of the devices that need it gets it in one send, from a
// device that holds it in its source tile (hop 0) or that got it by a send of a lower hop. All pieces are cut into the
// same number of *stretches*. In *slot* t the sends of hop h move stretch t - h, for all hops at once: while one
// stretch spreads inside a node, the next one enters it.
//
// Example: device 0 holds what devices 4 and 5, of another node, need. In one piece with the sends 0 -> 4 (hop 0) and
// 4 -> 5 (hop 1) the slow link carries it once; in 8 stretches both hops end after 9 slots of an eighth each.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// Between devices of the run.
struct Send {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t piece = 0;
  std::int32_t hop = 0;
  friend auto operator<=>(const Send&, const Send&) = default;
};

struct Transfer {
  std::vector<Box> pieces;
  std::vector<Send> sends;  // by hop, then in the order in which they were made
  std::int64_t hops = 0;
  std::int64_t stretches = 1;

  std::int64_t slots() const { return hops == 0 ? 0 : stretches + hops - 1; }
};

// Stretch `index` of `count` of a box: cut along its first dimension of at least `count` elements, else along its
// longest. Empty where there is less than that to cut.
Box stretch_of(const Box& box, std::int64_t count, std::int64_t index);
// The elements of all these stretches, in order.
std::vector<std::int64_t> stretch_elements(const Box& box, std::int64_t count);

}  // namespace tessera::synth
