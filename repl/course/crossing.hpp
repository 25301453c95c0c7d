// Bytes that come into a node from others in changes of layout.
#pragma once

#include <string_view>
#include <vector>

#include "repl/course/values.hpp"

namespace tessera::repl {

// Bytes that come into the node that most come into; nodes of so many devices that follow each other.
std::int64_t crossing_bytes(const std::vector<Plan>& plans, std::int64_t node_devices);

// `C over nodes of 4`: what a lesson's file asks for, apart.
struct Crossing {
  std::string change;
  std::int64_t node_devices = 1;
};
Read<Crossing> read_crossing(std::string_view text);

}  // namespace tessera::repl
