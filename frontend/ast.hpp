// The syntax tree: what was written, with spans, and nothing else. Nodes are variants in id-indexed stores; an id
// belongs to the Ast it came from. The tree says nothing about meaning: names are not resolved, numbers have no type
// yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/source.hpp"

namespace tessera::frontend {

using base::Span;
using ExprId = base::Id<struct ExprTag>;
using TypeId = base::Id<struct TypeTag>;
using StatementId = base::Id<struct StatementTag>;
using BlockId = base::Id<struct BlockTag>;

struct Name {
  std::string text;
  Span span;
};

// ---- Types --------------------------------------------------------------------------------------------------------

// FOREACH(identifier, "spelling"): every element keyword, the reserved ones included.
#define TESSERA_ELEMENT_KEYWORDS(FOREACH) \
  FOREACH(bool_, "bool")                  \
  FOREACH(i32, "i32")                     \
  FOREACH(i64, "i64")                     \
  FOREACH(f32, "f32")                     \
  FOREACH(f64, "f64")                     \
  FOREACH(bf16, "bf16")                   \
  FOREACH(f16, "f16")                     \
  FOREACH(i8, "i8")                       \
  FOREACH(u8, "u8")                       \
  FOREACH(i16, "i16")                     \
  FOREACH(u16, "u16")                     \
  FOREACH(u32, "u32")                     \
  FOREACH(c64, "c64")                     \
  FOREACH(c128, "c128")

enum class ElementKeyword : std::uint8_t {
#define MEMBER(identifier, spelling) identifier,
  TESSERA_ELEMENT_KEYWORDS(MEMBER)
#undef MEMBER
};
std::string_view spelling(ElementKeyword element);
std::optional<ElementKeyword> element_keyword(std::string_view spelling);

// An axis that splits a dimension: `d`, or by one of its cuts, `d.work`.
struct AxisUse {
  Name axis;
  std::optional<Name> cut;
};

// One dimension of a shape: `512@(x,y)`. The extent is an integer literal, a name, a parenthesised expression, or `_`
// (taken from the file's header; only in load).
struct Dimension {
  ExprId extent;              // not valid for `_`
  bool from_file = false;     // `_`
  std::vector<AxisUse> axes;  // major first; empty: not split
  Span span;
};

// `{+x,y}`, `{max x}`, `{min x}`, `{*x}`.
enum class PendingKind : std::uint8_t { sum, max, min, product };
struct Pending {
  PendingKind kind = PendingKind::sum;
  std::vector<Name> axes;  // at least one
  Span span;
};

// `f32[512@x, 256]{+y} on m`, `f32`, `f32[N, K]?`, or after `as` a bare `[512@x, 256]` (no element keyword).
struct TypeField {
  Name name;
  TypeId type;
};
struct TypeExpr {
  std::optional<ElementKeyword> element;
  Span element_span;
  bool has_shape = false;  // brackets were written; without them the type is a scalar
  bool any_shape = false;  // `[..]`
  std::vector<Dimension> dimensions;
  std::optional<Pending> pending;
  bool any_layout = false;   // `?`
  std::optional<Name> mesh;  // `on m`
  Span span;
  std::vector<TypeField> fields = {};  // of a record, `{w: f32[8], b: f32}`, which has nothing of the above
};

// ---- Expressions --------------------------------------------------------------------------------------------------

struct IntLiteral {
  std::int64_t value;       // never negative; a literal beyond 64 bits is a diagnostic of the parser
  bool is_grouped = false;  // `65_536`: printed so again, in groups of three
};
struct FloatLiteral {
  double value;
  std::string text;           // as written, so that it prints back the same
  bool is_imaginary = false;  // `2.0j`, whose value is 2.0
};
struct BoolLiteral {
  bool value;
};
struct StringLiteral {
  std::string value;  // escapes resolved, UTF-8
};
struct ListLiteral {  // [[1, 2], [3, 4]], and lists of integers as arguments
  std::vector<ExprId> items;
};
struct NameRef {
  std::string name;
};

inline constexpr int kNegatePrecedence = 11;
// FOREACH(identifier, "spelling", precedence)
#define TESSERA_UNARY_OPS(FOREACH)         \
  FOREACH(negate, "-", kNegatePrecedence)  \
  FOREACH(bit_not, "~", kNegatePrecedence) \
  FOREACH(logical_not, "!", 3)

enum class UnaryOp : std::uint8_t {
#define MEMBER(identifier, spelling, precedence) identifier,
  TESSERA_UNARY_OPS(MEMBER)
#undef MEMBER
};
std::string_view spelling(UnaryOp op);
std::optional<UnaryOp> unary_op(std::string_view spelling);
int precedence(UnaryOp op);
struct Unary {
  UnaryOp op;
  ExprId operand;
};

// FOREACH(identifier, "spelling", precedence): higher binds tighter; `**` groups to the right and binds tighter than
// `-` and `~` on its left operand; comparisons do not chain; all others group to the left.
#define TESSERA_BINARY_OPS(FOREACH) \
  FOREACH(logical_or, "||", 1)      \
  FOREACH(logical_and, "&&", 2)     \
  FOREACH(equal, "==", 4)           \
  FOREACH(not_equal, "!=", 4)       \
  FOREACH(less, "<", 4)             \
  FOREACH(less_equal, "<=", 4)      \
  FOREACH(greater, ">", 4)          \
  FOREACH(greater_equal, ">=", 4)   \
  FOREACH(bit_or, "|", 5)           \
  FOREACH(bit_xor, "^", 6)          \
  FOREACH(bit_and, "&", 7)          \
  FOREACH(shift_left, "<<", 8)      \
  FOREACH(shift_right, ">>", 8)     \
  FOREACH(add, "+", 9)              \
  FOREACH(subtract, "-", 9)         \
  FOREACH(multiply, "*", 10)        \
  FOREACH(divide, "/", 10)          \
  FOREACH(remainder, "%", 10)       \
  FOREACH(matmul, "@", 10)          \
  FOREACH(power, "**", 12)

enum class BinaryOp : std::uint8_t {
#define MEMBER(identifier, spelling, precedence) identifier,
  TESSERA_BINARY_OPS(MEMBER)
#undef MEMBER
};
std::string_view spelling(BinaryOp op);
std::optional<BinaryOp> binary_op(std::string_view spelling);
int precedence(BinaryOp op);

struct Binary {
  BinaryOp op;
  Span op_span;
  ExprId left;
  ExprId right;
};

struct Subscript {
  enum class Kind : std::uint8_t { single, range } kind = Kind::single;
  ExprId start;  // single: the index. range: not valid where omitted
  ExprId stop;   // range only; not valid where omitted
  ExprId step;   // range only; not valid where omitted
  Span span;
};
struct Index {
  ExprId base;
  std::vector<Subscript> subscripts;
};

// An argument is an expression or a type (`iota(f32[8@x])`). Axes arguments, `x` or `(x, y)`, are expressions here: a
// NameRef or a Tuple of NameRefs.
struct Argument {
  std::optional<Name> name;
  std::variant<ExprId, TypeId> value;
  Span span;
};
struct Call {
  Name callee;
  std::vector<Argument> arguments;
};
struct Gradient {  // grad(f, wrt=[w, b])(x, w, b)
  Name function;
  std::optional<std::vector<Name>> wrt;  // at least one; absent: every float parameter
  std::vector<Argument> arguments;
  Span derivative_span;  // `grad(f, wrt=[w, b])`
};
struct Cast {  // f32(e)
  ElementKeyword element;
  Span element_span;
  ExprId operand;
};
struct Tuple {  // (a, b): two or more items
  std::vector<ExprId> items;
};
struct As {
  ExprId operand;
  TypeId type;
  std::optional<std::int64_t> within_bytes;
  Span within_span;  // of the size, where there is one
};
// `[1:-1, 0] = v`
struct Replacement {
  std::vector<Subscript> subscripts;
  Span subscripts_span;  // with the brackets
  ExprId value;
};
struct Field {
  Name name;
  ExprId value;
};
struct Record {  // {w: a, b: c}, or {..r, w: a}: r with other values in some of its fields
  ExprId base;   // r; not valid where there is none
  std::vector<Field> fields;
};
struct FieldOf {  // r.w
  ExprId base;
  Name field;
};
struct With {  // a with [0] = v, [:, -1] = w: a copy in which parts are replaced, from left to right
  ExprId base;
  std::vector<Replacement> replacements;  // at least one
};
struct If {
  ExprId condition;
  BlockId then_block;
  BlockId else_block;  // always there; `else if` is an else block that holds one If
};
struct BlockExpr {  // { let t = ...; t * 2 }
  BlockId block;
};
struct Local {  // local { e }
  BlockId block;
};
struct Again {  // again { e }
  BlockId block;
};
struct Carried {
  Name name;
  ExprId init;
};
// `by "eager-1f1b"`.
struct ScheduleName {
  std::string text;
  Span span;
};
struct Loop {
  std::vector<Carried> carried;                         // at least one
  std::optional<Name> index;                            // of `for i < bound`
  ExprId bound;                                         // not valid where there is no `for`
  BlockId body;                                         // its result is a Tuple where several values are carried
  ExprId condition = {};                                // of `while`; without it there is a `for`
  ExprId limit = {};                                    // of `while`, without a `for`: so many turns are an error
  bool is_pipeline = false;                             // `pipeline` for `loop`
  std::optional<ScheduleName> schedule = std::nullopt;  // of a pipeline
  bool is_scan = false;                                 // `scan` for `loop`: more results than are carried
  bool is_unrolled = false;                             // of `for const i < bound`
};

struct Expr {
  Span span;
  bool parenthesised = false;  // written in parentheses of its own; the printer decides for itself
  std::variant<IntLiteral, FloatLiteral, BoolLiteral, StringLiteral, ListLiteral, NameRef, Unary, Binary, Index, Call,
               Gradient, Cast, Tuple, Record, FieldOf, As, With, If, BlockExpr, Local, Again, Loop>
      node;
};

// ---- Statements ---------------------------------------------------------------------------------------------------

// `work(2,1,1)`, or one word that says where the weights come from: `work(speed)`.
struct NamedCut {
  Name name;
  std::vector<ExprId> weights;  // at least one
  Span span;
};
struct MeshAxis {
  Name name;
  ExprId size;
  std::vector<NamedCut> cuts;
};
// `place [[4, 4], [1, 4]]`, or without rows `place auto`.
struct Placement {
  std::vector<std::vector<ExprId>> rows;
  Span span;
};
// `8:16`: the devices from the first on, without the end.
struct DeviceRange {
  ExprId first;
  ExprId end;
};
// `on 8:16` or `on (4:8, 0:4)`.
struct OnDevices {
  std::vector<DeviceRange> ranges;  // at least one
  Span span;
};
struct MeshStatement {
  Name name;
  std::vector<MeshAxis> axes;
  std::optional<OnDevices> on = std::nullopt;
  std::optional<Placement> place = std::nullopt;
};
struct Let {
  std::vector<Name> names;     // one, or several for `let (a, b) = e`
  std::optional<TypeId> type;  // only with one name
  ExprId value;
};
struct Parameter {
  Name name;
  TypeId type;
  std::optional<Span> chosen = std::nullopt;  // `auto`, behind the type
};
struct Fn {
  Name name;
  std::vector<Parameter> parameters;
  std::vector<TypeId> results;  // empty: inferred
  BlockId body;                 // `= e` is a block without statements
  bool body_is_expression = false;
  std::optional<Span> chosen = std::nullopt;         // `auto`, before `fn`
  std::vector<std::optional<Name>> results_as = {};  // of every result the parameter that it lies as: `T as w`
  std::vector<Name> over = {};                       // the axes that are chosen; empty: all
};
struct Print {
  std::vector<ExprId> items;  // StringLiterals among them
};
struct Show {
  ExprId value;
};
struct PlanStatement {
  ExprId value;
};
struct Save {
  ExprId value;
  std::string path;
  Span path_span;
  bool shards = false;  // save_shards
  // `name="w"`: which array of a file that holds several.
  std::optional<std::string> array = {};
  Span array_span = {};
};
struct Assert {
  ExprId condition;
  std::optional<std::string> message;
};
struct Use {  // use "layers.tess": what the file declares; `with mesh`, its meshes, too
  std::string path;
  Span path_span;
  bool with_meshes = false;
};
struct ExprStatement {  // shown by the REPL; error[unused-value] in a script
  ExprId value;
};

struct IfStatement {  // if c { print a }: its blocks have no value
  ExprId condition;
  BlockId then_block;
  std::optional<BlockId> else_block;  // `else if` is a block that holds one IfStatement
};

// A comment, kept for the printer: `# text` to the end of its line.
struct Comment {
  std::string text;  // with its `#`, without trailing white space
  Span span;
  bool own_line = false;  // nothing but white space before it on its line
};

struct Statement {
  Span span;
  std::variant<MeshStatement, Let, Fn, Print, Show, PlanStatement, Save, Assert, Use, ExprStatement, IfStatement> node;
};

// Statements (of ExprStatements only calls and loops), then one expression.
struct Block {
  std::vector<StatementId> statements;
  ExprId result;  // none in the blocks of an IfStatement
  Span span;
};

struct Ast {
  base::SourceId source;
  base::Store<Expr, ExprId> exprs;
  base::Store<TypeExpr, TypeId> types;
  base::Store<Statement, StatementId> statements;
  base::Store<Block, BlockId> blocks;
  std::vector<StatementId> program;  // the top-level statements, in order
  std::vector<Comment> comments;     // in order of position
  std::size_t tokens = 0;            // words and signs of the text

  const Expr& operator[](ExprId id) const { return exprs[id]; }
  const TypeExpr& operator[](TypeId id) const { return types[id]; }
  const Statement& operator[](StatementId id) const { return statements[id]; }
  const Block& operator[](BlockId id) const { return blocks[id]; }
};

}  // namespace tessera::frontend
