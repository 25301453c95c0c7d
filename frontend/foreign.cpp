#include "frontend/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "frontend/ast.hpp"
#include "frontend/foreign_layouts.hpp"
#include "frontend/text.hpp"

namespace tessera::frontend {

namespace {

constexpr std::string_view kLoop = "a loop carries a value: `loop w = w0 for i < n { ... }`";
constexpr std::string_view kEnd = "a loop ends by its condition: `loop w = w0 for i < n while c { ... }`";
constexpr std::string_view kLet = "a value is named with `let a = ...`";
constexpr std::string_view kFn = "a function is written `fn f(a: f32[8]) = ...`";

constexpr std::array<ForeignWord, 21> kForeign = {
    {{"elif", "write `else if`"},
     {"elseif", "write `else if`"},
     {"then", "write `if c { a } else { b }`"},
     {"break", kEnd},
     {"continue", "write `if c { w } else { ... }` in the body of the loop"},
     {"return", "a block is worth its last expression"},
     {"def", kFn},
     {"func", kFn},
     {"function", kFn},
     {"lambda", kFn},
     {"var", kLet},
     {"const", kLet},
     {"mut", "values do not change; a name may be bound again with `let`"},
     {"import",
      "write `use \"layers.tess\"` for what another file declares; the functions of the language are at hand"},
     {"and", "write `&&`"},
     {"or", "write `||`"},
     {"not", "write `!`"},
     {"in", "a loop counts: `for i < n`"},
     {"is", "write `==`"},
     {"True", "write `true`"},
     {"False", "write `false`"}}};

constexpr std::array<ForeignWord, 22> kCharacters = {
    {{"&", "of bool write `&&`; the last k bits of an integer are `a % 2 ** k`"},
     {"|", "of bool write `||`; integers have no operations on their bits"},
     {"^", "a power is written `a ** b`, and of bool an exclusive or `a != b`"},
     {"~", "of bool write `!a`, of an integer `-a - 1`"},
     {"'", "strings stand between double quotes"},
     {"`", "strings stand between double quotes"},
     {"\xE2\x80\x9C", "strings stand between straight double quotes"},
     {"\xE2\x80\x9D", "strings stand between straight double quotes"},
     {"\\", "a line goes on by itself after an operator and inside ( ) and [ ]"},
     {".", "a number has a digit beside its point"},
     {"\u2018", "strings stand between straight double quotes"},
     {"\u2019", "strings stand between straight double quotes"},
     {"\u00D7", "write `a * b`"},
     {"\u00B7", "write `a * b`, or `a @ b` for a product of matrices"},
     {"\u00F7", "write `a / b`"},
     {"\u2212", "write `-`, the minus of the keyboard"},
     {"\u2013", "write `-`, the minus of the keyboard"},
     {"\u2264", "write `a <= b`"},
     {"\u2265", "write `a >= b`"},
     {"\u2260", "write `a != b`"},
     {"\u2192", "write `->`"},
     {"\xC2\xA0", "this is a no-break space; type a blank"}}};

constexpr std::array<ForeignWord, 23> kElementWords = {
    {{"float32", "f32"},     {"float64", "f64"},   {"float", "f32"},    {"double", "f64"}, {"int", "i64"},
     {"int32", "i32"},       {"int64", "i64"},     {"int8", "i8"},      {"uint8", "u8"},   {"byte", "u8"},
     {"int16", "i16"},       {"uint16", "u16"},    {"uint32", "u32"},   {"uint64", "i64"}, {"half", "f16"},
     {"float16", "f16"},     {"bfloat16", "bf16"}, {"boolean", "bool"}, {"i1", "bool"},    {"complex64", "c64"},
     {"complex128", "c128"}, {"cfloat", "c64"},    {"cdouble", "c128"}}};

const ForeignWord* find(std::span<const ForeignWord> words, std::string_view word) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const ForeignWord& w) { return w.word == word; });
  return found == words.end() ? nullptr : &*found;
}

bool is_combining_mark(std::uint32_t code_point) { return code_point >= 0x300U && code_point <= 0x36FU; }

constexpr ForeignWord kMakers[] = {{"arange", "write `iota(i64[n])`: 0, 1, ..., n - 1"},
                                   {"range", "write `iota(i64[n])`: 0, 1, ..., n - 1"},
                                   {"array", "write the elements: `[[1, 2], [3, 4]]`"},
                                   {"asarray", "write the elements: `[[1, 2], [3, 4]]`"},
                                   {"empty", "write `zeros(f32[n])`"},
                                   {"zeros_like", "write `zeros(like=a)`: of a's type, and lying as a does"},
                                   {"ones_like", "write `ones(like=a)`: of a's type, and lying as a does"},
                                   {"full_like", "write `full(1.0, like=a)`: of a's type, and lying as a does"},
                                   {"identity", "write `eye(f32[n, n])`"},
                                   {"tri", "write `tril(ones(f32[n, n]))`"},
                                   {"indices", "write `iota(i64[n, m], dim=0)`, and so for dimension 1"},
                                   {"rand", "write `random(f32[n], seed)`"},
                                   {"randn", "write `normal(f32[n], seed)`"}};

constexpr std::string_view kPercentile = "write `sort(a, 0)[9 * n / 10]` for nine tenths of n elements";
constexpr ForeignWord kArithmetic[] = {
    {"matmul", "write `a @ b`"},
    {"add", "write `a + b`"},
    {"subtract", "write `a - b`"},
    {"multiply", "write `a * b`"},
    {"divide", "write `a / b`"},
    {"maximum", "write `max(a, b)`"},
    {"minimum", "write `min(a, b)`"},
    {"amax", "write `max(a)`, or `max(a, dim=0)`"},
    {"amin", "write `min(a)`, or `min(a, dim=0)`"},
    {"power", "write `a ** b`"},
    {"pow", "write `a ** b`"},
    {"square", "write `a * a`"},
    {"absolute", "write `abs(a)`"},
    {"negative", "write `-a`"},
    {"floor_divide", "write `floor(a / b)`, of integers `a / b`"},
    {"count_nonzero", "write `sum(i64(a != 0.0))`"},
    {"median", "write `sort(a, 0)[n / 2]` for n elements"},
    {"isinf", "write `abs(a) == 1.0 / 0.0`"},
    {"rint", "write `round(a)`"},
    {"fix", "write `trunc(a)`"},
    {"logaddexp", "write `max(a, b) + log1p(exp(-abs(a - b)))`"},
    {"interp", "between the points of a grid it is `y[i] + (x - i) * (y[i + 1] - y[i])`"},
    {"percentile", kPercentile},
    {"quantile", kPercentile},
    {"cross", "of a and b, [n, 3], by columns: `a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]`, and so on"},
    {"corrcoef", "write `cov(a / std(a, dim=1, keep=true, ddof=1))`"},
    {"dropout", "write `where(random(f32[n, m], seed) < rate, 0.0, a / (1.0 - rate))`"},
    {"batch_norm", "write `(a - mean(a, dim=0, keep=true)) / std(a, dim=0, keep=true)`"},
    {"embedding", "write `take(table, ids)`: rows of a table"},
    {"ptp", "write `max(a) - min(a)`"},
    {"average", "write `sum(a * w) / sum(w)`"},
    {"nanmean", "write `mean(a, where=!isnan(a))`"},
    {"mod", "write `a % b`"},
    {"remainder", "write `a % b`"},
    {"logical_and", "write `a && b`"},
    {"logical_or", "write `a || b`"},
    {"logical_not", "write `!a`"},
    {"isclose", "write `allclose(a, b)`, one bool for all elements"},
    {"erfc", "write `1.0 - erf(a)`"},
    {"cbrt", "write `a ** (1.0 / 3.0)`, of numbers above 0"},
    {"sqr", "write `a * a`"},
    {"reciprocal", "write `1.0 / a`"},
    {"exp10", "write `10.0 ** a`"},
    {"clamp", "write `clip(a, 0.0, 1.0)`"},
    {"fmax", "write `max(a, b)`"},
    {"fmin", "write `min(a, b)`"},
    {"nansum", "write `sum(a, where=!isnan(a))`"},
    {"softplus", "write `log1p(exp(a))`"},
    {"softmin", "write `softmax(-a, dim=0)`"},
    {"silu", "write `a * sigmoid(a)`"},
    {"elu", "write `where(a > 0.0, a, expm1(a))`"},
    {"selu", "write `1.0507 * where(a > 0.0, a, 1.6733 * (exp(a) - 1.0))`"},
    {"relu6", "write `clip(a, 0.0, 6.0)`"},
    {"leaky_relu", "write `where(a > 0.0, a, 0.01 * a)`"},
    {"sinc", "write `sin(b) / b`, with `let b = 3.141592653589793 * a`"},
    {"cot", "write `cos(a) / sin(a)`"},
    {"map",
     "operations are element by element: call them of the array itself; `each(f, p)` calls f of a record's fields"},
    {"dict", "a record holds several arrays by name: `{w: a, b: c}`"},
    {"tree_map", "write `each(f, p)`: f of the fields of a record in turn"},
    {"format", "`print \"x is\", x` puts values between texts"},
    {"asin", "write `arcsin(a)`"},
    {"acos", "write `arccos(a)`"},
    {"atan", "write `arctan(a)`"},
    {"atan2", "write `arctan2(a, b)`"},
    {"asinh", "write `arcsinh(a)`"},
    {"acosh", "write `arccosh(a)`"},
    {"atanh", "write `arctanh(a)`"}};

constexpr std::string_view kSlidingSum =
    "write a sum of parts: `w[0] * a[:-2] + w[1] * a[1:-1] + w[2] * a[2:]`, after `pad` where ends count";
constexpr std::string_view kRowsAdded = "write `transpose(one_hot(ids, n)) @ v`: the rows of v, added up by their ids";

constexpr ForeignWord kAlgebra[] = {
    {"pinv", "write `lstsq(a, b)`, which solves by it"},
    {"lu", "`solve(a, b)` eliminates; `cholesky(a)`, `qr(a)` give factors"},
    {"eig", "write `eigh(a)`, of a symmetric matrix"},
    {"eigvals", "write `let (values, vectors) = eigh(a)`, of a symmetric matrix"},
    {"eigvalsh", "write `let (values, vectors) = eigh(a)`"},
    {"svdvals", "write `let (u, s, vt) = svd(a)`"},
    {"slogdet", "write `2.0 * sum(log(diag(cholesky(a))))`, of a positive definite a"},
    {"matrix_rank", "write `sum(i64(s > tiny))`, with `let (u, s, vt) = svd(a)`"},
    {"cond", "write `s[0] / s[-1]`, with `let (u, s, vt) = svd(a)`"},
    {"cho_solve", "write `solve(a, b)`, or `solve_triangular` twice"},
    {"fft2", "write `fft(a, dims=[0, 1])`"},
    {"ifft2", "write `ifft(a, dims=[0, 1])`"},
    {"fftn", "write `fft(a, dims=[0, 1, 2])`"},
    {"ifftn", "write `ifft(a, dims=[0, 1, 2])`"},
    {"rfft2", "write `rfft(a, dims=[0, 1])`"},
    {"irfft2", "write `irfft(a, dims=[0, 1])`"},
    {"rfftn", "write `rfft(a, dims=[0, 1, 2])`"},
    {"irfftn", "write `irfft(a, dims=[0, 1, 2])`"},
    {"fftfreq", "of n points it is `(iota(f64[n]) + n / 2) % n - n / 2`, over n, of an even n"},
    {"rfftfreq", "of n points it is `iota(f64[n / 2 + 1])`, over n"},
    {"fftshift", "write `roll(a, n / 2, 0)`"},
    {"ifftshift", "write `roll(a, -(n / 2), 0)`"},
    {"real", "the real part is `re(a)`"},
    {"imag", "the imaginary part is `im(a)`"},
    {"conjugate", "write `conj(a)`"},
    {"conv", kSlidingSum},
    {"convolve", kSlidingSum},
    {"correlate", kSlidingSum},
    {"scatter", kRowsAdded},
    {"scatter_add", kRowsAdded},
    {"segment_sum", kRowsAdded},
    {"index_add", kRowsAdded},
    {"digitize", "write `searchsorted(edges, a, right=true)`"},
    {"diagonal", "write `diag(a)`"},
    {"trace", "write `sum(diag(a))`"},
    {"inner", "write `dot(a, b)`"},
    {"vdot", "write `dot(a, b)`"},
    {"tensordot", "write `einsum(\"ijk,jkl->il\", a, b)`, which names what is summed"},
    {"multi_dot", "write `a @ b @ c`, with brackets around what is cheapest first"},
    {"polyfit", "write `lstsq(x[:, new] ** iota(f64[n, 3], dim=1), y)`: a column for each power"},
    {"kron", "write `reshape(einsum(\"ij,kl->ikjl\", a, b), [n, m])`"},
    {"diff", "write `a[1:] - a[:-1]`"},
    {"gradient", "write `(a[2:] - a[:-2]) / (2.0 * h)` for the points inside"},
    {"trapz", "write `sum(a[1:] + a[:-1]) * h / 2.0`"},
    {"bitwise_and", "the last k bits of an integer are `a % 2 ** k`"},
    {"left_shift", "write `a * 2 ** k`"},
    {"right_shift", "write `a / 2 ** k`"}};

constexpr ForeignWord kIntegers[] = {{"complex64", "write `c64(a)`, or `complex(re, im)` of two parts"},
                                     {"complex128", "write `c128(a)`, or `complex(re, im)` of two parts"},
                                     {"int8", "write `i8(a)`"},
                                     {"uint8", "write `u8(a)`"},
                                     {"int16", "write `i16(a)`"},
                                     {"uint16", "write `u16(a)`"},
                                     {"uint32", "write `u32(a)`"},
                                     {"uint64", "write `i64(a)`, up to 9223372036854775807"},
                                     {"u64", "write `i64(a)`, up to 9223372036854775807"},
                                     {"uint", "write `u32(a)`, or `i64(a)`"}};

// Words of other sessions: names there, or functions.
constexpr ForeignWord kOfSessions[] = {{"quit", "`:quit` leaves a session"},
                                       {"exit", "`:quit` leaves a session"},
                                       {"help", "`:help` lists the commands of a session"},
                                       {"dir", "`:mem` lists the names of a session"},
                                       {"who", "`:mem` lists the names of a session"},
                                       {"whos", "`:mem` lists the names of a session"},
                                       {"globals", "`:mem` lists the names of a session"},
                                       {"locals", "`:mem` lists the names of a session"},
                                       {"history", "`:history` lists the inputs of a session"},
                                       {"reset", "`:reset` forgets the names of a session"},
                                       {"undo", "`:undo` takes the last input of a session back"},
                                       {"timeit", "`:time EXPRESSION` measures in a session"}};

constexpr std::string_view kNoShape = "shapes are known before a program runs: `where(c, a, b)` selects";

constexpr ForeignWord kShapes[] = {{"flip", "write `reverse(a, 0)`, or `a[::-1]`"},
                                   {"split", "write slices: `a[0:4]`, `a[4:8]`"},
                                   {"meshgrid", "write `iota(f32[n, m], dim=0)`, and so for dimension 1"},
                                   {"nonzero", kNoShape},
                                   {"argwhere", kNoShape},
                                   {"unique", kNoShape},
                                   {"copy", "values do not change: `let b = a` is enough"},
                                   {"concatenate", "write `concat([a, b], 0)`"},
                                   {"hstack", "write `concat([a, b], 1)`, of vectors `concat([a, b], 0)`"},
                                   {"vstack", "write `concat([a, b], 0)`, of vectors after `reshape(a, [1, n])`"},
                                   {"stack", "write `concat([reshape(a, [1, n]), reshape(b, [1, n])], 0)`"},
                                   {"tile", "write `concat([a, a], 0)`, or `broadcast(a, [n, m])` for a new dimension"},
                                   {"repeat", "write `broadcast(a, [n, m])` for a new dimension"},
                                   {"squeeze", "write `reshape(a, [n, m])` with the extents that are wanted"},
                                   {"expand_dims", "write `a[new]`, or `a[:, new]`"},
                                   {"gather", "write `take(a, indices)`"},
                                   {"rot90", "write `reverse(transpose(a), 0)`"},
                                   {"flatten", "write `reshape(a, -1)`"},
                                   {"ravel", "write `reshape(a, -1)`"},
                                   {"swapaxes", "write `transpose(a, dims=[1, 0])`"},
                                   {"moveaxis", "write `transpose(a, dims=[1, 0])`"}};

// Operations that take other arguments there than here.
constexpr ForeignWord kOtherArguments[] = {{"pad", "write `pad(a, [[1, 1], [0, 2]])`"},
                                           {"zeros", "write `zeros(f32[3, 4])`: the type says the shape"},
                                           {"ones", "write `ones(f32[3, 4])`: the type says the shape"},
                                           {"full", "write `full(f32[3, 4], 1.0)`: the type says the shape"},
                                           {"eye", "write `eye(f32[4, 4])`: the type says the shape"},
                                           {"linspace", "write `linspace(f32[11], 0.0, 1.0)`: the type says how many"},
                                           {"dot", "write `a @ b`"},
                                           {"normal", "write `normal(f32[3, 4], 0)`: of a type and a seed"},
                                           {"random", "write `random(f32[3, 4], 0)`: of a type and a seed"},
                                           {"reshape", "write `reshape(a, [3, 4])`"},
                                           {"transpose", "write `transpose(a)`, or `transpose(a, dims=[1, 0])`"},
                                           {"einsum", "write `einsum(\"ij->i\", a)`, between double quotes"},
                                           {"save", "write `save(a, \"a.npy\")`: the array comes first"},
                                           {"load", "write `load(\"a.npy\", f32[3, 4])`: a file and a type"},
                                           {"all_gather", "write `all_gather(a, 0, x)`: a dimension, a mesh axis"},
                                           {"max", "write `max(a)`, or `max(a, dim=0)`"},
                                           {"min", "write `min(a)`, or `min(a, dim=0)`"},
                                           {"sum", "write `sum(a)`, or `sum(a, dim=0)`"},
                                           {"mean", "write `mean(a)`, or `mean(a, dim=0)`"},
                                           {"var", "write `var(a)`, or `var(a, dim=0)`"},
                                           {"std", "write `std(a)`, or `std(a, dim=0)`"},
                                           {"norm", "write `norm(a)`, or `norm(a, dim=0)`"},
                                           {"prod", "write `prod(a)`, or `prod(a, dim=0)`"},
                                           {"all", "write `all(a)`, or `all(a, dim=0)`"},
                                           {"any", "write `any(a)`, or `any(a, dim=0)`"},
                                           {"argmax", "write `argmax(a, dim=0)`"},
                                           {"argmin", "write `argmin(a, dim=0)`"},
                                           {"softmax", "write `softmax(a, dim=0)`"},
                                           {"log_softmax", "write `log_softmax(a, dim=0)`"},
                                           {"logsumexp", "write `logsumexp(a)`, or `logsumexp(a, dim=0)`"},
                                           {"cumsum", "write `cumsum(a, dim=0)`"},
                                           {"cumprod", "write `cumprod(a, dim=0)`"},
                                           {"cummax", "write `cummax(a, dim=0)`"},
                                           {"cummin", "write `cummin(a, dim=0)`"},
                                           {"concat", "write `concat([a, b], 0)`"}};

constexpr ForeignWord kTypes[] = {
    {"astype", "write `f32(a)`: the element type is called as a function"},
    {"cast", "write `f32(a)`: the element type is called as a function"},
    {"float16", "write `f16(a)`"},
    {"bfloat16", "write `bf16(a)`"},
    {"float32", "write `f32(a)`"},
    {"float64", "write `f64(a)`"},
    {"float", "write `f32(a)`"},
    {"int", "write `i64(a)`"},
    {"int32", "write `i32(a)`"},
    {"int64", "write `i64(a)`"},
    {"dtype", "`:type a` in a session says the element type"},
    {"type", "`:type a` in a session says the type"},
    {"ndim", "`:type a` in a session says the type"},
    {"len", "write `size(a, 0)`"},
    {"shape", "write `size(a, dim)`, an extent at a time; `:type a` in a session says it all"}};

constexpr ForeignWord kOfJax[] = {
    {"seed", "a seed is an argument: `random(f32[8], 0)`, `normal(f32[8], 0)`"},
    {"psum", "write `all_reduce(a, x)`; `sum` along a split dimension leaves a sum that is pending over its axis"},
    {"pmean", "write `all_reduce(a, x)`, and divide by the size of x; `mean` along a split dimension does both"},
    {"ppermute", "write `permute(a, T)`: T says who holds which tile afterwards"},
    {"axis_index", "positions along x are `iota(i64[4@x])`, one on each of 4 devices"},
    {"Mesh", "write `mesh m = [x: 4]`"},
    {"make_mesh", "write `mesh m = [x: 4]`"},
    {"PRNGKey", "a seed is an integer: `random(f32[8], 0)`"},
    {"key", "a seed is an integer: `random(f32[8], 0)`"},
    {"uniform", "write `random(f32[8], seed)`"},
    {"scan",
     "a scan is a form: `let (last, all) = scan w = w0 for i < n { (w2, kept) }`; running sums are `cumsum(a)`"},
    {"fori_loop", "a loop carries values: `loop w = w0 for i < n { ... }`"},
    {"grad", "write `let (value, slope) = grad(f)(a)`: the function's value comes with its gradient"},
    {"value_and_grad", "write `let (value, slope) = grad(f)(a)`: the function's value comes with its gradient"},
    {"jit", "leave it out: a program is checked and planned as a whole before it runs"},
    {"pmap", "leave it out: the types say which device computes what"},
    {"shard_map", "leave it out: the types say which device computes what; `local` refuses to move anything"},
    {"vmap", "leave it out: operations are element by element, and `@` takes stacks of matrices"}};

constexpr std::array<std::string_view, 12> kLibraries = {"np", "jnp", "numpy", "jax",  "lax", "torch",
                                                         "nn", "tf",  "math",  "dist", "MPI", "comm"};

constexpr std::array<ForeignWord, 4> kAttributes = {
    {{"T", "write `transpose(a)`"},
     {"at", "write `a with [i] = v`: a copy in which that part is v"},
     {"size", "`size(a, 0)` is an extent; `:type a` in a session says them all"},
     {"shape", "`size(a, 0)` is an extent; `:type a` in a session says them all"}}};

constexpr std::array<ForeignWord, 6> kConstants = {
    {{"inf", "write `1.0 / 0.0`"},
     {"nan", "write `0.0 / 0.0`"},
     {"pi", "write `3.141592653589793`"},
     {"newaxis", "write `a[:, new]`"},
     {"None", "write `a[:, new]` for a new dimension"},
     {"new", "`new` adds a dimension where an array is read, as in `a[:, new]`"}}};

// The element type that `b.astype(...)` asks for, in whatever way another library writes it.
std::string_view element_asked_for(std::string_view argument) {
  if (argument.size() > 1 && argument.front() == '"') argument = argument.substr(1, argument.size() - 2);
  if (const auto* known = find(kElementWords, argument)) return known->help;
  return element_keyword(argument) ? argument : "f32";
}

}  // namespace

const ForeignWord* find_foreign(std::string_view word) { return find(kForeign, word); }

std::optional<std::string_view> help_for_character(std::string_view character) {
  if (const auto* known = find(kCharacters, character)) return known->help;
  if (base::valid_sequence_length(character) != character.size() || !is_combining_mark(decode(character))) {
    return std::nullopt;
  }
  return "this mark is a character of its own; type the letter and its mark as one";
}

std::optional<std::string_view> help_for_function(std::string_view name) {
  for (const std::span<const ForeignWord> words : {std::span<const ForeignWord>(kMakers),
                                                   {kArithmetic},
                                                   {kAlgebra},
                                                   {kIntegers},
                                                   {kShapes},
                                                   {kTypes},
                                                   {kOfJax},
                                                   {kForeign},
                                                   {kOfSessions}}) {
    if (const ForeignWord* known = find(words, name)) return known->help;
  }
  return help_for_layout_word(name);
}

std::optional<std::string_view> help_for_constant(std::string_view name) {
  const ForeignWord* known = find(kConstants, name);
  if (known == nullptr) known = find(kOfSessions, name);
  return known == nullptr ? std::nullopt : std::optional(known->help);
}

bool is_library(std::string_view name) {
  return std::find(kLibraries.begin(), kLibraries.end(), name) != kLibraries.end();
}

namespace {

// `np.exp`: the name alone; of a name that no operation has, the nearest.
std::string help_for_prefix(const Member& member, FunctionNames functions) {
  const std::vector<std::string> names = functions == nullptr ? std::vector<std::string>() : functions();
  const bool is_known = names.empty() || std::find(names.begin(), names.end(), member.name) != names.end();
  if (is_known) return fmt::format("leave out `{}.`: functions have no prefix", member.of);
  if (const auto near = base::nearest(member.name, names))
    return fmt::format("there is no operation `{}`; did you mean `{}`, without a prefix?", member.name, *near);
  return fmt::format("there is no operation `{}`, and functions have no prefix; docs/language.md lists the operations",
                     member.name);
}

// Help about `a`, with the name that was written in its place: `x @ b` for `a @ b`.
std::string about(std::string_view help, const std::string& name) {
  std::string text;
  bool in_code = false;
  for (std::size_t at = 0; at < help.size(); ++at) {
    if (help[at] == '`') in_code = !in_code;
    const bool is_word = help[at] == 'a' && (at == 0 || !base::is_in_word(help[at - 1])) &&
                         (at + 1 == help.size() || !base::is_in_word(help[at + 1]));
    if (in_code && is_word) {
      text += name;
    } else {
      text += help[at];
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> help_for_call(std::string_view name, std::string_view argument) {
  const auto help = help_for_function(name);
  if (!help) return std::nullopt;
  const bool is_other = help->find(fmt::format(" {}", argument)) != std::string_view::npos;  // `concat([a, b], 0)` of b
  return is_name(argument) && !is_other ? about(*help, std::string(argument)) : std::string(*help);
}

std::string help_for_member(const Member& member, FunctionNames functions) {
  const bool of_library = is_library(member.of.substr(0, member.of.find('.')));
  if (member.name == "astype" && !of_library) {
    return fmt::format("write `{}({})`: the element type is called as a function", element_asked_for(member.argument),
                       member.of);
  }
  if (const auto* known = find(kElementWords, member.name);
      known != nullptr && of_library && element_keyword(known->help))
    return "the element type is `" + std::string(known->help) + "`";
  if (const auto* known = find(kElementWords, member.name); known != nullptr && !of_library)
    return fmt::format("write `{}({})`: the element type is called as a function", known->help, member.of);
  const auto of_value = [&](std::string_view help) { return of_library ? std::string(help) : about(help, member.of); };
  if (member.name == "as" && !of_library) return about(kAs, member.of);
  if (member.name == "reshape" && !of_library && !member.arguments.empty())
    return fmt::format("write `reshape({}, [{}])`", member.of, member.arguments);
  if (const auto* known = of_library ? nullptr : find(kAttributes, member.name)) return of_value(known->help);
  if (const auto* known = of_library ? find(kConstants, member.name) : nullptr) return std::string(known->help);
  if (const auto help = help_for_function(member.name)) return of_value(*help);
  const bool is_written_alike = of_library && member.name == "einsum" && member.argument.starts_with('"');
  if (const auto* known = find(kOtherArguments, member.name); known != nullptr && !is_written_alike)
    return of_value(known->help);
  if (of_library) return help_for_prefix(member, functions);
  return fmt::format("arrays have no attributes or methods: a function is called as `{}({})`", member.name, member.of);
}

namespace {

std::string in_small_letters(std::string_view word) {
  std::string small;
  for (const char c : word) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace

std::optional<std::string_view> element_meant_by(std::string_view word) {
  if (const auto* known = find(kElementWords, word)) return known->help;
  if (const auto element = element_keyword(in_small_letters(word))) return spelling(*element);
  std::vector<std::string> candidates;
  // The others are too short to be near anything: f8 would be i8.
  for (const auto element : {ElementKeyword::bool_, ElementKeyword::i32, ElementKeyword::i64, ElementKeyword::f32,
                             ElementKeyword::f64, ElementKeyword::f16, ElementKeyword::bf16}) {
    candidates.emplace_back(spelling(element));
  }
  const auto near = base::nearest(word, candidates);
  const auto meant = near ? element_keyword(*near) : std::nullopt;
  if (!meant) return std::nullopt;
  return spelling(*meant);
}

}  // namespace tessera::frontend
