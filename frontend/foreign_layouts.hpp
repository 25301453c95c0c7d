// Words of JAX, PyTorch and MPI for layouts, collectives and ranks, and what is written here instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/place.hpp"

namespace tessera::frontend {

// What `as` is for.
inline constexpr std::string_view kAs = "write `a as [8@x, 4]`: a layout is part of the type";

// Help for a function, class or method of those systems, with or without `MPI_` before it.
std::optional<std::string_view> help_for_layout_word(std::string_view name);

// Help for a layout of those systems that stands where a type is expected. A specification of JAX's is translated:
// `P("x", None)` is `[n@x, m]`.
std::optional<std::string> help_for_layout(const Place& p);

}  // namespace tessera::frontend
