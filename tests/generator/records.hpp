// Records at the end of a program: made, updated, taken apart, by `each`, in loops, branches, functions and gradients.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/generator/maker.hpp"

namespace tessera::generator {

// Adds a statement: the names that it binds, its two forms, and the expression in them, as Statement has them.
using AddStatement =
    std::function<void(std::vector<Variable> bound, std::string tessera, std::string numpy, ExpressionRef value)>;

// A record of some arrays of one element type, and some records that are made of it; each field is bound to a name.
void add_records(Maker& maker, const AddStatement& add);

}  // namespace tessera::generator
