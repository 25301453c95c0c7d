// Private to synth: parts of axes as text, for the readers of plans and reduction programs.
#pragma once

#include <optional>

#include "synth/layout/cursor.hpp"
#include "synth/layout/layout.hpp"

namespace tessera::synth {

// `x`, `x.work` or `x:(2)4`; nothing unless the mesh has it.
std::optional<AxisPart> read_axis_part(Cursor& cursor, const Mesh& mesh);
// One part, or several in parentheses: `(x,y:(2)4)`.
std::optional<AxisList> read_axis_list(Cursor& cursor, const Mesh& mesh);

}  // namespace tessera::synth
