// A send with its box: what pictures, lists of sends and their replay are made of.
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

// A box that one device hands another, or keeps where source and target are one. What is handed over at a hop has come
// at an earlier one, or is the source's from the beginning. Where it `adds`, the target combines all that come to it
// with its own, in ascending order of the sources.
struct BoxSend {
  std::int32_t source = 0;
  std::int32_t target = 0;
  Box box;
  std::int32_t hop = 0;
  bool adds = false;
  Carried carried = Carried::own;  // of an adding send
};

// The sends of a step, one by one, as `tessera plan --sends` lists them and as anybody may write them.
struct ListedSends {
  // How they are priced: all at once, as the transfer that a step has by itself, or slot by slot.
  bool at_once = false;
  std::int64_t hops = 1;
  std::int64_t stretches = 1;
  std::vector<BoxSend> sends;
};

}  // namespace tessera::synth
