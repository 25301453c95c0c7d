// What to type where several values need a name each: the help of `tuple-count` and `tuple-here`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.hpp"

namespace tessera::typeck {

// The names by whose gradients a function is differentiated: those of `wrt`, else its parameters of floats.
std::vector<std::string> differentiated_by(const frontend::Gradient& gradient, const frontend::Ast& ast,
                                           const frontend::Fn& function);

// A name for each of so many values, the last of which are gradients by these parameters. The names that somebody wrote
// are kept, but those of gradients, which are called after their parameters: where `v` and `g` are to be two of three
// values of `grad(f)(a, b)`, the names are `v`, `ga` and `gb`.
std::vector<std::string> names_for(std::size_t values, const std::vector<std::string>& written,
                                   const std::vector<std::string>& parameters);

// `let (v, ga, gb) = grad(f)(a, b)`; a long expression is left out, and so are names beyond the sixth.
std::string let_of(const std::vector<std::string>& names, std::string_view expression);

}  // namespace tessera::typeck
