// Scalars that are known when a program is checked, as elements of an array.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "synth/program/literal.hpp"
#include "typeck/typed/environment.hpp"

namespace tessera::typeck {

void append_bytes(std::vector<std::byte>& bytes, const KnownScalar& value, synth::ElementType element);
// The value that a scalar of a storage type has; of other types the value as it is.
KnownScalar as_held(const KnownScalar& value, synth::ElementType element);
// The value of a scalar literal; nothing of an array.
std::optional<KnownScalar> value_of(const synth::Literal& literal);

}  // namespace tessera::typeck
