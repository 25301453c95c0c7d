// Types out of what texts say: on the mesh that a text names, or on the least mesh whose axes both ends can be written
// with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interop/described.hpp"

namespace tessera::interop {

// Renames the mesh's axes where our language has no such name; `keywords` cannot be names either.
void use_our_names(Described& text, const std::vector<std::string>& keywords);

// The type that one text means. `shape` is of the array, unless the text says its own.
base::Result<synth::ArrayType> type_of(const Described& text, const std::optional<ShapeText>& shape);

// Both ends of a change of layout on one mesh. A mesh that a text names is kept where the other end names the same, or
// none and has a layout on it. Else the strides of all digits of both, with 1 and the number of devices, must divide
// one another in a chain; each link is an axis `a`, `b`, .., the outermost first.
//
// Example: of 8 devices, f32[8,8] by {devices=[4,1,2]<=[8] last_tile_dim_replicate} is split by the digit of size 4 and
// stride 2, and by {devices=[1,2,4]<=[8] last_tile_dim_replicate} by that of size 2 and stride 4. The chain 1, 2, 4, 8
// gives the mesh a:2,b:2,c:2 and the types f32[8@(a,b), 8] and f32[8, 8@a].
base::Result<std::pair<synth::ArrayType, synth::ArrayType>> on_one_mesh(const Described& from, const Described& to,
                                                                        const std::optional<ShapeText>& shape);

}  // namespace tessera::interop
