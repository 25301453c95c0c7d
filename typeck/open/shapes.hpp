// Do the shapes of an operation's operands give those of its results? Private to typeck/open.
#pragma once

#include <string>
#include <vector>

#include "synth/program/program.hpp"
#include "typeck/open/open.hpp"

namespace tessera::typeck::open {

// The fault of the operation's types, in words; empty if there is none. `texts` is a device program with the strings of
// the open one, and nothing else: its rules are asked for what both have.
std::string fault_of(const Program& program, const synth::Program& texts, const Operation& operation,
                     const std::vector<Type>& operands, const std::vector<Type>& results);
// Are all parts of the layout of axes of the type's mesh, one list for each dimension?
bool layout_fits(const WrittenLayout& layout, const Type& type);

}  // namespace tessera::typeck::open
