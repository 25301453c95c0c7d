// An operation of the program as the rules of layouts see it: its index signature, and what messages say of it.
#pragma once

#include <string>
#include <vector>

#include "base/source.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/program/signature.hpp"

namespace tessera::typeck {

struct Signature {
  synth::IndexSignature indices;
  std::string who;                                       // `@`, for messages
  base::Span span;                                       // the expression
  std::vector<std::string> index_names;                  // for messages; may be empty
  synth::ElementType element = synth::ElementType::f32;  // of the result
  synth::Shape shape;                                    // of the result
};

// The shape that arrays of these shapes, which fit, broadcast to.
synth::Shape broadcast_shape(const std::vector<synth::Shape>& shapes);

}  // namespace tessera::typeck
