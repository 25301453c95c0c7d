// Rules of explain.cpp about points and the braces of records.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "frontend/foreign.hpp"
#include "frontend/place.hpp"

namespace tessera::frontend {

// `of.name(argument)` where its first point is at `dot`; of a library the whole path counts.
Member member_at(const Place& p, int dot);
// `a.sum(0)`, `np.linalg.solve(a, b)`, `a.as(b)`: what is called, or a keyword, behind the point of a field.
std::optional<base::Diagnostic> called_member(const Place& p);
// `if c {w: a}`, `{"w": a}`, `{w = a, b = c}`
std::optional<base::Diagnostic> written_as_no_record(const Place& p);

}  // namespace tessera::frontend
