// The operations of a device program: the one vocabulary shared by the typed program, the device program and the
// runtime. The meaning of every operation is written here; its operands and results are listed where it is used. "Tile"
// is always the device's box of the array by its type; local operations read and write tiles of one device only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "synth/moves/collective/collective.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

using LiteralId = base::Id<struct LiteralTag>;
using StringId = base::Id<struct StringTag>;

// Which element types an elementwise operation takes, and gives.
enum class ElementRule : std::uint8_t {
  numbers,   // real numbers of one type, and a result of it
  field,     // numbers of one type, complex ones too, and a result of it
  ordered,   // one type that is computed with
  any,       // one type, any
  floats,    // floats of one type
  integers,  // integers of one type that is computed with, and a result of it
  compare,   // one type that is computed with and has an order; the result is bool
  equality,  // one type that is computed with; the result is bool
  join,      // floats of one type; the result is complex, of such parts
  part,      // complex; the result is of the type of a part
  logic,     // bool
  choose,    // bool, then two of the result's type
  convert,   // any to any, but storage types only from and to what they are computed as
};

// FOREACH(identifier, "name", operand count, element rule, pending rule (signature.hpp))
// Floats are IEEE; integer overflow wraps; `divide` and `remainder` on integers are floor division and the remainder
// with the divisor's sign, and a zero divisor is a run-time error (least / -1 wraps); `power` on integers needs an
// exponent >= 0, else a run-time error. NaN wins in minimum, maximum and clip. Comparisons and logical operations give
// bool; logical operations take bool. `bit_and` and its like are of the bits of two's complement; `shift_right` fills
// with the sign, and a count below 0 or of as many bits as there are, or more, shifts all of them out. `select` is
// condition, then, else. `clip` is value, low, high: minimum(maximum(value, low), high). `sign` of -0.0 is -0.0, of NaN
// is NaN. `gelu` is 0.5*x*(1+erf(x/sqrt(2))). `cast` to the result's element type: float to integer truncates,
// saturates at the ends, NaN gives 0; to bool is != 0. `copy` only broadcasts. `log1p` is log(1+x) and `expm1`
// exp(x)-1, also of small x. The powers -1, 1, 2, 3 and 4 of a float are a quotient and products: a, a*a, a*a*a,
// (a*a)*(a*a). `complex` is of a real and an imaginary part, `re` and `im` are these. Complex numbers are multiplied as
// (ac - bd) + (ad + bc)j, each product rounded; divided with the quotient of the divisor's smaller part by its larger
// one (Smith), so that nothing overflows on the way. A real number is cast to a complex one with an imaginary part of
// 0; there is no cast back.
#define TESSERA_MAP_OPS(FOREACH)                               \
  FOREACH(add, "add", 2, field, equal_sums)                    \
  FOREACH(subtract, "subtract", 2, field, equal_sums)          \
  FOREACH(multiply, "multiply", 2, field, product)             \
  FOREACH(divide, "divide", 2, field, quotient)                \
  FOREACH(remainder, "remainder", 2, numbers, resolve)         \
  FOREACH(power, "power", 2, numbers, resolve)                 \
  FOREACH(minimum, "minimum", 2, ordered, equal_min)           \
  FOREACH(maximum, "maximum", 2, ordered, equal_max)           \
  FOREACH(equal, "equal", 2, equality, resolve)                \
  FOREACH(not_equal, "not_equal", 2, equality, resolve)        \
  FOREACH(less, "less", 2, compare, resolve)                   \
  FOREACH(less_equal, "less_equal", 2, compare, resolve)       \
  FOREACH(greater, "greater", 2, compare, resolve)             \
  FOREACH(greater_equal, "greater_equal", 2, compare, resolve) \
  FOREACH(logical_and, "logical_and", 2, logic, resolve)       \
  FOREACH(logical_or, "logical_or", 2, logic, resolve)         \
  FOREACH(logical_not, "logical_not", 1, logic, resolve)       \
  FOREACH(bit_and, "bit_and", 2, integers, resolve)            \
  FOREACH(bit_or, "bit_or", 2, integers, resolve)              \
  FOREACH(bit_xor, "bit_xor", 2, integers, resolve)            \
  FOREACH(bit_not, "bit_not", 1, integers, resolve)            \
  FOREACH(shift_left, "shift_left", 2, integers, resolve)      \
  FOREACH(shift_right, "shift_right", 2, integers, resolve)    \
  FOREACH(negate, "negate", 1, field, linear)                  \
  FOREACH(exp, "exp", 1, floats, resolve)                      \
  FOREACH(exp2, "exp2", 1, floats, resolve)                    \
  FOREACH(log, "log", 1, floats, resolve)                      \
  FOREACH(log2, "log2", 1, floats, resolve)                    \
  FOREACH(log10, "log10", 1, floats, resolve)                  \
  FOREACH(log1p, "log1p", 1, floats, resolve)                  \
  FOREACH(expm1, "expm1", 1, floats, resolve)                  \
  FOREACH(sqrt, "sqrt", 1, floats, resolve)                    \
  FOREACH(rsqrt, "rsqrt", 1, floats, resolve)                  \
  FOREACH(tanh, "tanh", 1, floats, resolve)                    \
  FOREACH(sigmoid, "sigmoid", 1, floats, resolve)              \
  FOREACH(relu, "relu", 1, numbers, resolve)                   \
  FOREACH(gelu, "gelu", 1, floats, resolve)                    \
  FOREACH(erf, "erf", 1, floats, resolve)                      \
  FOREACH(abs, "abs", 1, numbers, resolve)                     \
  FOREACH(sign, "sign", 1, numbers, resolve)                   \
  FOREACH(floor, "floor", 1, numbers, resolve)                 \
  FOREACH(sin, "sin", 1, floats, resolve)                      \
  FOREACH(cos, "cos", 1, floats, resolve)                      \
  FOREACH(arctan, "arctan", 1, floats, resolve)                \
  FOREACH(complex, "complex", 2, join, resolve)                \
  FOREACH(real, "re", 1, part, resolve)                        \
  FOREACH(imaginary, "im", 1, part, resolve)                   \
  FOREACH(select, "select", 3, choose, resolve)                \
  FOREACH(clip, "clip", 3, ordered, resolve)                   \
  FOREACH(cast, "cast", 1, convert, resolve)                   \
  FOREACH(copy, "copy", 1, any, resolve)

enum class MapOp : std::uint8_t {
#define MEMBER(identifier, text, arity, elements, pending) identifier,
  TESSERA_MAP_OPS(MEMBER)
#undef MEMBER
};
std::string_view name(MapOp op);
std::size_t arity(MapOp op);
ElementRule element_rule(MapOp op);
// May elements of this type be operated on? (Where operands differ, the last one's.)
bool takes(ElementRule rule, ElementType element);

// ---- Constructors: no array operands; the result's type says everything else ----

struct Constant {  // the tile of a literal of the program's side table (same element type and shape)
  LiteralId literal;
};
struct Fill {};  // operand: a replicated scalar; every element is its value
struct Iota {};  // the element's row-major number in the whole array, in the result's element type
struct Random {  // operand: an i64 scalar, the seed. Philox4x32-10, key = seed, counter = element number, uniform in
                 // [0, 1)
};
struct Normal {  // operand: an i64 scalar, the seed; the same generator, Box-Muller
};
struct Load {  // the tile of a .npy file; operands: the numbers of its path, as those behind a Save's array
  StringId path;
};

// ---- Local operations ----

// Elementwise with NumPy's broadcasting: shapes are aligned at their last dimension, an operand's missing dimension or
// one of extent 1 where the result's is larger repeats. An operand's other dimensions are cut exactly as the result's.
struct Map {
  MapOp op = MapOp::copy;
};

// FOREACH(identifier, "name")
#define TESSERA_REDUCE_KINDS(FOREACH) \
  FOREACH(sum, "sum") FOREACH(product, "product") FOREACH(max, "max") FOREACH(min, "min")
enum class ReduceKind : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_REDUCE_KINDS(MEMBER)
#undef MEMBER
};

std::string_view name(ReduceKind kind);

// Reduces `dimensions` (ascending), which disappear, of the tile, in row-major order. Where they are split the result
// is pending over those axes. A device whose part is empty gives the identity.
struct Reduce {
  ReduceKind kind = ReduceKind::sum;
  std::vector<std::uint8_t> dimensions;
};

// i64 position of the greatest (least) element along `dimensions` (ascending, none of them split; several count
// row-major), which disappear; the first wins ties; NaN wins.
struct ArgReduce {
  bool max = true;
  std::vector<std::uint8_t> dimensions;
};

// Operands: an array and its greatest (least) elements along `dimensions` (ascending), in the array's layout without
// them. The i64 row-major position, in the whole array, of the first element of the tile that equals its line's (NaN
// equals NaN); the greatest i64 where the tile has none. Where the dimensions are split, the result is pending (min)
// over those axes: the first of all tiles' positions.
struct Find {
  bool max = true;
  std::vector<std::uint8_t> dimensions;
};

// Einstein sum of one or more operands: operand k's dimension d carries index operand_indices[k][d]; the result's
// dimension d carries result_indices[d] (each index at most once there); indices the result lacks are summed, in
// ascending order of index number, the last fastest. A summed index that is split (alike in all that carry it) leaves
// the result pending over those axes; so does an operand that is a pending sum, over axes that nothing else uses. An
// index may repeat in one operand (a diagonal): its first dimension is split as the index is, the axes of the others
// are left pending, and a device adds up the terms all of whose elements are in its tiles. A device without any gives
// the identity.
struct Contract {
  std::vector<std::vector<std::uint8_t>> operand_indices;
  std::vector<std::uint8_t> result_indices;
};

// The running sum, product, maximum or minimum along a dimension, over its tiles by carries (carries.hpp); reversed,
// from the last element.
struct Scan {
  std::uint8_t dimension = 0;
  bool reverse = false;
  ReduceOp op = ReduceOp::sum;
};
// operands: a and b, repeated as those of a Map. y[i] = a[i]*y[i-1] + b[i] along a dimension of the result, each
// product rounded, and y[0] = b[0]; reversed, from the last element. Over tiles by carries.
struct Recur {
  std::uint8_t dimension = 0;
  bool reverse = false;
};
struct Sort {  // along the last dimension, ascending, over its tiles by cuts: the elements, or in i64 where they were
  bool positions = false;
};
// The `count` greatest along the last dimension, which is not split and becomes that long, descending: the elements, or
// in i64 where they were, of equal ones the first first. NaN is greater than all numbers. A second operand, i64 of the
// same shape, says for each place which position it stands for.
struct Greatest {
  std::int64_t count = 0;
  bool positions = false;
};
// The same of each tile, where the last dimension is split into tiles of at least `count`: the result has `count`
// elements for each of them, and is split alike. Positions are those in the whole array. As tiles follow each other and
// of equal elements the first is the first, the greatest of all candidates are the greatest of all elements.
struct Candidates {
  std::int64_t count = 0;
  bool positions = false;
};
struct Transpose {  // result dimension d is operand dimension permutation[d], with its split
  std::vector<std::uint8_t> permutation;
};
struct Reshape {
};  // the tile's elements in row-major order under another shape; the checker has seen to it that this is right

// FOREACH(identifier, "name", operand count)
// Functions of matrices of floats, which are the last two dimensions of the operands. Those before them count matrices;
// they are alike in all operands and in the result, and may be split; those of matrices are whole, but for the columns
// of a right side. Every matrix is taken by itself, and every column of a right side, so that neither the number of
// devices nor that of columns changes a bit.
// - `cholesky` of a symmetric [n, n], of which the lower triangle is read: the lower triangular l with l l' = a, zeros
//   above; a pivot that is not positive is a run-time error (NaN is none).
// - `solve`: the x [n, m] with a x = b, by elimination with the largest pivot of a column; `solve_lower` and
//   `solve_upper` the same of a triangle, whose other elements are not read. A pivot of 0 is a run-time error.
// - `determinant`: of [n, n] a scalar; of n = 0 it is 1.
// - `factor_qr` of [m, n], with k the lesser of both: q [m, k], then r transposed [n, k], as one [m + n, k].
// - `eigen` of a symmetric [n, n], of which the lower triangle is read: the values, ascending, then the vectors as
//   columns, as one [1 + n, n]. With elements that are not finite all are NaN.
// - `singular` of [m, n]: u [m, k], the values, descending, then v [n, k], as one [m + 1 + n, k]; NaN as `eigen`.
#define TESSERA_MATRIX_OPS(FOREACH)      \
  FOREACH(cholesky, "cholesky", 1)       \
  FOREACH(solve, "solve", 2)             \
  FOREACH(solve_lower, "solve_lower", 2) \
  FOREACH(solve_upper, "solve_upper", 2) \
  FOREACH(determinant, "determinant", 1) \
  FOREACH(factor_qr, "factor_qr", 1)     \
  FOREACH(eigen, "eigen", 1)             \
  FOREACH(singular, "singular", 1)
enum class MatrixOp : std::uint8_t {
#define MEMBER(identifier, text, arity) identifier,
  TESSERA_MATRIX_OPS(MEMBER)
#undef MEMBER
};
std::string_view name(MatrixOp op);
std::size_t arity(MatrixOp op);
struct MatrixFunction {
  MatrixOp op = MatrixOp::cholesky;
};

// The discrete Fourier transform along a dimension, which is not split: X[k] = sum over j of x[j] e^(-2 pi i jk/n).
// FOREACH(identifier, "name")
// - `forward` of n complex numbers gives n.
// - `inverse` has the other sign in the exponent, and divides by n.
// - `forward_real` of n real numbers gives the first n/2 + 1, rounded down, which determine all.
// - `inverse_real` of n/2 + 1 complex numbers gives the n real ones that the result's type says: the imaginary parts of
//   the first and, if n is even, of the last are not read.
// Every line is transformed by itself, in an order that n fixes (kernels/fourier.hpp).
#define TESSERA_FOURIER_KINDS(FOREACH) \
  FOREACH(forward, "forward")          \
  FOREACH(inverse, "inverse")          \
  FOREACH(forward_real, "forward_real") FOREACH(inverse_real, "inverse_real")
enum class FourierKind : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_FOURIER_KINDS(MEMBER)
#undef MEMBER
};
std::string_view name(FourierKind kind);
struct Fourier {
  FourierKind kind = FourierKind::forward;
  std::uint8_t dimension = 0;
};

// operands: table, ids (i64 or i32). result[i.., t..] = table[ids[i..], t..]; along lines, if all three have one rank,
// above 1, result[l.., i] = table[l.., ids[l.., i]]. Where ids number a split dimension, the result is pending (sum)
// over its axes, and a device without the row gives the identity; or, not along lines, devices ask each other for rows
// (synth/moves/collective/requests.hpp). Negative ids count from the end; outside [-n, n) is a run-time error.
struct Take {};
// operands: rows, ids (i64 or i32). The transpose of take: result[n, t..] is the sum of rows[i.., t..] over all i with
// ids[i..] = n, added in row-major order of the ids; rows that no id names are 0. Where ids are split, the result is
// pending (sum) over those axes and may be split over any others; or, not along lines and if only their first
// dimension is split, devices get what is added to their rows (synth/moves/collective/deliveries.hpp). Negative ids
// count from the end; outside [-n, n) is a run-time error.
struct ScatterAdd {};
// operands: edges, a vector that ascends, NaN last, and values of their element type. Of each value the i64 number of
// edges that are less than it; with `right`, of those that are not greater. NaN is greater than all numbers. Where
// edges are split, each tile of them ascends too: the result is pending (sum) over those axes.
struct Search {
  bool right = false;
};
// One dimension of a box: `length` positions from `start` on, of which every step-th counts. With a scalar operand the
// box begins there instead; with `wraps`, a negative one counts from the end. At run time it must lie inside of the
// result, else index out of range.
struct LaidRange {
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::int64_t step = 1;
  std::int32_t scalar = -1;  // operand number of an i64 scalar, or -1
  bool wraps = false;
  friend bool operator==(const LaidRange&, const LaidRange&) = default;
};
// operands: a base of the result's type, a part, and the scalars of the ranges. result[i..] is the part's element
// where i.. is in the box, and the base's elsewhere. The part is aligned with the result as an operand of Map is: it
// has each dimension as the result has it, or with extent 1, which repeats. So nothing moves.
struct Lay {
  std::vector<LaidRange> ranges;  // one for each dimension
};
struct OneHot {
};  // operand: ids; result has one more, last, dimension, not split; an id outside [0, n) is a run-time error

// ---- Steps that move boxes ----

// One dimension's placement of a part in the result: for every number k, part element first + step*k lies at result
// position add + spread*k (+ or - an i64 scalar operand; then first, step and spread are 0, 1 and 1), as far as there
// are both. A step may be below 0, a spread may not. At run time the part must lie inside the result along this
// dimension, or cover it, else index out of range; with `clips` it may lie anywhere. With `wraps`, a negative scalar
// first has `wrap_extent` added.
struct Placement {
  std::int64_t add = 0;
  std::int32_t scalar = -1;  // operand number of the scalar, or -1
  bool subtract = false;     // the scalar is subtracted
  bool wraps = false;
  std::int64_t wrap_extent = 0;
  bool clips = false;
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t spread = 1;
  friend bool operator==(const Placement&, const Placement&) = default;
};
// The same as a shift of copies, without the scalar.
Shift shift_of(const Placement& placement);
struct Part {
  std::uint32_t operand = 0;
  std::vector<Placement> placements;  // one per dimension of the result; the part has the same rank
};
// Slices, reversals, concatenations, paddings and updates: the result is the base (operand 0, of the result's type),
// with the parts laid over it in order, each clipped to the result. Without a base the parts cover the result. Parts
// may be laid out in any way: elements that a device lacks are copied from the device that `copies` (moves.hpp) names.
// Pending sets are all equal.
struct Assemble {
  bool has_base = false;
  std::vector<Part> parts;
};

struct Collect {  // one collective of the closed set: operand's type -> result's type. An exchange under `within` is
                  // cut into rounds
  Collective collective;
  std::uint32_t rounds = 1;
  // A relay that goes on at the same time as the one of the step before it, slot by slot: its operand was there before
  // the first of them began, and the results of all are there when the last has ended.
  bool joins = false;
};

// ---- Effects have no result. They run on rank 0 only, on replicated scalars or gathered elements ----

struct PrintText {
  StringId text;
};
struct PrintItem {
  StringId text;              // a string, or
  std::int32_t operand = -1;  // an operand's number
};
struct Print {  // items separated by blanks, then a newline (docs/language.md section 9)
  std::vector<PrintItem> items;
};
struct Show {  // who holds what, as text
  StringId label;
};
struct Save {  // the first operand to a file; the others are i64 scalars, each of which fills a `{}` of the path
  StringId path;
  bool shards = false;
};
struct Assert {  // a bool scalar, false being the error assertion-failed; behind it scalars that the error shows
  StringId message;
};

using Operation = std::variant<Constant, Fill, Iota, Random, Normal, Load, Map, Reduce, ArgReduce, Find, Contract, Scan,
                               Recur, Sort, Greatest, Candidates, Transpose, Reshape, Take, ScatterAdd, Search, OneHot,
                               Lay, MatrixFunction, Fourier, Assemble, Collect, PrintText, Print, Show, Save, Assert>;

// `map`, `reduce`, `collect`: the operation without its kind.
std::string_view name(const Operation& operation);
// `map add`, `reduce sum`, `collect all_gather`: for printing and traces.
std::string describe(const Operation& operation);

}  // namespace tessera::synth
