// What a checked text binds, shows and declares, in public types.
#pragma once

#include <string>
#include <vector>

#include "embed/host/convert.hpp"
#include "tessera/tessera.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::embed {

// A name with its type, and where it was bound.
Binding binding(const Texts& texts, std::string name, std::string type, base::Span span,
                const synth::ArrayType& placed);
std::vector<Binding> bindings_of(const Texts& texts, const typeck::Typed& typed);
std::vector<Place> shown_in(const Texts& texts, const typeck::Typed& typed);
std::vector<Declaration> declared_in(const frontend::Ast& ast);

}  // namespace tessera::embed
