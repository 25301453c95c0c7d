// Types of operations that have an index signature: shapes that go together, element types, and layouts that the
// signature gives.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "synth/moves/collective/deliveries.hpp"
#include "synth/moves/collective/line_deliveries.hpp"
#include "synth/moves/collective/requests.hpp"
#include "synth/program/signature.hpp"
#include "synth/program/type_checks.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

using ShapedOperands = std::vector<Shaped>;

constexpr const char* kElements = "its element types do not fit";
constexpr const char* kShapes = "its shapes do not fit";

Error one_operand(const ShapedOperands& operands) {
  return operands.size() == 1 ? Error() : Error("it takes one operand");
}

Error elements_fit(bool fit) { return fit ? Error() : Error(kElements); }

bool ascending(const std::vector<std::uint8_t>& dimensions, std::size_t rank) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] >= rank || (i > 0 && dimensions[i] <= dimensions[i - 1])) return false;
  }
  return true;
}

Error reduced_dimensions(const ShapedOperands& operands, const std::vector<std::uint8_t>& dimensions) {
  if (auto error = one_operand(operands)) return error;
  if (ascending(dimensions, operands[0].rank())) return std::nullopt;
  return "its dimensions are not ascending dimensions of the operand";
}

Error last_dimension(const ShapedOperands& operands) {
  if (auto error = one_operand(operands)) return error;
  return operands[0].rank() > 0 ? Error() : Error(kShapes);
}

Error elements_or_positions(const Shaped& operand, bool positions, const Shaped& result) {
  return elements_fit(result.element() == (positions ? ElementType::i64 : operand.element()));
}

bool all_are(const ShapedOperands& operands, ElementType element) {
  return std::ranges::all_of(operands, [&](const Shaped& operand) { return operand.element() == element; });
}

bool converts(ElementType from, ElementType to) {
  if (is_complex(from) && !is_complex(to)) return false;
  return (!is_storage(from) || to == computed_as(from)) && (!is_storage(to) || from == computed_as(to));
}

bool map_elements_fit(MapOp op, const ShapedOperands& operands, const Shaped& result) {
  const ElementType own = operands.back().element();
  const ElementType to = result.element();
  switch (element_rule(op)) {
    case ElementRule::numbers:
    case ElementRule::field:
    case ElementRule::ordered:
    case ElementRule::any:
    case ElementRule::floats:
    case ElementRule::integers:
    case ElementRule::logic: return takes(element_rule(op), own) && own == to && all_are(operands, own);
    case ElementRule::compare:
    case ElementRule::equality:
      return takes(element_rule(op), own) && to == ElementType::boolean && all_are(operands, own);
    case ElementRule::join: return takes(ElementRule::join, own) && to == complex_of(own) && all_are(operands, own);
    case ElementRule::part: return takes(ElementRule::part, own) && to == part_of(own);
    case ElementRule::choose:
      return takes(ElementRule::choose, own) && operands[0].element() == ElementType::boolean &&
             operands[1].element() == to && own == to;
    case ElementRule::convert: return converts(own, to);
  }
  return false;
}

}  // namespace

Error signed_error(const Map& map, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != arity(map.op)) return "it has the wrong number of operands";
  for (const Shaped& operand : operands) {
    if (operand.rank() > result.rank()) return "an operand has more dimensions than the result";
  }
  return elements_fit(map_elements_fit(map.op, operands, result));
}

Error signed_error(const Reduce& reduce, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = reduced_dimensions(operands, reduce.dimensions)) return error;
  const bool adds = reduce.kind == ReduceKind::sum || reduce.kind == ReduceKind::product;
  if (is_complex(result.element()) && reduce.kind != ReduceKind::sum) return elements_fit(false);
  return elements_fit(all_are(operands, result.element()) && !(adds && result.element() == ElementType::boolean));
}

Error signed_error(const ArgReduce& reduce, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = reduced_dimensions(operands, reduce.dimensions)) return error;
  return elements_fit(result.element() == ElementType::i64 && !is_complex(operands[0].element()));
}

Error signed_error(const Find& find, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != 2) return "it takes two operands";
  if (auto error = reduced_dimensions({operands[0]}, find.dimensions)) return error;
  if (operands[1].shape() != result.shape()) return kShapes;
  return elements_fit(operands[0].element() == operands[1].element() && result.element() == ElementType::i64 &&
                      !is_complex(operands[0].element()));
}

Error signed_error(const Contract& contract, const ShapedOperands& operands, const Shaped& result) {
  if (operands.empty() || operands.size() != contract.operand_indices.size())
    return "it has the wrong number of operands";
  std::vector<int> seen(256, 0);
  std::vector<std::int64_t> extents(256, 0);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto& own = contract.operand_indices[k];
    if (own.size() != operands[k].rank()) return "an operand has not one index for each dimension";
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (seen[own[d]] != 0 && extents[own[d]] != operands[k].shape()[d]) return kShapes;
      seen[own[d]] = 1;
      extents[own[d]] = operands[k].shape()[d];
    }
  }
  for (const std::uint8_t index : contract.result_indices) {
    if (seen[index]-- != 1) return "an index of the result is in no operand, or twice in the result";
  }
  if (is_complex(result.element()) && operands.size() > 2) return elements_fit(false);
  return elements_fit(all_are(operands, result.element()) && result.element() != ElementType::boolean);
}

Error signed_error(const Scan& scan, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = one_operand(operands)) return error;
  if (scan.dimension >= operands[0].rank()) return kShapes;
  return elements_fit(all_are(operands, result.element()) && result.element() != ElementType::boolean &&
                      !is_complex(result.element()));
}

Error signed_error(const Recur& recur, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != 2) return "it takes two operands";
  const bool is_wider = operands[0].rank() > result.rank() || operands[1].rank() > result.rank();
  if (is_wider || recur.dimension >= result.rank()) return kShapes;
  return elements_fit(all_are(operands, result.element()) && takes(ElementRule::field, result.element()));
}

Error signed_error(const Sort& sort, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = last_dimension(operands)) return error;
  if (is_complex(operands[0].element())) return elements_fit(false);
  return elements_or_positions(operands[0], sort.positions, result);
}

Error signed_error(const Greatest& greatest, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() == 2) {
    const bool fits = greatest.positions && operands[1].element() == ElementType::i64;
    if (!fits || operands[0].shape() != operands[1].shape()) return kShapes;
  }
  if (auto error =
          last_dimension({operands.begin(), operands.begin() + std::min<std::ptrdiff_t>(1, std::ssize(operands))}))
    return error;
  if (operands.size() > 2) return "it has the wrong number of operands";
  if (greatest.count < 0 || greatest.count > operands[0].shape().back()) return "there are not so many elements";
  if (result.rank() == 0 || result.shape().back() != greatest.count) return kShapes;
  if (is_complex(operands[0].element())) return elements_fit(false);
  return elements_or_positions(operands[0], greatest.positions, result);
}

Error signed_error(const Transpose& transpose, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = one_operand(operands)) return error;
  std::vector<std::uint8_t> sorted = transpose.permutation;
  std::ranges::sort(sorted);
  if (sorted.size() != operands[0].rank() || !ascending(sorted, sorted.size())) return "it is not a permutation";
  return elements_fit(all_are(operands, result.element()));
}

Error signed_error(const Take&, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != 2) return "it takes a table and ids";
  if (operands[0].rank() == 0) return kShapes;
  return elements_fit(operands[0].element() == result.element() && is_integer(operands[1].element()));
}

Error signed_error(const ScatterAdd&, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != 2) return "it takes rows and ids";
  const bool is_along = goes_along_lines(operands[0].rank(), operands[1].rank(), result.rank());
  if (result.rank() == 0 || (!is_along && operands[0].rank() != operands[1].rank() + result.rank() - 1)) return kShapes;
  return elements_fit(operands[0].element() == result.element() && result.element() != ElementType::boolean &&
                      !is_complex(result.element()) && is_integer(operands[1].element()));
}

Error signed_error(const Search&, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != 2) return "it takes edges and values";
  if (operands[0].rank() != 1) return kShapes;
  const ElementType element = operands[0].element();
  return elements_fit(element == operands[1].element() && element != ElementType::boolean && !is_complex(element) &&
                      result.element() == ElementType::i64);
}

Error signed_error(const OneHot&, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = one_operand(operands)) return error;
  return elements_fit(is_integer(operands[0].element()) && !is_complex(result.element()));
}

Error signed_error(const Fourier& fourier, const ShapedOperands& operands, const Shaped& result) {
  if (auto error = one_operand(operands)) return error;
  const std::size_t d = fourier.dimension;
  if (d >= operands[0].rank() || operands[0].rank() != result.rank()) return kShapes;
  const std::int64_t n = operands[0].shape()[d];
  const std::int64_t made = result.shape()[d];
  const ElementType from = operands[0].element();
  const ElementType to = result.element();
  switch (fourier.kind) {
    case FourierKind::forward:
    case FourierKind::inverse: return n == made ? elements_fit(is_complex(from) && to == from) : Error(kShapes);
    case FourierKind::forward_real:
      return n >= 1 && made == n / 2 + 1 ? elements_fit(is_float(from) && to == complex_of(from)) : Error(kShapes);
    case FourierKind::inverse_real:
      return made >= 1 && n == made / 2 + 1 ? elements_fit(is_complex(from) && to == part_of(from)) : Error(kShapes);
  }
  return kShapes;
}

namespace {

// The last two dimensions of the result, for a matrix of these extents and a right side of so many columns.
Shape matrix_result(MatrixOp op, std::int64_t rows, std::int64_t columns, std::int64_t right) {
  const std::int64_t less = std::min(rows, columns);
  switch (op) {
    case MatrixOp::cholesky: return {rows, columns};
    case MatrixOp::solve:
    case MatrixOp::solve_lower:
    case MatrixOp::solve_upper: return {columns, right};
    case MatrixOp::determinant: return {};
    case MatrixOp::factor_qr: return {rows + columns, less};
    case MatrixOp::eigen: return {rows + 1, columns};
    case MatrixOp::singular: return {rows + 1 + columns, less};
  }
  return {};
}

}  // namespace

Error signed_error(const MatrixFunction& function, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() != arity(function.op)) return "it has the wrong number of operands";
  for (const Shaped& operand : operands) {
    if (operand.rank() < 2 || operand.rank() != operands[0].rank()) return kShapes;
  }
  const Shape& matrix = operands[0].shape();
  const std::int64_t rows = matrix[matrix.size() - 2];
  const bool any_shape = function.op == MatrixOp::factor_qr || function.op == MatrixOp::singular;
  if (!any_shape && rows != matrix.back()) return "its matrices are not square";
  const Shape last = matrix_result(function.op, rows, matrix.back(), operands.back().shape().back());
  const Shape& shape = result.shape();
  if (shape.size() != matrix.size() - 2 + last.size() ||
      !std::equal(last.begin(), last.end(), shape.end() - std::ssize(last)))
    return kShapes;
  return elements_fit(all_are(operands, result.element()) && is_float(result.element()));
}

namespace {

bool fits(const LaidRange& range, const ShapedOperands& operands, std::int64_t extent) {
  if (range.length < 0 || range.step < 1 || range.length > extent) return false;
  if (range.scalar == -1) return range.start >= 0 && range.start <= extent - range.length;
  const auto number = static_cast<std::size_t>(range.scalar);
  return range.scalar > 1 && number < operands.size() && operands[number].element() == ElementType::i64 &&
         operands[number].rank() == 0;
}

}  // namespace

Error signed_error(const Lay& lay, const ShapedOperands& operands, const Shaped& result) {
  if (operands.size() < 2) return "it takes a base and a part";
  if (operands[0].rank() != result.rank() || operands[1].rank() != result.rank()) return kShapes;
  if (lay.ranges.size() != result.rank()) return "it has not one range for each dimension";
  for (std::size_t d = 0; d < result.rank(); ++d) {
    if (operands[0].shape()[d] != result.shape()[d]) return kShapes;
    if (!fits(lay.ranges[d], operands, result.shape()[d])) return "a range does not lie inside of its result";
  }
  for (std::size_t k = 2; k < operands.size(); ++k) {
    if (operands[k].element() != ElementType::i64 || operands[k].rank() != 0) return "a start is not an i64 scalar";
  }
  return elements_fit(operands[0].element() == result.element() && operands[1].element() == result.element());
}

// ---- Shapes ----

namespace {

struct SignedRules {
  const ShapedOperands& operands;
  const Shaped& result;

  template <class Own>
  Error operator()(const Own& own) const {
    if constexpr (requires { signed_error(own, operands, result); }) {
      return signed_error(own, operands, result);
    } else {
      throw base::InternalError("the operation has no index signature");
    }
  }
};

Error storage_error(const Operation& operation, const IndexSignature& signature, bool some_stored) {
  if (std::holds_alternative<Map>(operation) || !signature.computes || !some_stored) return std::nullopt;
  return "it does not work on a storage type";
}

// Has each index one extent, wherever it stands?
bool extents_agree(const IndexSignature& signature, const ShapedOperands& operands, const Shape& result) {
  std::vector<std::optional<std::int64_t>> extents(signature.kinds.size());
  const auto agree = [&](const std::vector<int>& indices, const Shape& shape) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d] == IndexSignature::kWhole) continue;
      auto& extent = extents[static_cast<std::size_t>(indices[d])];
      if (extent.value_or(shape[d]) != shape[d]) return false;
      extent = shape[d];
    }
    return true;
  };
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!agree(signature.operands[k], operands[k].shape())) return false;
  }
  return agree(signature.result, result);
}

}  // namespace

Error shape_error(const Operation& operation, const std::vector<Shaped>& operands, const Shaped& result) {
  if (auto error = std::visit(SignedRules{operands, result}, operation)) return error;
  std::vector<Shape> shapes;
  bool some_stored = is_storage(result.element());
  for (const Shaped& operand : operands) {
    shapes.push_back(operand.shape());
    some_stored = some_stored || is_storage(operand.element());
  }
  const IndexSignature signature = index_signature(operation, shapes, result.element(), result.shape());
  if (signature.result.size() != result.rank()) return kShapes;
  if (auto error = storage_error(operation, signature, some_stored)) return error;
  return extents_agree(signature, operands, result.shape()) ? Error() : Error(kShapes);
}

// ---- Layouts ----

namespace {

// Elementwise, what every device holds whole may come from another mesh of as many devices: a scalar, for one.
bool may_lie_elsewhere(const Operation& operation, const std::vector<int>& indices, const ArrayType& operand,
                       const ArrayType& result) {
  const bool is_whole = std::ranges::all_of(indices, [](int index) { return index == IndexSignature::kWhole; });
  return std::holds_alternative<Map>(operation) && is_whole && !is_pending(operand) &&
         operand.devices() == result.devices();
}

// Where an index stands first.
struct IndexPlace {
  const ArrayType* type = nullptr;
  std::size_t dimension = 0;
};

Error operand_layouts_error(const IndexSignature& signature, const Operands& operands,
                            std::vector<IndexPlace>& places) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (std::size_t d = 0; d < operands[k]->rank(); ++d) {
      const int number = signature.operands[k][d];
      const auto index = static_cast<std::size_t>(number);
      const bool is_whole = number == IndexSignature::kWhole || signature.kinds[index] == IndexKind::whole;
      if (is_whole && split(*operands[k], d)) return "a dimension that must be whole is split";
      if (number == IndexSignature::kWhole) continue;
      IndexPlace& place = places[index];
      if (place.type == nullptr) place = {operands[k], d};
      if (!same_cuts(*place.type, place.dimension, *operands[k], d))
        return "an index is not cut alike wherever it stands";
    }
  }
  return std::nullopt;
}

// Is the result cut as the operands are? An index that none of them has may be split at will.
bool result_follows(const IndexSignature& signature, const std::vector<IndexPlace>& places, const ArrayType& result) {
  for (std::size_t d = 0; d < result.rank(); ++d) {
    const int index = signature.result[d];
    if (index == IndexSignature::kWhole && split(result, d)) return false;
    if (index == IndexSignature::kWhole) continue;
    const IndexPlace& place = places[static_cast<std::size_t>(index)];
    if (place.type != nullptr && !same_cuts(*place.type, place.dimension, result, d)) return false;
  }
  return true;
}

// How each index is split, as the result writes it, and otherwise as the operands do.
IndexSplits splits_of(const IndexSignature& signature, const std::vector<IndexPlace>& places, const ArrayType& result) {
  IndexSplits splits(signature.kinds.size());
  for (std::size_t index = 0; index < splits.size(); ++index) {
    const IndexPlace& place = places[index];
    if (place.type != nullptr) splits[index] = place.type->layout().split(place.dimension);
  }
  for (std::size_t d = 0; d < result.rank(); ++d) {
    const int index = signature.result[d];
    if (index != IndexSignature::kWhole) splits[static_cast<std::size_t>(index)] = result.layout().split(d);
  }
  return splits;
}

// Elements that are delivered along lines: values lie as their ids do, and sums anywhere.
bool delivers_along(const Operation& operation, const Operands& operands, const ArrayType& result) {
  if (!std::holds_alternative<ScatterAdd>(operation) || operands.size() != 2) return false;
  const ArrayType& values = *operands[0];
  const ArrayType& ids = *operands[1];
  const auto are_lines_alike = [&] {
    return values.shape() == ids.shape() &&
           std::equal(values.shape().begin(), values.shape().end() - 1, result.shape().begin());
  };
  const bool is_plain = std::ranges::none_of(std::array{&values, &ids, &result}, [](const ArrayType* type) {
    return is_storage(type->element()) || !type->layout().pending().empty();
  });
  return adds_along_by_delivery(values, ids, result) && is_plain && are_lines_alike() &&
         values.layout() == ids.layout() && values.mesh() == result.mesh() && ids.mesh() == result.mesh();
}

}  // namespace

Error layouts_error(const Operation& operation, const Operands& operands, const ArrayType& result) {
  std::vector<Shape> shapes;
  std::vector<Layout> layouts;
  for (const ArrayType* operand : operands) {
    shapes.push_back(operand->shape());
    layouts.push_back(operand->layout());
  }
  IndexSignature signature = index_signature(operation, shapes, result.element(), result.shape());
  if (signature.result.size() != result.rank()) return kShapes;
  // Rows that are fetched may lie anywhere, and ids of rows that are delivered: their indices leave nothing pending.
  const bool fetches = std::holds_alternative<Take>(operation) && takes_by_request(*operands[0], *operands[1], result);
  if (fetches) signature.kinds[0] = IndexKind::carried;
  if (delivers_along(operation, operands, result)) return std::nullopt;
  const bool delivers = std::holds_alternative<ScatterAdd>(operation) &&
                        adds_rows_by_delivery(*operands[0], *operands[1], result) && may_deliver(*operands[1]);
  for (std::size_t d = 0; delivers && d < operands[1]->rank(); ++d)
    signature.kinds[static_cast<std::size_t>(signature.operands[1][d])] = IndexKind::carried;
  const auto stored = [](const ArrayType* type) { return is_storage(type->element()); };
  const bool some_stored = stored(&result) || std::ranges::any_of(operands, stored);
  if (auto error = storage_error(operation, signature, some_stored)) return error;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k]->mesh() == result.mesh()) continue;
    if (!may_lie_elsewhere(operation, signature.operands[k], *operands[k], result))
      return "an operand is on another mesh";
  }
  std::vector<IndexPlace> places(signature.kinds.size());
  if (auto error = operand_layouts_error(signature, operands, places)) return error;
  if (!passes(signature, operands)) return "a pending operand may not pass through it";
  if (!result_follows(signature, places, result)) return "its result is not cut as it should be";
  const auto given = result_layout(signature, result.mesh(), layouts, splits_of(signature, places, result));
  if (!given.has_value() || given->pending() != result.layout().pending() ||
      given->reduce() != result.layout().reduce())
    return "its result is not pending as it should be";
  return std::nullopt;
}

}  // namespace tessera::synth
