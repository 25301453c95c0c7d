// The table of operations: every name that can be called and is not a function of the program. Names, parameters, kinds
// of arguments and descriptions come from this table; section 11 of docs/language.md is tested against it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/operation_names.hpp"
#include "typeck/elaborate/ranges.hpp"

namespace tessera::typeck {

enum class ArgumentKind : std::uint8_t {
  array,     // a value
  arrays,    // a list of values: concat([a, b], 0)
  type,      // f32[8@x]
  dim,       // one dimension
  dims,      // one dimension or a list of them
  integers,  // a list of integers, or one
  integer,   // a constant integer
  axes,      // x or (x, y)
  text,      // a string
  flag,      // true or false
  rest,      // values to the end: einsum's operands
};

struct ParameterInfo {
  std::string_view name;
  ArgumentKind kind;
  bool required = true;
  bool named_only = false;
  std::string_view example = {};  // where its kind does not tell what it looks like
};

// The member of its family that a function of the table runs.
enum class Gives : std::uint8_t { elements, positions };
enum class Curve : std::uint8_t { tan, sinh, cosh, arcsin, arccos, arcsinh, arccosh, arctanh };
enum class Rounds : std::uint8_t { up, toward_zero, to_nearest };
enum class Spread : std::uint8_t { variance, deviation };
enum class Shares : std::uint8_t { themselves, logarithms };
enum class Vectors : std::uint8_t { inner, outer };
enum class Triangle : std::uint8_t { lower, upper };
enum class OfComplex : std::uint8_t { real, imaginary, conjugate, angle };
using Detail = std::variant<std::monostate, OfComplex, synth::FourierKind, Gives, Curve, Rounds, Spread, Shares,
                            Vectors, Triangle, synth::MapOp, synth::ReduceKind, synth::ReduceOp, synth::CollectiveKind>;

class OperationCall;
struct OperationInfo {
  std::string_view name;
  std::vector<ParameterInfo> parameters;
  MaybeValue (*run)(OperationCall& call);
  Detail detail = {};     // which of its family, as `run` reads it
  std::string_view does;  // for people: one line
};

const std::vector<OperationInfo>& operations();
const OperationInfo* find_operation(std::string_view name);
// `sum(a, dim=0)`: how a call may look, to show beside one that is wrong; with arguments that were given, by parameter.
std::string example_call(const OperationInfo& operation, const std::vector<std::optional<std::string>>& given = {});
MaybeValue call_operation(Elaborator& elaborator, const OperationInfo& operation, Span span, const frontend::Call& call,
                          const Preference& want);

// One call with its arguments in their places; the readers report what is wrong with an argument and give nothing.
class OperationCall {
 public:
  OperationCall(Elaborator& elaborator_in, const OperationInfo& info_in, Span span_in, const Preference& want_in)
      : elaborator(elaborator_in),
        info(info_in),
        span(span_in),
        want(want_in),
        bound_(info_in.parameters.size(), nullptr) {}
  bool bind(const frontend::Call& call);

  bool has(std::size_t parameter) const { return bound_[parameter] != nullptr; }
  Span span_of(std::size_t parameter) const { return bound_[parameter]->span; }
  MaybeValue array(std::size_t parameter, std::optional<ElementType> element = {});
  // The first operand, of which a range may be meant that only run time knows: along dimensions that are reduced.
  MaybeValue array_in_ranges();
  const std::optional<RangedPart>& ranges() const { return ranges_; }
  // Are only some elements meant, by `where=` or by ranges?
  bool is_masked() const { return ranges_.has_value() || given("where").has_value(); }
  bool reduces_ranges(const std::vector<std::size_t>& dimensions) {
    return !ranges_.has_value() || ranges_go_along(elaborator, *ranges_, dimensions);
  }
  // The operand of a collective that finishes a pending sum over the axes of another argument.
  MaybeValue pending_array(std::size_t parameter, std::size_t axes_parameter);
  std::optional<std::vector<Checked>> arrays(std::size_t parameter);
  std::optional<std::vector<RangedPart>> rest_in_ranges(std::size_t parameter);
  std::optional<TypeId> type(std::size_t parameter);
  std::optional<std::size_t> dim(std::size_t parameter, std::size_t rank);
  // Ascending; all dimensions where the argument is absent.
  std::optional<std::vector<std::size_t>> dims(std::size_t parameter, std::size_t rank);
  std::optional<std::vector<std::int64_t>> integers(std::size_t parameter);
  std::optional<std::int64_t> integer(std::size_t parameter);
  std::optional<AxisList> axes(std::size_t parameter, const synth::Mesh& mesh);
  std::optional<std::string> text(std::size_t parameter);
  // False where the argument is absent.
  std::optional<bool> flag(std::size_t parameter);
  // The number of the parameter of that name, if there is one and it is given.
  std::optional<std::size_t> given(std::string_view name) const;
  // The dimensions that `dims` read last.
  const std::vector<std::size_t>& dims_read() const { return dims_read_; }
  ExprId expr(std::size_t parameter) const;
  // Are the elements of a fit for this operation? Reports if not.
  bool wants_element(const Checked& a, bool fits, const std::string& help);
  // Are they real? Reports if not.
  bool wants_real(const Checked& a) {
    return wants_element(a, !synth::is_complex(elaborator.element(a)),
                         "complex numbers have no order: take `abs(a)`, `re(a)` or `im(a)`");
  }
  bool on_mesh(Checked& value, const MeshRef& mesh);
  std::string who() const { return std::string(info.name); }
  std::string quoted() const { return "`" + who() + "`"; }

  Elaborator& elaborator;
  const OperationInfo& info;
  Span span;
  const Preference& want;

 private:
  std::optional<std::vector<frontend::Name>> axis_names(std::size_t parameter) const;
  bool place(const frontend::Argument& argument, std::size_t& next, std::size_t given);
  bool wrong(Span at, const std::string& what);
  bool refuse_unnamed(const frontend::Argument& argument, std::size_t at);
  bool kinds_fit();

  std::vector<const frontend::Argument*> bound_;
  std::vector<const frontend::Argument*> rest_;
  std::vector<std::size_t> dims_read_;
  std::optional<RangedPart> ranges_;
  const frontend::Call* call_ = nullptr;   // as it was written
  std::optional<std::string> meant_type_;  // for the value that stands in a type's place, for help

  bool refuse_unknown(const frontend::Argument& argument);
  std::optional<std::string> as_written(const frontend::Argument& argument, std::optional<Span> at_fault) const;
  std::string own_example(std::optional<Span> at_fault) const;
  std::optional<std::string> type_meant() const;
  bool is_like() const;
  std::size_t most() const;
  bool refuse_array(std::size_t at);
  bool refuse_value_for_type(std::size_t at);
  std::optional<std::string> transposition_meant() const;
  std::optional<std::string> spacing_meant() const;
  bool begins_well() const;
};

// sum, product, max or min over dimensions.
MaybeValue reduce(OperationCall& call, const Checked& a, synth::ReduceKind kind,
                  const std::vector<std::size_t>& dimensions, bool takes_wish = true);
std::vector<std::size_t> all_dimensions(std::size_t rank);

// One function per family; the table names them.
MaybeValue run_map(OperationCall& call);  // exp, abs, ...
MaybeValue run_complex(OperationCall& call);
MaybeValue run_of_complex(OperationCall& call);  // re, im, conj, angle
MaybeValue run_fourier(OperationCall& call);     // fft, ifft, rfft, irfft
MaybeValue run_where(OperationCall& call);
MaybeValue run_clip(OperationCall& call);
MaybeValue run_min_max(OperationCall& call);    // elementwise or a reduction
MaybeValue run_reduction(OperationCall& call);  // sum
MaybeValue run_all_any(OperationCall& call);
MaybeValue run_sort(OperationCall& call);
MaybeValue run_topk(OperationCall& call);
MaybeValue run_product(OperationCall& call);
MaybeValue run_mean(OperationCall& call);
MaybeValue run_arg_reduction(OperationCall& call);  // argmax, argmin
MaybeValue run_softmax(OperationCall& call);        // softmax, log_softmax
MaybeValue run_scan(OperationCall& call);           // cumsum, cumprod, cummax, cummin
MaybeValue run_recur(OperationCall& call);
MaybeValue run_transpose(OperationCall& call);
MaybeValue run_reshape(OperationCall& call);
MaybeValue run_broadcast(OperationCall& call);
MaybeValue run_concat(OperationCall& call);
MaybeValue run_pad(OperationCall& call);
MaybeValue run_reverse(OperationCall& call);
MaybeValue run_roll(OperationCall& call);
MaybeValue run_update(OperationCall& call);
MaybeValue run_einsum(OperationCall& call);
MaybeValue run_take(OperationCall& call);
MaybeValue run_one_hot(OperationCall& call);
MaybeValue run_searchsorted(OperationCall& call);
MaybeValue run_bincount(OperationCall& call);
MaybeValue run_histogram(OperationCall& call);
MaybeValue run_size(OperationCall& call);
MaybeValue run_allclose(OperationCall& call);
MaybeValue run_iota(OperationCall& call);
MaybeValue run_zeros(OperationCall& call);
MaybeValue run_ones(OperationCall& call);
MaybeValue run_full(OperationCall& call);
MaybeValue run_random(OperationCall& call);
MaybeValue run_normal(OperationCall& call);
MaybeValue run_load(OperationCall& call);
MaybeValue run_rounding(OperationCall& call);  // ceil, trunc, round
MaybeValue run_is_nan(OperationCall& call);
MaybeValue run_is_finite(OperationCall& call);
MaybeValue run_curve(OperationCall& call);  // tan, sinh, arcsin, ...
MaybeValue run_arctan2(OperationCall& call);
MaybeValue run_hypot(OperationCall& call);
MaybeValue run_variance(OperationCall& call);  // var, std
MaybeValue run_covariance(OperationCall& call);
MaybeValue run_norm(OperationCall& call);
MaybeValue run_logsumexp(OperationCall& call);
MaybeValue run_vectors(OperationCall& call);   // dot, outer
MaybeValue run_triangle(OperationCall& call);  // tril, triu
MaybeValue run_eye(OperationCall& call);
MaybeValue run_diag(OperationCall& call);
MaybeValue run_linspace(OperationCall& call);
MaybeValue run_solve(OperationCall& call);  // solve, solve_triangular
MaybeValue run_cholesky(OperationCall& call);
MaybeValue run_inverse(OperationCall& call);
MaybeValue run_determinant(OperationCall& call);
MaybeValue run_qr(OperationCall& call);
MaybeValue run_eigen(OperationCall& call);
MaybeValue run_singular(OperationCall& call);
MaybeValue run_least_squares(OperationCall& call);
MaybeValue run_collective(OperationCall& call);     // by axes
MaybeValue run_collective_to(OperationCall& call);  // permute, exchange

}  // namespace tessera::typeck
