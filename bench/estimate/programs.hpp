// Programs to estimate: what they are given, which is not measured, and what is.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

struct EstimatedProgram {
  std::string name;
  std::string given;
  std::string text;
};

// On a mesh of two hosts, of two devices each.
std::vector<EstimatedProgram> programs_to_estimate();

}  // namespace tessera::bench
