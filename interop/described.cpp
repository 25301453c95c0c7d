#include "interop/described.hpp"

namespace tessera::interop {

Digits merged(const Digits& digits) {
  Digits result;
  for (const Digit& digit : digits) {
    if (digit.size == 1) continue;
    if (!result.empty() && result.back().stride == digit.size * digit.stride) {
      result.back() = {result.back().size * digit.size, digit.stride};
    } else {
      result.push_back(digit);
    }
  }
  return result;
}

Digits digits_of(const synth::Mesh& mesh, const synth::AxisList& axes) {
  Digits result;
  for (const synth::AxisPart& part : axes) {
    const std::int64_t minor = mesh.axes()[part.axis].size / (part.before * part.size);
    result.push_back({part.size, mesh.stride(part.axis) * minor});
  }
  return merged(result);
}

Described described(const synth::ArrayType& type) {
  Described result;
  for (std::size_t d = 0; d < type.rank(); ++d) result.splits.push_back(digits_of(type.mesh(), type.layout().split(d)));
  result.pending = digits_of(type.mesh(), type.layout().pending());
  result.reduce = type.layout().reduce();
  result.is_foreign = false;
  result.devices = type.devices();
  result.axes = type.mesh().axes();
  result.shape = ShapeText{type.element(), type.shape()};
  return result;
}

}  // namespace tessera::interop
