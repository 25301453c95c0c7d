// Random functions of a vector, with a program that holds their gradient against central differences. Every
// value stays small, and nothing is refused for its layouts: where two shapes meet, the second is whole.
#pragma once

#include <cstdint>
#include <string>

#include "tests/generator/program.hpp"

namespace tessera::differential {

// The program of a seed. It asserts that the gradient is near the central differences; `gradient` is the gradient.
std::string gradient_program(std::uint64_t seed, const generator::MeshSizes& mesh);
// The gradient of the same function in f32, its values in layouts that the second seed draws.
std::string gradient_program_f32(std::uint64_t seed, std::uint64_t layouts_seed, const generator::MeshSizes& mesh);

}  // namespace tessera::differential
