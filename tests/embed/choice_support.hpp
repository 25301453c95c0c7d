// What the tests of chosen layouts share.
#pragma once

#include <algorithm>
#include <string>
#include <tessera/tessera.hpp>
#include <vector>

namespace tessera {

// The changes of layout that take time, in alphabetical order.
inline std::vector<std::string> moves_in(const Program& program) {
  std::vector<std::string> all;
  for (const Redistribution& one : program.redistributions()) {
    if (one.plan.seconds() > 0) all.push_back(one.plan.from() + " -> " + one.plan.to());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace tessera
