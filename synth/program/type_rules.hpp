// The rules for the types of operations' operands and results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::synth {

using Operands = std::vector<const ArrayType*>;

// What is wrong, in words.
using Error = std::optional<std::string>;

// The fault of the operation's types; nothing if there is none. `result` is null for effects.
Error type_error(const Program& program, const Operation& operation, const Operands& operands, const ArrayType* result);

// A scalar that every device holds, of that element type.
bool is_plain_scalar(const ArrayType& type, ElementType element);
bool has_result(const Operation& operation);

// ---- What that is made of: private to synth ----

Error assemble_error(const Assemble& assemble, const Operands& operands, const ArrayType& result);

// Operations with an index signature: their shapes and element types, one by one, and then, for all, their layouts,
// which have to be those that the signature gives.
Error signed_error(const Map& map, const Operands& operands, const ArrayType& result);
Error signed_error(const Reduce& reduce, const Operands& operands, const ArrayType& result);
Error signed_error(const ArgReduce& reduce, const Operands& operands, const ArrayType& result);
Error signed_error(const Contract& contract, const Operands& operands, const ArrayType& result);
Error signed_error(const Cumsum& cumsum, const Operands& operands, const ArrayType& result);
Error signed_error(const Sort& sort, const Operands& operands, const ArrayType& result);
Error signed_error(const Greatest& greatest, const Operands& operands, const ArrayType& result);
Error signed_error(const Transpose& transpose, const Operands& operands, const ArrayType& result);
Error signed_error(const Take& take, const Operands& operands, const ArrayType& result);
Error signed_error(const ScatterAdd& scatter, const Operands& operands, const ArrayType& result);
Error signed_error(const OneHot& one_hot, const Operands& operands, const ArrayType& result);
Error layouts_error(const Operation& operation, const Operands& operands, const ArrayType& result);

}  // namespace tessera::synth
