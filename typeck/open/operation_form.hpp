// What the operations of an open program hold, as text: descriptions that a Writer prints and a Reader reads. Private
// to typeck/open.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "typeck/open/words.hpp"
#include "typeck/text/reader.hpp"
#include "typeck/text/writer.hpp"

namespace tessera::typeck::text {

template <>
struct Fresh<open::Type> {
  static open::Type make() { return {synth::ElementType::f32, {}, synth::Mesh::single_device()}; }
};

template <>
struct Fresh<open::Bound> {
  static open::Bound make() { return {{}, {}, {}, 0, ArrayType()}; }
};

}  // namespace tessera::typeck::text

namespace tessera::typeck::open {

using text::In;

void array_type(text::Writer& io, const Type& type);
void array_type(text::Reader& io, Type& type);
// ` is 8` behind a scalar that is known.
void known_scalar(text::Writer& io, const std::optional<KnownScalar>& known);
void known_scalar(text::Reader& io, std::optional<KnownScalar>& known);

// The word of an operation; that of a synth::Operation is its name.
std::string_view operation_word(const Operation& operation);
// An operation of that word, with nothing in it: that of an unknown word is a synth::Operation.
Operation operation_named(std::string_view word);

// The mesh of the first type, on which written layouts lie.
const synth::Mesh& first_mesh(const std::vector<Type>& types);

template <class Io>
void written_layout(Io& io, In<Io, WrittenLayout> layout, const synth::Mesh& mesh) {
  io.layout(layout.splits, layout.pending, layout.reduce, mesh);
}

// What an operation of this word holds; `types` are those of its results.
void operation_form(text::Writer& io, const Operation& operation, std::string_view word,
                    const std::vector<Type>& types);
void operation_form(text::Reader& io, Operation& operation, std::string_view word, const std::vector<Type>& types);

}  // namespace tessera::typeck::open
