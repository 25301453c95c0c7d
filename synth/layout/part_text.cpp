#include "synth/layout/part_text.hpp"

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

std::optional<AxisPart> read_axis_part(Cursor& cursor, const Mesh& mesh) {
  const auto axis = mesh.find(cursor.name());
  if (!axis) return std::nullopt;
  if (cursor.accept('.')) return named_cut(mesh, *axis, cursor.name());
  AxisPart part = whole_axis(mesh, *axis);
  if (!cursor.accept(":(")) return part;
  const auto before = integer_value(cursor.digits());
  const bool closed = cursor.accept(')');
  const auto size = integer_value(cursor.digits());
  if (!before || !closed || !size) return std::nullopt;
  part.before = *before;
  part.size = *size;
  return exists(mesh, part) ? std::optional(part) : std::nullopt;
}

std::optional<AxisList> read_axis_list(Cursor& cursor, const Mesh& mesh) {
  AxisList axes;
  const bool several = cursor.accept('(');
  do {
    const auto part = read_axis_part(cursor, mesh);
    if (!part) return std::nullopt;
    axes.push_back(*part);
  } while (several && cursor.accept(','));
  if (several && !cursor.accept(')')) return std::nullopt;
  return axes;
}

}  // namespace tessera::synth
