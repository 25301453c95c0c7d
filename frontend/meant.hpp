// Remedies that repeat what was written: each knows one mistake, and gives nothing at other places.
#pragma once

#include <optional>
#include <string>

#include "frontend/place.hpp"

namespace tessera::frontend {

// `load(a.npy)`, `save(a, out/a.npy)`: a file's name without quotes.
std::optional<std::string> help_for_file(const Place& p);

// `gradient(loss)(v)`, `grad(grad(loss))(v)`: a gradient in the form of another library.
std::optional<std::string> help_for_gradient(const Place& p);

// `plan let c = a`, `let f = fn(a: f32) = a`: a statement where a value should stand.
std::optional<std::string> help_for_statement(const Place& p);

}  // namespace tessera::frontend
