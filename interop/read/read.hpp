// Layouts as other systems write them, read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "interop/described.hpp"
#include "interop/read/format.hpp"
#include "interop/scanner.hpp"

namespace tessera::interop {

// Fails with `interop-syntax`, `interop-devices` or `interop-unsupported`, each with its place in the text.
base::Result<Described> read(const Reading& reading);

// `f32[16,16]`, `bf16[8]`, `float32[16,16]`, `u8[4]`. An element type that we lack is refused, unless `bytes` says that
// any type of that width will do.
base::Result<ShapeText> read_shape(const Text& text, std::optional<std::int64_t> bytes);
std::optional<synth::ElementType> element_of_width(std::int64_t bytes);

// A mesh as any of the systems writes it: `x:4,y:2`, `<["x"=4, "y"=2]>`, `Mesh('x': 4, 'y': 2)`, `(4, 2)`.
base::Result<std::vector<synth::MeshAxis>> read_axes(const Text& text);

}  // namespace tessera::interop
