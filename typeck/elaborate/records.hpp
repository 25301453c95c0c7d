// Records: values of several nodes, with a name for each. They are made, taken apart and put in another order here;
// behind elaboration there are arrays alone. Private to typeck/elaborate/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

// The values of a tuple as one.
Checked tuple_of(const std::vector<Checked>& values);
// The arrays of which a value is made; each field of a record is one.
std::vector<Checked> arrays_of(const Checked& value);
// What each value of a tuple has for fields; an array has none.
std::vector<Fields> items_of(const Checked& value);
// `{w: f32[8], b: f32}`; of an array its type.
std::string text_of(Elaborator& elaborator, const Checked& value);

// A value with the fields of its records in this order; nothing, after a report, if they are others. `who` is what
// has the wanted fields, such as "the parameter `p` of `f`".
MaybeValue in_order(Elaborator& elaborator, const Checked& value, const Fields& wanted, const std::string& who,
                    Span declared);

// The arrays of which a type is made: the fields of a record with their types, an array without a name.
struct TypedField {
  std::string name;
  TypeId type;
  Span span;  // of the name
};
std::vector<TypedField> fields_of(const Ast& ast, TypeId type);
Fields names_of(const std::vector<TypedField>& fields);
bool is_record(const Ast& ast, TypeId type);
// Does each field have a name of its own? The first that has not is reported.
bool names_differ(Elaborator& elaborator, const std::vector<frontend::Field>& fields);
bool names_differ(Elaborator& elaborator, const std::vector<frontend::TypeField>& fields);
// Does each record in it name each field once? The one that does not is reported.
bool names_fields_once(Elaborator& elaborator, const Ast& ast, TypeId type);
// The parameters as arrays: each field of a record is one, which is called `p.w`.
std::vector<frontend::Parameter> array_parameters(const Ast& ast, const frontend::Fn& fn);

// `{w: a, b: c}`, perhaps where a type stands that says what its fields are wanted as.
MaybeValue check_record(Elaborator& elaborator, ExprId id, const frontend::Record& record, const Ast* tree = nullptr,
                        TypeId as = {});
// The value of a parameter in the body, made of the instance's from `at` on, which goes on behind them.
Checked parameter_value(const Ast& ast, const frontend::Parameter& parameter, const open::Instance& instance,
                        std::size_t& at);
// Prints each field on a line of its own, `w: [1, 2]`.
void print_fields(Elaborator& elaborator, Span span, const Checked& record);
// `r.w`.
MaybeValue check_field(Elaborator& elaborator, ExprId id, const frontend::FieldOf& member);
// An array or a record, not a tuple.
MaybeValue check_value(Elaborator& elaborator, ExprId id, const Preference& want = {});
// The same for an expression that stands by a type.
MaybeValue check_value_as(Elaborator& elaborator, ExprId id, const Ast& tree, TypeId type);
// Brings a value to a written type, of an array or of a record: `Elaborator::annotated`. With `is_open` the type says
// nothing of layouts.
MaybeValue annotated_as(Elaborator& elaborator, const Checked& value, const Ast& tree, TypeId type,
                        const std::string& who, Span asked_at, const frontend::As* as = nullptr,
                        ValueId operand_begins = {}, bool is_open = false);
// `each(f, p, g, rate)`: f of the first fields of p and g, of the second ones, and so on; what is no record goes along
// to every call. Gives a record of f's results, a tuple of records where f has several.
MaybeValue check_each(Elaborator& elaborator, ExprId id, const frontend::Call& call);
// Says that one value is needed where several stand, and an array where a record stands.
void report_tuple(Elaborator& elaborator, ExprId id, const Checked& tuple);
void report_record(Elaborator& elaborator, const Checked& record, Span span);

}  // namespace tessera::typeck
