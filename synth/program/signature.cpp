#include "synth/program/signature.hpp"

#include <algorithm>
#include <numeric>

#include "synth/moves/collective/requests.hpp"

namespace tessera::synth {

namespace {

using IndexList = std::vector<int>;

IndexList indices_from(int first, std::size_t count) {
  IndexList all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::size_t index_count(const IndexSignature& signature) {
  int most = -1;
  for (const IndexList& operand : signature.operands) {
    for (const int index : operand) most = std::max(most, index);
  }
  for (const int index : signature.result) most = std::max(most, index);
  return static_cast<std::size_t>(most) + 1;
}

// Of dimensions of an operand that repeat an index the first one carries it. Each other one gets a new index, which is
// summed: a device has the positions of the diagonal that lie in its tile, and its part of the sum has no others.
void tell_repeats_apart(IndexSignature& signature) {
  auto fresh = static_cast<int>(index_count(signature));
  for (IndexList& operand : signature.operands) {
    for (auto own = operand.begin(); own != operand.end(); ++own) {
      if (std::find(operand.begin(), own, *own) != own) *own = fresh++;
    }
  }
}

IndexKind kind_of_index(const IndexSignature& signature, int index) {
  const bool stays = std::ranges::find(signature.result, index) != signature.result.end();
  return stays ? IndexKind::carried : IndexKind::summed;
}

IndexSignature with_kinds(IndexSignature signature) {
  const auto count = static_cast<int>(index_count(signature));
  for (int index = 0; index < count; ++index) signature.kinds.push_back(kind_of_index(signature, index));
  return signature;
}

// Nothing is pending that cannot be added up: a summed index of such elements is whole.
void keep_sums_whole(IndexSignature& signature) {
  std::ranges::replace(signature.kinds, IndexKind::summed, IndexKind::whole);
}

// One array, whose dimensions stay what they are.
IndexSignature lines_signature(std::size_t rank) {
  IndexSignature signature;
  signature.operands = {indices_from(0, rank)};
  signature.result = signature.operands[0];
  signature.computes = true;
  return with_kinds(std::move(signature));
}

// A row of the table is index 0; then come the indices of ids, then those within a row. Along lines the table's last
// dimension is index 0, and the others are those of ids.
struct RowIndices {
  IndexList table;
  IndexList ids;
  IndexList rows;

  RowIndices(std::size_t table_rank, std::size_t ids_rank, std::size_t rows_rank)
      : table(indices_from(static_cast<int>(ids_rank), table_rank)),
        ids(indices_from(1, ids_rank)),
        rows(indices_from(1, ids_rank + table_rank - 1)) {
    table[0] = 0;
    if (!goes_along_lines(table_rank, ids_rank, rows_rank)) return;
    rows = ids;
    table = ids;
    table.back() = 0;
  }
};

// One for each operation.
struct Signatures {
  std::span<const Shape> operands;
  ElementType element;
  const Shape& result;

  IndexSignature operator()(const Map& map) const {
    IndexSignature signature = aligned_signature(operands, result);
    signature.pending = pending_rule(map.op);
    signature.computes = map.op != MapOp::copy;
    return signature;
  }
  IndexSignature operator()(const Reduce& reduce) const {
    IndexSignature signature;
    signature.operands = {indices_from(0, operands[0].size())};
    signature.result = kept(reduce.dimensions);
    signature.computes = true;
    signature = with_kinds(std::move(signature));
    if (reduce.kind == ReduceKind::sum) signature.pending = PendingRule::linear;
    if (reduce.kind == ReduceKind::max) signature.reduce = ReduceOp::max;
    if (reduce.kind == ReduceKind::min) signature.reduce = ReduceOp::min;
    if (reduce.kind == ReduceKind::product) signature.reduce = ReduceOp::product;
    return signature;
  }
  IndexSignature operator()(const ArgReduce& reduce) const {
    IndexSignature signature;
    signature.operands = {indices_from(0, operands[0].size())};
    signature.result = kept(reduce.dimensions);
    signature.computes = true;
    signature = with_kinds(std::move(signature));
    keep_sums_whole(signature);
    return signature;
  }
  // Every tile has a position of its own, of which the least is the first.
  IndexSignature operator()(const Find& find) const {
    IndexSignature signature;
    signature.operands = {indices_from(0, operands[0].size()), kept(find.dimensions)};
    signature.result = kept(find.dimensions);
    signature.reduce = ReduceOp::min;
    signature.computes = true;
    return with_kinds(std::move(signature));
  }
  IndexSignature operator()(const Contract& contract) const {
    IndexSignature signature;
    for (const auto& own : contract.operand_indices) signature.operands.emplace_back(own.begin(), own.end());
    signature.result.assign(contract.result_indices.begin(), contract.result_indices.end());
    tell_repeats_apart(signature);
    signature.pending = PendingRule::contraction;
    signature.computes = true;
    return with_kinds(std::move(signature));
  }
  IndexSignature operator()(const Scan& scan) const {
    IndexSignature signature = lines_signature(operands[0].size());
    signature.kinds[scan.dimension] = IndexKind::running;
    return signature;
  }
  IndexSignature operator()(const Recur& recur) const {
    IndexSignature signature = aligned_signature(operands, result);
    if (recur.dimension < result.size()) signature.kinds[recur.dimension] = IndexKind::running;
    return signature;
  }
  IndexSignature operator()(const Sort&) const {
    IndexSignature signature = lines_signature(operands[0].size());
    signature.kinds.back() = IndexKind::running;
    return signature;
  }
  // The last dimension becomes another one.
  IndexSignature operator()(const Greatest&) const {
    IndexSignature signature = lines_signature(operands[0].size());
    signature.operands[0].back() = IndexSignature::kWhole;
    signature.operands.resize(operands.size(), signature.operands[0]);
    signature.result.back() = IndexSignature::kWhole;
    signature.kinds.pop_back();
    return signature;
  }
  IndexSignature operator()(const Transpose& transpose) const {
    IndexSignature signature;
    signature.operands = {indices_from(0, operands[0].size())};
    signature.result.assign(transpose.permutation.begin(), transpose.permutation.end());
    signature.pending = PendingRule::unary;
    return with_kinds(std::move(signature));
  }
  // A table split by rows leaves a sum, in which each element comes from one device.
  IndexSignature operator()(const Take&) const {
    const RowIndices indices(operands[0].size(), operands[1].size(), result.size());
    IndexSignature signature;
    signature.operands = {indices.table, indices.ids};
    signature.result = indices.rows;
    signature = with_kinds(std::move(signature));
    if (element == ElementType::boolean || is_storage(element)) keep_sums_whole(signature);
    return signature;
  }
  // Split ids leave a sum.
  IndexSignature operator()(const ScatterAdd&) const {
    const RowIndices indices(result.size(), operands[1].size(), operands[0].size());
    IndexSignature signature;
    signature.operands = {indices.rows, indices.ids};
    signature.result = indices.table;
    signature.computes = true;
    return with_kinds(std::move(signature));
  }
  // Each tile of the edges counts its own.
  IndexSignature operator()(const Search&) const {
    IndexSignature signature;
    signature.operands = {{0}, indices_from(1, operands[1].size())};
    signature.result = signature.operands[1];
    signature.computes = true;
    return with_kinds(std::move(signature));
  }
  IndexSignature operator()(const OneHot&) const {
    IndexSignature signature = lines_signature(operands[0].size());
    signature.result.push_back(IndexSignature::kWhole);
    return signature;
  }
  // Nothing is computed: storage types stay what they are.
  IndexSignature operator()(const Lay&) const {
    IndexSignature signature = aligned_signature(operands, result);
    signature.computes = false;
    return signature;
  }
  // Rows and columns of a matrix are whole: the first index after those of the batch, and the second. A right side has
  // columns of its own, the third.
  IndexSignature operator()(const MatrixFunction& function) const {
    const std::size_t batch = operands[0].size() - 2;
    const int rows = static_cast<int>(batch);
    IndexSignature signature = lines_signature(operands[0].size());
    signature.operands.resize(operands.size(), signature.operands[0]);
    signature.result.resize(batch);
    switch (function.op) {
      case MatrixOp::cholesky: signature.result = signature.operands[0]; break;
      case MatrixOp::determinant: break;
      case MatrixOp::solve:
      case MatrixOp::solve_lower:
      case MatrixOp::solve_upper:
        signature.operands[1].back() = rows + 2;
        signature.result.insert(signature.result.end(), {rows + 1, rows + 2});
        break;
      case MatrixOp::eigen: signature.result.insert(signature.result.end(), {IndexSignature::kWhole, rows + 1}); break;
      case MatrixOp::factor_qr:
      case MatrixOp::singular: signature.result.insert(signature.result.end(), 2, IndexSignature::kWhole); break;
    }
    signature.kinds.clear();
    signature = with_kinds(std::move(signature));
    for (const std::size_t index : {batch, batch + 1}) signature.kinds[index] = IndexKind::whole;
    return signature;
  }
  // The dimension is whole; that of a real transform has another extent in the result.
  IndexSignature operator()(const Fourier& fourier) const {
    IndexSignature signature;
    IndexList& indices = signature.operands.emplace_back();
    int next = 0;
    for (std::size_t d = 0; d < operands[0].size(); ++d)
      indices.push_back(d == fourier.dimension ? IndexSignature::kWhole : next++);
    signature.result = indices;
    signature.computes = true;
    return with_kinds(std::move(signature));
  }
  template <class Other>
  IndexSignature operator()(const Other&) const {
    throw base::InternalError("the operation has no index signature");
  }

 private:
  // The indices of the first operand's other dimensions.
  IndexList kept(const std::vector<std::uint8_t>& dimensions) const {
    IndexList rest;
    for (std::size_t d = 0; d < operands[0].size(); ++d) {
      if (std::ranges::find(dimensions, static_cast<std::uint8_t>(d)) == dimensions.end())
        rest.push_back(static_cast<int>(d));
    }
    return rest;
  }
};

template <class... Own>
bool holds_one_of(const Operation& operation) {
  return (std::holds_alternative<Own>(operation) || ...);
}

}  // namespace

PendingRule pending_rule(MapOp op) {
#define ROW(identifier, text, count, elements, pending) PendingRule::pending,
  static constexpr PendingRule kRules[] = {TESSERA_MAP_OPS(ROW)};
#undef ROW
  return kRules[static_cast<std::size_t>(op)];
}

bool has_signature(const Operation& operation) {
  return holds_one_of<Map, Reduce, ArgReduce, Find, Contract, Scan, Recur, Sort, Greatest, Transpose, Take, ScatterAdd,
                      Search, OneHot, Lay, MatrixFunction, Fourier>(operation);
}

IndexSignature index_signature(const Operation& operation, std::span<const Shape> operands, ElementType element,
                               const Shape& result) {
  return std::visit(Signatures{operands, element, result}, operation);
}

// A dimension that repeats is whole.
IndexSignature aligned_signature(std::span<const Shape> operands, const Shape& result) {
  IndexSignature signature;
  signature.result = indices_from(0, result.size());
  signature.index_wise = true;
  signature.computes = true;
  for (const Shape& own : operands) {
    IndexList& indices = signature.operands.emplace_back();
    for (std::size_t index = result.size() - own.size(); index < result.size(); ++index) {
      const bool is_repeated = own[indices.size()] == 1 && result[index] != 1;
      indices.push_back(is_repeated ? IndexSignature::kWhole : static_cast<int>(index));
    }
  }
  return with_kinds(std::move(signature));
}

IndexSignature joined_signature(std::size_t operands, std::size_t rank, std::size_t dimension) {
  IndexSignature signature;
  signature.result = indices_from(0, rank);
  signature.result[dimension] = IndexSignature::kWhole;
  signature.operands.assign(operands, signature.result);
  signature.pending = PendingRule::equal_any;
  return with_kinds(std::move(signature));
}

// ---- What is pending ----

namespace {

using OperandTypes = std::span<const ArrayType* const>;

bool all_alike(OperandTypes operands, std::optional<ReduceOp> reduce) {
  const Layout& first = operands.front()->layout();
  return (!reduce.has_value() || first.reduce() == *reduce) &&
         std::ranges::all_of(operands, [&](const ArrayType* operand) {
           return operand->layout().pending() == first.pending() && operand->layout().reduce() == first.reduce();
         });
}

// The operand is a sum, over axes that no other one uses.
bool is_sum_apart(OperandTypes operands, std::size_t sum) {
  const Layout& own = operands[sum]->layout();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const auto is_used = [&](const AxisPart& part) { return operands[k]->layout().uses(part); };
    if (k != sum && std::ranges::any_of(own.pending(), is_used)) return false;
  }
  return own.reduce() == ReduceOp::sum;
}

bool are_sums_apart(OperandTypes operands) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k]->layout().pending().empty() && !is_sum_apart(operands, k)) return false;
  }
  return true;
}

}  // namespace

bool passes(const IndexSignature& signature, OperandTypes operands) {
  const auto is_pending_operand = [](const ArrayType* own) { return !own->layout().pending().empty(); };
  const auto count = std::ranges::count_if(operands, is_pending_operand);
  if (count == 0) return true;
  const ArrayType& first = *operands.front();
  switch (signature.pending) {
    case PendingRule::resolve: return false;
    case PendingRule::unary: return true;
    case PendingRule::linear: return first.layout().reduce() == ReduceOp::sum;
    case PendingRule::equal_sums: return all_alike(operands, ReduceOp::sum);
    case PendingRule::equal_max: return all_alike(operands, ReduceOp::max);
    case PendingRule::equal_min: return all_alike(operands, ReduceOp::min);
    case PendingRule::equal_any: return all_alike(operands, std::nullopt);
    case PendingRule::contraction: return are_sums_apart(operands);
    case PendingRule::product:
      return (count == 1 && are_sums_apart(operands)) || (count > 1 && all_alike(operands, ReduceOp::product));
    case PendingRule::quotient:
      return count == 1 && is_pending_operand(&first) && is_rounded(first.element()) && are_sums_apart(operands);
  }
  return false;
}

// ---- Layouts ----

std::optional<Layout> result_layout(const IndexSignature& signature, const Mesh& mesh, std::span<const Layout> operands,
                                    const IndexSplits& splits) {
  std::vector<AxisList> of_result;
  for (const int index : signature.result) {
    of_result.push_back(index == IndexSignature::kWhole ? AxisList{} : splits[static_cast<std::size_t>(index)]);
  }
  AxisList pending;
  ReduceOp reduce = signature.reduce;
  for (const Layout& own : operands) {
    const bool is_new = !own.pending().empty() && own.pending() != pending;  // else they are alike
    if (!is_new) continue;
    pending.insert(pending.end(), own.pending().begin(), own.pending().end());
    reduce = own.reduce();
  }
  for (std::size_t index = 0; index < splits.size(); ++index) {
    if (signature.kinds[index] != IndexKind::summed) continue;
    pending.insert(pending.end(), splits[index].begin(), splits[index].end());
  }
  auto layout = Layout::make(mesh, std::move(of_result), std::move(pending), reduce);
  if (!layout.ok()) return std::nullopt;
  return std::move(layout).value();
}

std::optional<Layout> result_layout(const IndexSignature& signature, const Mesh& mesh,
                                    std::span<const Layout> operands) {
  IndexSplits splits(signature.kinds.size());
  for (std::size_t k = operands.size(); k-- > 0;) {
    for (std::size_t d = signature.operands[k].size(); d-- > 0;) {
      const int index = signature.operands[k][d];
      if (index != IndexSignature::kWhole) splits[static_cast<std::size_t>(index)] = operands[k].split(d);
    }
  }
  return result_layout(signature, mesh, operands, splits);
}

}  // namespace tessera::synth
