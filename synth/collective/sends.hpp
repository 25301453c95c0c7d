// Which boxes move in a step, from whom to whom and in which order: what pictures, prices, statistics and messages are
// made of. Every kind of step is carried out as this says.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/collective/collective.hpp"

namespace tessera::synth {

// A box that one device hands another, or keeps where source and target are one. What is handed over at a hop has come
// at an earlier one, or is the source's from the beginning. Where it `adds`, the target combines all that come to it
// with its own, in ascending order of the sources.
struct BoxSend {
  std::int32_t source = 0;
  std::int32_t target = 0;
  Box box;
  std::int32_t hop = 0;
  bool adds = false;
};

// Of a round, `before` is what the whole exchange begins with. In order of hops, then of targets.
std::vector<BoxSend> sends(const Collective& step, const ArrayType& before, const ArrayType& after);

// Elements that each device receives from others in the step: those of its sends, counted without making them.
std::vector<std::int64_t> received_elements(const Collective& step, const ArrayType& before, const ArrayType& after);

}  // namespace tessera::synth
