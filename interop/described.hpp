// What a layout's text says, whatever system it is of: which digits of a device's position deal each dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/source.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::interop {

// A digit of a position in the mesh's array: (position / stride) % size.
struct Digit {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
};
using Digits = std::vector<Digit>;  // major first

// The shape of the array, which most texts leave out.
struct ShapeText {
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;
};

struct Described {
  std::vector<Digits> splits;  // of each dimension
  Digits pending;
  synth::ReduceOp reduce = synth::ReduceOp::sum;
  bool pending_everywhere = false;           // `{unreduced}`: over all devices, however many there are
  std::optional<std::int64_t> devices = {};  // `{replicated}` does not say how many there are
  std::vector<synth::MeshAxis> axes = {};    // of the mesh that the text names; none if it names none
  std::optional<ShapeText> shape = {};       // of a text that says it
  bool is_open = false;                      // further dimensions may follow, which nothing splits: P('x')
  bool is_foreign = true;                    // tiles are of ceil(extent / devices) elements, unlike ours
  std::vector<std::string> notes = {};       // what was dropped, and why that is right
  base::Span span = {};                      // of the text
};

// Neighbours that continue each other become one; digits of size 1 go.
Digits merged(const Digits& digits);

// The digits of parts of a mesh's axes.
Digits digits_of(const synth::Mesh& mesh, const synth::AxisList& axes);

// The same layout as its digits say it. The mesh must be in row-major order.
Described described(const synth::ArrayType& type);

}  // namespace tessera::interop
