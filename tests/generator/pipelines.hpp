// Pipelines over several meshes, for the ends of generated programs.
#pragma once

#include <string>
#include <vector>

#include "tests/generator/random.hpp"

namespace tessera::generator {

struct NamedMesh {
  std::string name;
  std::vector<std::string> axes;
};

// A random pipeline, the same as a loop, and assertions that all they give is the same to the bit. Its names carry the
// number.
std::string pipeline_text(Random& random, const std::vector<NamedMesh>& meshes, int number);

}  // namespace tessera::generator
