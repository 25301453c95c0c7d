// Operations on single elements as text, by the formulas of runtime/elements.
#pragma once

#include <span>
#include <string>

#include "runtime/device/write/formula.hpp"

namespace tessera::device {

// The type that an element has in a kernel.
std::string_view type_text(synth::ElementType element);

// The value of a map, of operands with these names. Integers without a quotient or a power give 0.
std::string expression(const Formula& formula, const Value& value, std::span<const std::string> names);

// The kind of a reduction, as runtime::Combine.
std::string combine_text(const Value& value);

// About how many instructions an element takes.
int weight_of(const Value& value);

}  // namespace tessera::device
