// Arithmetic while the program is checked: on constants, and on sums of run-time scalars.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.hpp"
#include "synth/program/operation.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck {

// Is it a float, or complex, also where it is only stored?
bool takes_fractions(ElementType element);
// `+ - * / % **` and `& | ^ << >>`: operators whose result has their operands' element type. `@` is not one.
bool is_arithmetic(frontend::BinaryOp op);
// `& | ^ << >>`, of integers.
bool is_of_bits(frontend::BinaryOp op);
synth::MapOp map_op(frontend::BinaryOp op);  // not for `@`
synth::MapOp map_op(frontend::UnaryOp op);
bool binary_accepts(frontend::BinaryOp op, ElementType element);
std::string unsupported_help(frontend::BinaryOp op, ElementType element);
bool unary_accepts(frontend::UnaryOp op, ElementType element);
std::string unsupported_help(frontend::UnaryOp op, ElementType element);
// `f32(n)`: which cast would mend a mismatch; the wider type wins.
std::string cast_help(ElementType a, const std::string& a_text, ElementType b, const std::string& b_text);

// The value of a literal, or of minus a literal.
std::optional<KnownScalar> literal_value(const Ast& ast, ExprId id);
bool has_float_literal(const Ast& ast, ExprId id);
// A number, or arithmetic of numbers, complex ones too.
bool is_number_literal(const Ast& ast, ExprId id);
// What to write instead of such an item of a list, which is no literal.
std::string help_for_item(const Ast& ast, ExprId id);
std::string print_known(const KnownScalar& value);

// The same result as at run time, or nothing where the run would fail (a zero divisor) or should compute the value
// itself.
std::optional<KnownScalar> fold_unary(frontend::UnaryOp op, const KnownScalar& value, ElementType element);
std::optional<KnownScalar> fold_binary(frontend::BinaryOp op, const KnownScalar& a, const KnownScalar& b,
                                       ElementType element);
std::optional<KnownScalar> fold_cast(const KnownScalar& value, ElementType from, ElementType to);

Affine scaled(Affine affine, std::int64_t factor);
Affine sum(const Affine& a, const Affine& b);
// a - b if that is a constant.
std::optional<std::int64_t> difference(const Affine& a, const Affine& b);
std::optional<Affine> combine(frontend::BinaryOp op, const std::optional<Affine>& a, const std::optional<Affine>& b);

}  // namespace tessera::typeck
