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

// A type without its layout; the shape outlives it.
struct Shaped {
  ElementType own_element;
  const Shape* own_shape;

  ElementType element() const { return own_element; }
  const Shape& shape() const { return *own_shape; }
  std::size_t rank() const { return own_shape->size(); }
};

// The fault of the shapes and element types of an operation that has an index signature, whatever the layouts are;
// nothing if there is none. For a matrix product f32[8, 6] and f32[5, 4] are at fault: index 1 has two extents.
Error shape_error(const Operation& operation, const std::vector<Shaped>& operands, const Shaped& result);

// A scalar that every device holds, of that element type.
bool is_plain_scalar(const ArrayType& type, ElementType element);
bool has_result(const Operation& operation);

// ---- What that is made of: private to synth ----

Error assemble_error(const Assemble& assemble, const Operands& operands, const ArrayType& result);

// Operations with an index signature: their shapes and element types, one by one, and then, for all, their layouts,
// which have to be those that the signature gives.
Error signed_error(const Map& map, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Reduce& reduce, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const ArgReduce& reduce, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Find& find, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Contract& contract, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Scan& scan, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Recur& recur, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Sort& sort, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Greatest& greatest, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Transpose& transpose, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Take& take, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const ScatterAdd& scatter, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Search& search, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const OneHot& one_hot, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const MatrixFunction& function, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Fourier& fourier, const std::vector<Shaped>& operands, const Shaped& result);
Error signed_error(const Lay& lay, const std::vector<Shaped>& operands, const Shaped& result);
Error layouts_error(const Operation& operation, const Operands& operands, const ArrayType& result);

}  // namespace tessera::synth
