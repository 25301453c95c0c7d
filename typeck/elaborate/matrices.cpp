// Systems of equations and factors of matrices, which are the last two dimensions of an array; those before them count
// matrices.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/derived.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

using synth::MatrixOp;

namespace {

enum class Sides : std::uint8_t { any, equal };

// Are these matrices of floats, square if they have to be? Reports if not.
bool are_matrices(OperationCall& call, const Checked& a, Sides sides) {
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(a);
  const bool is_float = synth::is_float(synth::computed_as(own.element()));
  if (!call.wants_element(a, is_float, "cast it first, as in f64(...)")) return false;
  const std::size_t rank = own.rank();
  if (rank < 2) {
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "a matrix, or an array of matrices",
                                 fmt::format("rank {}", rank))
                          .at(a.span, elaborator.text(a)));
    return false;
  }
  const std::int64_t rows = own.shape()[rank - 2];
  const std::int64_t columns = own.shape()[rank - 1];
  if (rows == columns || sides == Sides::any) return true;
  elaborator.report(base::make(Kind::shape_mismatch, call.quoted(), rows, columns)
                        .at(a.span, elaborator.text(a))
                        .suggest("its matrices are square: as many rows as columns"));
  return false;
}

// The matrices of an operation that takes one array.
MaybeValue matrices(OperationCall& call, Sides sides) {
  const bool is_literal = call.elaborator.is_literal(call.expr(0));
  const auto element = is_literal ? std::optional(call.want.element.value_or(ElementType::f32)) : std::nullopt;
  const MaybeValue a = call.array(0, element.has_value() ? std::optional(synth::computed_as(*element)) : std::nullopt);
  return a.has_value() && are_matrices(call, *a, sides) ? a : std::nullopt;
}

// The function, which gives matrices of these extents, or one number for each with none.
MaybeValue function_of(OperationCall& call, MatrixOp op, std::vector<Checked> operands, const Shape& last) {
  Elaborator& elaborator = call.elaborator;
  if (!elaborator.unify_meshes(operands, call.span)) return std::nullopt;
  const open::Type own = elaborator.type(operands[0]);
  Shape shape(own.shape().begin(), own.shape().end() - 2);
  for (const std::int64_t extent : last) shape.push_back(extent);
  const auto result = elaborator.made(call.span, synth::computed_as(own.element()), shape, own.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute_as_wished(call.span, *result, synth::Operation(synth::MatrixFunction{op}), operands,
                                      call.quoted());
}

std::int64_t rows_of(OperationCall& call, const Checked& a) {
  const Shape& shape = call.elaborator.type(a).shape();
  return shape[shape.size() - 2];
}
std::int64_t columns_of(OperationCall& call, const Checked& a) { return call.elaborator.type(a).shape().back(); }

Checked turned(OperationCall& call, const Checked& a) {
  const open::Type own = call.elaborator.type(a);
  std::vector<std::uint8_t> permutation;
  for (std::size_t d = 0; d < own.rank(); ++d) permutation.push_back(static_cast<std::uint8_t>(d));
  Shape shape = own.shape();
  std::swap(permutation[own.rank() - 2], permutation[own.rank() - 1]);
  std::swap(shape[own.rank() - 2], shape[own.rank() - 1]);
  return call.elaborator.compute(call.span, {own.element(), shape, own.mesh_ref()},
                                 synth::Operation(synth::Transpose{std::move(permutation)}), {a}, call.quoted());
}

// Repeated so that there are as many matrices as in `shape`.
Checked repeated(OperationCall& call, const Checked& a, const Shape& batch) {
  const open::Type own = call.elaborator.type(a);
  Shape shape = batch;
  for (const std::size_t back : {2U, 1U}) shape.push_back(own.shape()[own.rank() - back]);
  if (shape == own.shape()) return a;
  return call.elaborator.compute_as_wished(call.span, {own.element(), shape, own.mesh_ref()}, open::Broadcast{}, {a},
                                           call.quoted());
}

// The matrices and their right sides: as many of each, a vector as a matrix of one column.
struct System {
  Checked a;
  Checked b;
  bool is_vector = false;
};

bool report_clash(OperationCall& call, const System& system, std::int64_t a, std::int64_t b, const std::string& help) {
  Elaborator& elaborator = call.elaborator;
  elaborator.report(base::make(Kind::shape_mismatch, call.quoted(), a, b)
                        .at(call.span)
                        .also(system.a.span, elaborator.text(system.a))
                        .also(call.span_of(1), elaborator.text(system.b))
                        .suggest(help));
  return false;
}

// Repeats matrices and right sides as NumPy does, if their numbers go together.
bool repeat_both(OperationCall& call, System& system) {
  const auto batch_of = [&](const Checked& a) {
    const Shape& shape = call.elaborator.type(a).shape();
    return Shape(shape.begin(), shape.end() - 2);
  };
  const Shape a = batch_of(system.a);
  const Shape b = batch_of(system.b);
  Shape batch = a.size() > b.size() ? a : b;
  const Shape& shorter = a.size() > b.size() ? b : a;
  for (std::size_t d = 0; d < shorter.size(); ++d) {
    std::int64_t& extent = batch[batch.size() - shorter.size() + d];
    if (extent != shorter[d] && extent != 1 && shorter[d] != 1)
      return report_clash(call, system, extent, shorter[d],
                          "as many matrices as right sides, or one of either; extents must be equal or 1");
    if (extent == 1) extent = shorter[d];
  }
  system.a = repeated(call, system.a, batch);
  system.b = repeated(call, system.b, batch);
  return true;
}

std::optional<System> read_system(OperationCall& call, Sides sides) {
  const auto both = alike(call, {0, 1});
  if (!both.has_value() || !are_matrices(call, (*both)[0], sides)) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  System system{(*both)[0], (*both)[1], elaborator.type((*both)[1]).rank() == 1};
  const Shape& right = elaborator.type(system.b).shape();
  if (right.empty()) {
    elaborator.report(base::make(Kind::rank_mismatch, call.quoted(), "a vector or matrices on the right side", "rank 0")
                          .at(system.b.span, elaborator.text(system.b)));
    return std::nullopt;
  }
  const std::int64_t rows = rows_of(call, system.a);
  const std::int64_t own = system.is_vector ? right[0] : right[right.size() - 2];
  if (rows != own) {
    report_clash(call, system, rows, own, "a right side has as many rows as the matrix, one right side in each column");
    return std::nullopt;
  }
  if (system.is_vector) system.b = *Formula(call).with_dimension(system.b, 1);
  if (!repeat_both(call, system)) return std::nullopt;
  return system;
}

// The solution, a vector where the right side was one.
MaybeValue as_given(OperationCall& call, const System& system, const MaybeValue& x) {
  if (!x.has_value() || !system.is_vector) return x;
  const std::size_t last = call.elaborator.type(*x).rank() - 1;
  return call.elaborator.index_wise().drop_dimensions(*x, {last}, call.quoted(), call.span);
}

MaybeValue solved(OperationCall& call, MatrixOp op, const Checked& a, const Checked& b) {
  return function_of(call, op, {a, b}, {columns_of(call, a), columns_of(call, b)});
}

// Some rows of the matrices; or one row, without its dimension.
MaybeValue some_rows(OperationCall& call, const Checked& a, std::int64_t begin, std::int64_t count, bool single) {
  std::vector<Selection> taken;
  for (const std::int64_t extent : call.elaborator.type(a).shape()) taken.push_back(Selection{0, {}, extent, false});
  taken[taken.size() - 2] = Selection{begin, {}, count, single};
  return call.elaborator.take_part(call.span, a, taken);
}

MaybeValue tuple(OperationCall& call, const std::vector<MaybeValue>& values) {
  Checked all{{}, call.span, {}, {}, {}};
  for (const MaybeValue& value : values) {
    if (!value.has_value()) return std::nullopt;
    all.nodes.push_back(value->node());
  }
  return all;
}

// q, and r transposed.
struct Factors {
  MaybeValue q;
  MaybeValue turned_r;
};
std::optional<Factors> factors_of(OperationCall& call, const Checked& a) {
  const std::int64_t rows = rows_of(call, a);
  const std::int64_t columns = columns_of(call, a);
  const MaybeValue both = function_of(call, MatrixOp::factor_qr, {a}, {rows + columns, std::min(rows, columns)});
  if (!both.has_value()) return std::nullopt;
  return Factors{some_rows(call, *both, 0, rows, false), some_rows(call, *both, rows, columns, false)};
}

}  // namespace

// The parameters are a and b, of a triangle also which one.
MaybeValue run_solve(OperationCall& call) {
  const auto system = read_system(call, Sides::equal);
  if (!system.has_value()) return std::nullopt;
  MatrixOp op = MatrixOp::solve;
  if (call.info.parameters.size() > 2) {
    const auto lower = call.flag(2);
    if (!lower.has_value()) return std::nullopt;
    op = *lower ? MatrixOp::solve_lower : MatrixOp::solve_upper;
  }
  return as_given(call, *system, solved(call, op, system->a, system->b));
}

MaybeValue run_cholesky(OperationCall& call) {
  const MaybeValue a = matrices(call, Sides::equal);
  return a.has_value() ? function_of(call, MatrixOp::cholesky, {*a}, {rows_of(call, *a), rows_of(call, *a)})
                       : std::nullopt;
}

MaybeValue run_determinant(OperationCall& call) {
  const MaybeValue a = matrices(call, Sides::equal);
  return a.has_value() ? function_of(call, MatrixOp::determinant, {*a}, {}) : std::nullopt;
}

// The x with a x = 1.
MaybeValue run_inverse(OperationCall& call) {
  const MaybeValue a = matrices(call, Sides::equal);
  if (!a.has_value()) return std::nullopt;
  Elaborator& elaborator = call.elaborator;
  const open::Type own = elaborator.type(*a);
  const std::int64_t n = columns_of(call, *a);
  const open::WrittenLayout whole{{{}}, {}, synth::ReduceOp::sum};
  const MaybeValue columns = elaborator.compute(call.span, {ElementType::i64, Shape{n}, own.mesh_ref()},
                                                open::Make{synth::Iota{}, whole, call.span}, {}, call.quoted());
  const Formula f(call);
  const MaybeValue is_one = f.compare(synth::MapOp::equal, columns, f.with_dimension(columns, 1));
  if (!is_one.has_value()) return std::nullopt;
  const MaybeValue identity = elaborator.index_wise().cast_to(call.span, *is_one, synth::computed_as(own.element()));
  if (!identity.has_value()) return std::nullopt;
  const Shape batch(own.shape().begin(), own.shape().end() - 2);
  return solved(call, MatrixOp::solve, elaborator.index_wise().widened(*a), repeated(call, *identity, batch));
}

MaybeValue run_qr(OperationCall& call) {
  const MaybeValue a = matrices(call, Sides::any);
  const auto factors = a.has_value() ? factors_of(call, *a) : std::nullopt;
  if (!factors.has_value() || !factors->turned_r.has_value()) return std::nullopt;
  return tuple(call, {factors->q, turned(call, *factors->turned_r)});
}

MaybeValue run_eigen(OperationCall& call) {
  const MaybeValue a = matrices(call, Sides::equal);
  if (!a.has_value()) return std::nullopt;
  const std::int64_t n = rows_of(call, *a);
  const MaybeValue both = function_of(call, MatrixOp::eigen, {*a}, {n + 1, n});
  if (!both.has_value()) return std::nullopt;
  return tuple(call, {some_rows(call, *both, 0, 1, true), some_rows(call, *both, 1, n, false)});
}

MaybeValue run_singular(OperationCall& call) {
  const MaybeValue a = matrices(call, Sides::any);
  if (!a.has_value()) return std::nullopt;
  const std::int64_t rows = rows_of(call, *a);
  const std::int64_t columns = columns_of(call, *a);
  const MaybeValue all = function_of(call, MatrixOp::singular, {*a}, {rows + 1 + columns, std::min(rows, columns)});
  if (!all.has_value()) return std::nullopt;
  const MaybeValue v = some_rows(call, *all, rows + 1, columns, false);
  if (!v.has_value()) return std::nullopt;
  return tuple(call, {some_rows(call, *all, 0, rows, false), some_rows(call, *all, rows, 1, true), turned(call, *v)});
}

// Of more rows than columns r x = q' b; of fewer, a' = q r, and x = q r'^-1 b is the shortest of all solutions.
MaybeValue run_least_squares(OperationCall& call) {
  const auto system = read_system(call, Sides::any);
  if (!system.has_value()) return std::nullopt;
  const bool is_wide = rows_of(call, system->a) < columns_of(call, system->a);
  const auto factors = factors_of(call, is_wide ? turned(call, system->a) : system->a);
  if (!factors.has_value() || !factors->q.has_value() || !factors->turned_r.has_value()) return std::nullopt;
  IndexWise& index_wise = call.elaborator.index_wise();
  const Checked b = index_wise.widened(system->b);
  if (is_wide) {
    const MaybeValue y = solved(call, MatrixOp::solve_lower, *factors->turned_r, b);
    return y.has_value() ? as_given(call, *system, index_wise.matmul(call.span, *factors->q, *y)) : std::nullopt;
  }
  const MaybeValue y = index_wise.matmul(call.span, turned(call, *factors->q), b);
  if (!y.has_value()) return std::nullopt;
  return as_given(call, *system, solved(call, MatrixOp::solve_upper, turned(call, *factors->turned_r), *y));
}

}  // namespace tessera::typeck
