// Meshes and types of the command line, `--mesh`, `--from` and `--to`.
#pragma once

#include <string>

#include "embed/host/convert.hpp"
#include "synth/layout/array_type.hpp"
#include "tessera/tessera.hpp"

namespace tessera::embed {

struct ReadMesh {
  synth::MeshRef mesh;
  bool is_auto = false;  // `place auto`: the mesh is in row-major order, and is to be placed
};
Result<ReadMesh> read_mesh(const std::string& text, const Machine& machine);

// `name` is what messages call the text.
Result<synth::ArrayType> read_type(const char* name, const std::string& text, const synth::MeshRef& mesh);

}  // namespace tessera::embed
