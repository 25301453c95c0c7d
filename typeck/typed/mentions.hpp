// Private to typed: the names that a text mentions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/ast.hpp"

namespace tessera::typeck {

struct Mention {
  std::uint32_t at = 0;  // the first byte of the expression or statement
  std::string name;
};

// Every name that an expression may mean, in the order of the text: more than is meant, never less. Those of types'
// meshes are not among them.
std::vector<Mention> mentions(const frontend::Ast& ast);

}  // namespace tessera::typeck
