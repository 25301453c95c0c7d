#include "typeck/elaborate/table.hpp"

#include <algorithm>

#include "typeck/elaborate/complex_table.hpp"

namespace tessera::typeck {

namespace {

using K = ArgumentKind;

OperationInfo map_info(std::string_view name, synth::MapOp op, std::string_view does) {
  return {name, {{"a", K::array}}, run_map, op, does};
}

std::vector<OperationInfo> elementwise_operations() {
  return {
      map_info("exp", synth::MapOp::exp, "e to the power of each element"),
      map_info("exp2", synth::MapOp::exp2, "2 to the power of each element"),
      map_info("log", synth::MapOp::log, "natural logarithm"),
      map_info("log2", synth::MapOp::log2, "logarithm to base 2"),
      map_info("log10", synth::MapOp::log10, "logarithm to base 10"),
      map_info("log1p", synth::MapOp::log1p, "log(1 + a), also of a small a"),
      map_info("expm1", synth::MapOp::expm1, "exp(a) - 1, also of a small a"),
      map_info("sqrt", synth::MapOp::sqrt, "square root"),
      map_info("rsqrt", synth::MapOp::rsqrt, "1 / square root"),
      map_info("tanh", synth::MapOp::tanh, "hyperbolic tangent"),
      map_info("sigmoid", synth::MapOp::sigmoid, "1 / (1 + exp(-a))"),
      map_info("relu", synth::MapOp::relu, "a where positive, else 0"),
      map_info("gelu", synth::MapOp::gelu, "0.5 a (1 + erf(a / sqrt(2)))"),
      map_info("erf", synth::MapOp::erf, "error function"),
      map_info("abs", synth::MapOp::abs, "absolute value"),
      map_info("neg", synth::MapOp::negate, "-a"),
      map_info("sign", synth::MapOp::sign, "-1, 0 or 1"),
      map_info("floor", synth::MapOp::floor, "greatest integer not above"),
      map_info("sin", synth::MapOp::sin, "sine"),
      map_info("cos", synth::MapOp::cos, "cosine"),
      {"ceil", {{"a", K::array}}, run_rounding, Rounds::up, "least integer not below"},
      {"trunc", {{"a", K::array}}, run_rounding, Rounds::toward_zero, "the integer toward zero"},
      {"round", {{"a", K::array}}, run_rounding, Rounds::to_nearest, "the nearest integer, of two the even one"},
      {"isnan", {{"a", K::array}}, run_is_nan, {}, "is it no number?"},
      {"isfinite", {{"a", K::array}}, run_is_finite, {}, "is it neither infinite nor NaN?"},
      {"where", {{"c", K::array}, {"a", K::array}, {"b", K::array}}, run_where, {}, "a where c holds, else b"},
      {"clip",
       {{"a", K::array}, {"low", K::array}, {"high", K::array}},
       run_clip,
       {},
       "a, but at least low and at most high"},
  };
}

OperationInfo curve_info(std::string_view name, Curve curve, std::string_view does) {
  return {name, {{"a", K::array}}, run_curve, curve, does};
}

std::vector<OperationInfo> curve_operations() {
  return {
      curve_info("tan", Curve::tan, "tangent"),
      curve_info("arcsin", Curve::arcsin, "angle of that sine"),
      curve_info("arccos", Curve::arccos, "angle of that cosine"),
      map_info("arctan", synth::MapOp::arctan, "angle of that tangent"),
      {"arctan2",
       {{"y", K::array, true, false, "a"}, {"x", K::array, true, false, "b"}},
       run_arctan2,
       {},
       "angle of the point (x, y)"},
      {"hypot",
       {{"a", K::array}, {"b", K::array}},
       run_hypot,
       {},
       "sqrt(a * a + b * b), without an overflow on the way"},
      curve_info("sinh", Curve::sinh, "hyperbolic sine"),
      curve_info("cosh", Curve::cosh, "hyperbolic cosine"),
      curve_info("arcsinh", Curve::arcsinh, "number of that hyperbolic sine"),
      curve_info("arccosh", Curve::arccosh, "number of that hyperbolic cosine"),
      curve_info("arctanh", Curve::arctanh, "number of that hyperbolic tangent"),
  };
}

std::vector<OperationInfo> reduction_operations() {
  const ParameterInfo dims{"dim", K::dims, false, true};
  const ParameterInfo where{"where", K::array, false, true, "c"};
  const ParameterInfo keep{"keep", K::flag, false, true};
  return {
      {"min",
       {{"a", K::array}, {"b", K::array, false}, dims, where, keep},
       run_min_max,
       synth::ReduceKind::min,
       "least, of two arrays or over dimensions"},
      {"max",
       {{"a", K::array}, {"b", K::array, false}, dims, where, keep},
       run_min_max,
       synth::ReduceKind::max,
       "greatest, of two arrays or over dimensions"},
      {"all", {{"a", K::array}, dims, where, keep}, run_all_any, synth::ReduceKind::min, "is every element true?"},
      {"any", {{"a", K::array}, dims, where, keep}, run_all_any, synth::ReduceKind::max, "is an element true?"},
      {"sum",
       {{"a", K::array}, dims, where, keep},
       run_reduction,
       synth::ReduceKind::sum,
       "sum over dimensions, all if none is named"},
      {"prod",
       {{"a", K::array}, dims, where, keep},
       run_product,
       synth::ReduceKind::product,
       "product over dimensions"},
      {"mean", {{"a", K::array}, dims, where, keep}, run_mean, {}, "mean over dimensions"},
      {"argmax",
       {{"a", K::array}, dims, keep},
       run_arg_reduction,
       synth::ReduceKind::max,
       "position of the greatest; the first wins ties"},
      {"argmin",
       {{"a", K::array}, dims, keep},
       run_arg_reduction,
       synth::ReduceKind::min,
       "position of the least; the first wins ties"},
      {"softmax",
       {{"a", K::array}, {"dim", K::dim}},
       run_softmax,
       Shares::themselves,
       "exp(a - max) / sum of that, along a dimension"},
      {"log_softmax",
       {{"a", K::array}, {"dim", K::dim}},
       run_softmax,
       Shares::logarithms,
       "logarithm of `softmax`, never of a zero"},
      {"logsumexp", {{"a", K::array}, dims, keep}, run_logsumexp, {}, "logarithm of the sum of exponentials"},
  };
}

// What goes along the lines of a dimension, which stays.
std::vector<OperationInfo> line_operations() {
  return {
      {"cumsum", {{"a", K::array}, {"dim", K::dim}}, run_scan, synth::ReduceOp::sum, "running sum along a dimension"},
      {"cumprod",
       {{"a", K::array}, {"dim", K::dim}},
       run_scan,
       synth::ReduceOp::product,
       "running product along a dimension"},
      {"cummax",
       {{"a", K::array}, {"dim", K::dim}},
       run_scan,
       synth::ReduceOp::max,
       "the greatest so far along a dimension"},
      {"cummin",
       {{"a", K::array}, {"dim", K::dim}},
       run_scan,
       synth::ReduceOp::min,
       "the least so far along a dimension"},
      {"recur",
       {{"a", K::array}, {"b", K::array, true, false, "b"}, {"dim", K::dim}},
       run_recur,
       {},
       "y[i] = a[i]*y[i-1] + b[i] along a dimension, y[0] = b[0]"},
      {"sort", {{"a", K::array}, {"dim", K::dim}}, run_sort, Gives::elements, "ascending along a dimension"},
      {"argsort", {{"a", K::array}, {"dim", K::dim}}, run_sort, Gives::positions, "where each element of `sort` was"},
      {"topk",
       {{"a", K::array}, {"k", K::integer}, {"dim", K::dim}},
       run_topk,
       Gives::elements,
       "the k greatest along a dimension, descending"},
      {"argtopk",
       {{"a", K::array}, {"k", K::integer}, {"dim", K::dim}},
       run_topk,
       Gives::positions,
       "where each element of `topk` was"},
  };
}

std::vector<OperationInfo> spread_operations() {
  const ParameterInfo dims{"dim", K::dims, false, true};
  const ParameterInfo where{"where", K::array, false, true, "c"};
  const ParameterInfo keep{"keep", K::flag, false, true};
  return {
      {"var",
       {{"a", K::array}, dims, {"ddof", K::integer, false, true, "1"}, where, keep},
       run_variance,
       Spread::variance,
       "mean square of the distance from the mean; ddof is taken off the count"},
      {"std",
       {{"a", K::array}, dims, {"ddof", K::integer, false, true, "1"}, where, keep},
       run_variance,
       Spread::deviation,
       "square root of `var`"},
      {"norm", {{"a", K::array}, dims, keep}, run_norm, {}, "square root of the sum of squares"},
  };
}

std::vector<OperationInfo> shape_operations() {
  return {
      {"transpose",
       {{"a", K::array}, {"dims", K::integers, false, false, "[1, 0]"}},
       run_transpose,
       {},
       "dimensions in another order, reversed if none is given"},
      {"reshape",
       {{"a", K::array}, {"shape", K::integers}},
       run_reshape,
       {},
       "the same elements, row-major, in another shape"},
      {"broadcast", {{"a", K::array}, {"shape", K::integers}}, run_broadcast, {}, "repeated to a shape as NumPy does"},
      {"concat", {{"arrays", K::arrays}, {"dim", K::dim}}, run_concat, {}, "arrays joined along a dimension"},
      {"pad",
       {{"a", K::array}, {"widths", K::integers, true, false, "[[1, 1]]"}, {"value", K::array, false}},
       run_pad,
       {},
       "[[before, after], ...] elements more, of a value (0)"},
      {"update",
       {{"a", K::array}, {"i", K::array}, {"v", K::array}},
       run_update,
       {},
       "a copy of a with the rows from i replaced by v"},
      {"roll",
       {{"a", K::array}, {"s", K::array}, {"dim", K::dim}},
       run_roll,
       {},
       "s positions on along a dimension, from its end to its beginning"},
      {"reverse",
       {{"a", K::array}, {"dim", K::dim}},
       run_reverse,
       {},
       "the elements along a dimension from the last to the first"},
      {"tril",
       {{"a", K::array}, {"k", K::integer, false, false, "0"}},
       run_triangle,
       Triangle::lower,
       "zeros above the k-th diagonal"},
      {"triu",
       {{"a", K::array}, {"k", K::integer, false, false, "0"}},
       run_triangle,
       Triangle::upper,
       "zeros below the k-th diagonal"},
      {"diag", {{"a", K::array}}, run_diag, {}, "a matrix' diagonal; of a vector the matrix that has it there"},
      {"size", {{"a", K::array}, {"dim", K::dim}}, run_size, {}, "an extent, as a constant"},
  };
}

std::vector<OperationInfo> product_operations() {
  return {
      {"einsum",
       {{"indices", K::text, true, false, "\"ij,jk->ik\""}, {"operands", K::rest}},
       run_einsum,
       {},
       "Einstein sum, as in einsum(\"ij,jk->ik\", a, b)"},
      {"dot", {{"a", K::array}, {"b", K::array}}, run_vectors, Vectors::inner, "sum of the products of two vectors"},
      {"outer",
       {{"a", K::array}, {"b", K::array}},
       run_vectors,
       Vectors::outer,
       "each element of a vector times each of another"},
      {"cov", {{"a", K::array}}, run_covariance, {}, "covariances of the rows, over n - 1"},
      {"take", {{"table", K::array}, {"ids", K::array}}, run_take, {}, "the table's rows at ids"},
      {"one_hot", {{"ids", K::array}, {"n", K::integer}}, run_one_hot, {}, "f32 rows with a 1 at each id"},
      {"searchsorted",
       {{"edges", K::array, true, false, "[0.0, 1.0]"}, {"a", K::array}, {"right", K::flag, false, true}},
       run_searchsorted,
       {},
       "how many of the ascending edges are less than each element"},
      {"bincount",
       {{"ids", K::array}, {"n", K::integer}, {"weights", K::array, false, true, "w"}},
       run_bincount,
       {},
       "how often each of n ids stands there, or the sum of its weights"},
      {"histogram",
       {{"a", K::array}, {"edges", K::array, true, false, "[0.0, 0.5, 1.0]"}, {"weights", K::array, false, true, "w"}},
       run_histogram,
       {},
       "how many elements lie between edges that ascend, or the sum of their weights"},
      {"allclose",
       {{"a", K::array},
        {"b", K::array},
        {"rtol", K::array, false, true, "1e-5"},
        {"atol", K::array, false, true, "1e-8"}},
       run_allclose,
       {},
       "is abs(a - b) <= atol + rtol * abs(b) everywhere?"},
  };
}

std::vector<OperationInfo> matrix_operations() {
  const ParameterInfo a{"a", K::array};
  const ParameterInfo b{"b", K::array};
  return {
      {"solve", {a, b}, run_solve, {}, "the x with a @ x = b"},
      {"solve_triangular",
       {a, b, {"lower", K::flag, false, true}},
       run_solve,
       {},
       "the same of a triangle, the upper one if it is not said"},
      {"cholesky", {a}, run_cholesky, {}, "the lower triangle l with l @ transpose(l) = a"},
      {"inv", {a}, run_inverse, {}, "inverse of a matrix"},
      {"det", {a}, run_determinant, {}, "determinant of a matrix"},
      {"qr", {a}, run_qr, {}, "(q, r): columns at right angles, and the upper triangle r with q @ r = a"},
      {"eigh", {a}, run_eigen, {}, "(values, vectors) of a symmetric matrix, ascending; the vectors are columns"},
      {"svd", {a}, run_singular, {}, "(u, s, vt) with u @ diag(s) @ vt = a, s descending"},
      {"lstsq", {a, b}, run_least_squares, {}, "the x with a @ x next to b"},
  };
}

std::vector<OperationInfo> constructor_operations() {
  const ParameterInfo like{"like", K::array, false, true, "a"};
  return {
      {"iota",
       {{"T", K::type}, {"dim", K::dim, false, true}, like},
       run_iota,
       {},
       "0, 1, 2, ... in row-major order, or along a dimension"},
      {"eye",
       {{"T", K::type, true, false, "f32[4, 4]"}, {"k", K::integer, false, false, "0"}},
       run_eye,
       {},
       "1 on the k-th diagonal, 0 elsewhere"},
      {"linspace",
       {{"T", K::type, true, false, "f32[11]"},
        {"first", K::array, true, false, "0.0"},
        {"last", K::array, true, false, "1.0"}},
       run_linspace,
       {},
       "values with equal distances, both ends among them"},
      {"zeros", {{"T", K::type}, like}, run_zeros, {}, "all 0"},
      {"ones", {{"T", K::type}, like}, run_ones, {}, "all 1"},
      {"full", {{"T", K::type}, {"v", K::array}, like}, run_full, {}, "all v"},
      {"random",
       {{"T", K::type}, {"seed", K::array}, like},
       run_random,
       {},
       "uniform in [0, 1), the same whatever the layout"},
      {"normal",
       {{"T", K::type}, {"seed", K::array}, like},
       run_normal,
       {},
       "standard normal, the same whatever the layout"},
      {"load",
       {{"path", K::text, true, false, "\"a.npy\""}, {"T", K::type}, {"name", K::text, false, true, "\"w\""}},
       run_load,
       {},
       "a .npy file, or an array of a .safetensors file or .npz archive"},
  };
}

std::vector<OperationInfo> collective_operations() {
  using C = synth::CollectiveKind;
  const ParameterInfo a{"a", K::array};
  const ParameterInfo dim{"dim", K::dim};
  const ParameterInfo axes{"axes", K::axes};
  return {
      {"all_gather", {a, dim, axes}, run_collective, C::all_gather, "the minor-most axes of a dimension leave it"},
      {"slice", {a, dim, axes}, run_collective, C::slice, "unused axes become the minor-most of a dimension"},
      {"all_to_all",
       {a, axes, {"from_dim", K::dim}, {"to_dim", K::dim, true, false, "1"}},
       run_collective,
       C::all_to_all,
       "axes go from one dimension to another"},
      {"reduce_scatter",
       {a, dim, axes},
       run_collective,
       C::reduce_scatter,
       "pending axes are summed and split a dimension"},
      {"all_reduce", {a, axes}, run_collective, C::all_reduce, "pending axes are summed"},
      {"permute", {a, {"T", K::type}}, run_collective_to, C::permute, "another layout with the same shard counts"},
      {"exchange", {a, {"T", K::type}}, run_collective_to, C::exchange, "any other layout, in one step"},
  };
}

std::vector<OperationInfo> all_operations() {
  std::vector<OperationInfo> all;
  for (auto family : {elementwise_operations, complex_operations, curve_operations, reduction_operations,
                      line_operations, fourier_operations, spread_operations, shape_operations, product_operations,
                      matrix_operations, constructor_operations, collective_operations}) {
    const auto some = family();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const OperationInfo& operation : operations()) names.emplace_back(operation.name);
  return names;
}

const std::vector<OperationInfo>& operations() {
  static const std::vector<OperationInfo> all = all_operations();
  return all;
}

const OperationInfo* find_operation(std::string_view name) {
  const auto& all = operations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OperationInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tessera::typeck
