// Valid programs from seeds. The same seed gives the same program on every platform.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/generator/program.hpp"

namespace tessera::generator {

Program generate(std::uint64_t seed);

// Meshes of 1 to 12 devices over the axes x, y and z.
const std::vector<MeshSizes>& meshes();
// The program's own mesh is left out.
std::vector<MeshSizes> other_meshes(const Program& program, std::size_t wanted);

}  // namespace tessera::generator
