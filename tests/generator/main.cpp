// Prints a generated program: tessera_generate SEED [XxYxZ | numpy | weighted | meshes]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/generator/generator.hpp"

int main(int count, char** words) {
  using namespace std::string_literals;
  if (count < 2) {
    std::cerr << "usage: tessera_generate SEED [XxYxZ | numpy | weighted | meshes]\n";
    return 2;
  }
  const tessera::generator::Program program = tessera::generator::generate(std::strtoull(words[1], nullptr, 10));
  tessera::generator::MeshSizes mesh = program.mesh;
  if (count > 2 && words[2] == "numpy"s) {
    std::cout << tessera::generator::numpy_text(program);
    return 0;
  }
  if (count > 2 && words[2] == "weighted"s) {
    std::cout << tessera::generator::weighted_text(program, mesh);
    return 0;
  }
  if (count > 2 && words[2] == "meshes"s) {
    std::cout << tessera::generator::several_meshes_text(program, mesh);
    return 0;
  }
  if (count > 2 && std::sscanf(words[2], "%ldx%ldx%ld", mesh.data(), mesh.data() + 1, mesh.data() + 2) != 3) {
    std::cerr << "a mesh is written 2x3x1\n";
    return 2;
  }
  std::cout << tessera::generator::tessera_text(program, mesh);
  return 0;
}
