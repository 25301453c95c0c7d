// Random functions of a vector of f64, with a program that holds their gradient against central differences. Every
// value stays small, and nothing is refused for its layouts: where two shapes meet, the second is whole.
#pragma once

#include <cstdint>
#include <string>

#include "tests/generator/program.hpp"

namespace tessera::differential {

// The program of a seed. It asserts that the gradient is near the central differences; `gradient` is the gradient.
std::string gradient_program(std::uint64_t seed, const generator::MeshSizes& mesh);

}  // namespace tessera::differential
