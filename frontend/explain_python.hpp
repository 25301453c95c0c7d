// Sentences of Python and its sessions that are none here, and what is written instead. Private to the explanations.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "frontend/place.hpp"

namespace tessera::frontend {

// `from jax.sharding import P`, whose first name was not expected.
std::optional<base::Diagnostic> import_of_names(const Place& p);
// `a if c else b`
std::optional<base::Diagnostic> condition_after_value(const Place& p);
// `f"{x}"`
std::optional<base::Diagnostic> string_with_prefix(const Place& p);
// `%timeit f(a)`, and `sum?` at the end of a line.
std::optional<base::Diagnostic> magic_of_sessions(const Place& p);
// `let a, b = f(c)`
std::optional<base::Diagnostic> names_without_parentheses(const Place& p);
// `[f(i) for i in range(n)]`
std::optional<base::Diagnostic> list_by_rule(const Place& p);
// `a, b = f(c)`
std::optional<base::Diagnostic> names_without_let(const Place& p);

}  // namespace tessera::frontend
