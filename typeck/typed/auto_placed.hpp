// A mesh whose placement is to be found: `place auto`.
#pragma once

#include <string>

#include "base/source.hpp"
#include "synth/layout/mesh.hpp"

namespace tessera::typeck {

struct AutoPlaced {
  std::string name;
  base::Span span;      // of the statement
  synth::MeshRef mesh;  // in row-major order
};

}  // namespace tessera::typeck
