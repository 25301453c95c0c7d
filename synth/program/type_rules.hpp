// Private to synth: the rules for the types of operations' operands and results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::synth {

using Operands = std::vector<const ArrayType*>;

// The fault of the operation's types, in words; nothing if there is none. `result` is null for effects.
std::optional<std::string> type_error(const Program& program, const Operation& operation, const Operands& operands,
                                      const ArrayType* result);

// A scalar that every device holds, of that element type.
bool is_plain_scalar(const ArrayType& type, ElementType element);
bool has_result(const Operation& operation);

// The rules of the larger operations, in files of their own.
std::optional<std::string> map_error(const Map& map, const Operands& operands, const ArrayType& result);
std::optional<std::string> reduce_error(const Reduce& reduce, const Operands& operands, const ArrayType& result);
std::optional<std::string> arg_reduce_error(const ArgReduce& reduce, const Operands& operands, const ArrayType& result);
std::optional<std::string> contract_error(const Contract& contract, const Operands& operands, const ArrayType& result);
std::optional<std::string> assemble_error(const Assemble& assemble, const Operands& operands, const ArrayType& result);

}  // namespace tessera::synth
