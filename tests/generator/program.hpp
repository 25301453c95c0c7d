// A generated program: statements over expression trees, as text for any mesh whose axes are called x, y and z.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/generator/expression.hpp"

namespace tessera::generator {

// The sizes of the axes x, y and z.
using MeshSizes = std::array<std::int64_t, 3>;
inline constexpr MeshSizes kOneDevice = {1, 1, 1};
std::string print(const MeshSizes& mesh);  // `2x3x1`

struct Statement {
  std::vector<std::string> names;  // what it binds; empty for functions, prints and asserts
  std::vector<Facts> facts;        // of each name
  std::string tessera;             // a template, as a node's
  std::string numpy;               // may hold several lines; empty where NumPy has nothing to do
  ExpressionRef value;             // null if the templates have no place
};

struct Program {
  std::uint64_t seed = 0;
  MeshSizes mesh = kOneDevice;
  std::vector<Statement> statements;
};

std::string tessera_statement(const Statement& statement);
std::string tessera_text(const Program& program, const MeshSizes& mesh);
// The same with a cut of random weights on every axis, by which most of its uses in types are cut. It means the same.
std::string weighted_text(const Program& program, const MeshSizes& mesh);
// The same with two or three meshes, on devices of their own, shared, or the same in another order: most of what a
// `let` names goes to another mesh and back. It means the same; at its end pipelines are asserted to be loops.
std::string several_meshes_text(const Program& program, const MeshSizes& mesh);
// The body of a Python function, indented by four spaces; what it needs is numpy_prelude().
std::string numpy_text(const Program& program);
std::string_view numpy_prelude();

}  // namespace tessera::generator
