// The types of a function's parameters and results, as a host hands them over: each field of a record is an array.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "embed/host/texts.hpp"
#include "frontend/ast.hpp"
#include "tessera/function.hpp"

namespace tessera::embed {

// The arrays of which one or several types are made, each with the text of its type.
struct WrittenArrays {
  std::vector<Function::Part> parts;
  std::vector<std::string> types;

  // Adds those of a type: `{w: f32[8], b: f32}` has two.
  void add(const frontend::Ast& ast, frontend::TypeId type, const Texts& texts, std::size_t of);
};

// The arrays of types that a host has written, in order: one of each parameter. Fails with the text's mistake.
base::Result<WrittenArrays> arrays_of_types(const std::vector<std::string>& types, Texts& texts);

// "argument 2 of `f`", "field `w` of argument 1 of `f`".
std::string describe(const Function::Part& part, const std::string& function);

}  // namespace tessera::embed
