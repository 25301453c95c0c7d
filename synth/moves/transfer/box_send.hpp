// A send with its box, for pictures, lists of sends and their replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// The parts of a sum that an adding send carries: the source's own, those that came to it at earlier hops, or both.
enum class Carried : std::uint8_t { own, came, both };
std::string_view name(Carried carried);
std::optional<Carried> carried_by_name(std::string_view name);

// A box that one device sends to another, or keeps where source and target are one. A box sent at a hop has come at an
// earlier one, or is the source's from the beginning. If it `adds`, the target combines all boxes that come to it with
// its own, in ascending order of the sources.
struct BoxSend {
  std::int32_t source = 0;
  std::int32_t target = 0;
  Box box;
  std::int32_t hop = 0;
  bool adds = false;
  Carried carried = Carried::own;  // of an adding send
};

// The sends of a step, one by one, as `tessera plan --sends` lists them; they may also come from elsewhere.
struct ListedSends {
  // How they are priced: all at once, as the transfer that a step has by itself, or slot by slot.
  bool at_once = false;
  std::int64_t hops = 1;
  std::int64_t stretches = 1;
  std::vector<BoxSend> sends;
};

}  // namespace tessera::synth
