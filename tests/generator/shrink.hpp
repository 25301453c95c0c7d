// Makes a failing program smaller while it still fails in the same way.
#pragma once

#include <functional>
#include <string>

#include "tests/generator/program.hpp"

namespace tessera::generator {

// How a program fails; empty if it does not. Two failures are of one kind if the texts are equal.
using Failure = std::function<std::string(const Program&)>;

// Drops statements and cuts expressions; asks `failure` at most `attempts` times.
Program shrunk(Program program, const Failure& failure, int attempts = 400);

}  // namespace tessera::generator
