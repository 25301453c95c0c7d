// Elementwise operations with broadcasting, and contractions: both are index signatures.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/checker/checker.hpp"

namespace tessera::typeck {

namespace {

PendingRule pending_rule(synth::MapOp op) {
  switch (op) {
    case synth::MapOp::add:
    case synth::MapOp::subtract: return PendingRule::equal_sums;
    case synth::MapOp::negate: return PendingRule::linear;
    case synth::MapOp::multiply: return PendingRule::product;
    case synth::MapOp::divide: return PendingRule::quotient;
    case synth::MapOp::maximum: return PendingRule::equal_max;
    case synth::MapOp::minimum: return PendingRule::equal_min;
    case synth::MapOp::remainder:
    case synth::MapOp::power:
    case synth::MapOp::equal:
    case synth::MapOp::not_equal:
    case synth::MapOp::less:
    case synth::MapOp::less_equal:
    case synth::MapOp::greater:
    case synth::MapOp::greater_equal:
    case synth::MapOp::logical_and:
    case synth::MapOp::logical_or:
    case synth::MapOp::logical_not:
    case synth::MapOp::exp:
    case synth::MapOp::exp2:
    case synth::MapOp::log:
    case synth::MapOp::sqrt:
    case synth::MapOp::rsqrt:
    case synth::MapOp::tanh:
    case synth::MapOp::sigmoid:
    case synth::MapOp::relu:
    case synth::MapOp::gelu:
    case synth::MapOp::erf:
    case synth::MapOp::abs:
    case synth::MapOp::sign:
    case synth::MapOp::floor:
    case synth::MapOp::sin:
    case synth::MapOp::cos:
    case synth::MapOp::select:
    case synth::MapOp::clip:
    case synth::MapOp::cast:
    case synth::MapOp::copy: return PendingRule::resolve;
  }
  return PendingRule::resolve;
}

// NumPy's broadcasting of all shapes; nothing where two extents do not go together.
std::optional<Shape> broadcast(const std::vector<const Shape*>& shapes) {
  std::size_t rank = 0;
  for (const Shape* shape : shapes) rank = std::max(rank, shape->size());
  Shape result(rank, 1);
  for (const Shape* shape : shapes) {
    for (std::size_t d = 0; d < shape->size(); ++d) {
      std::int64_t& extent = result[rank - shape->size() + d];
      const std::int64_t own = (*shape)[d];
      if (extent != own && extent != 1 && own != 1) return std::nullopt;
      if (extent == 1) extent = own;
    }
  }
  return result;
}

// Two of the shapes that do not go together; there are such where all of them do not.
std::pair<const Shape*, const Shape*> culprits(const std::vector<const Shape*>& shapes) {
  for (std::size_t b = 1; b < shapes.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (!broadcast({shapes[a], shapes[b]}).has_value()) return {shapes[a], shapes[b]};
    }
  }
  TESSERA_CHECK(false, "these shapes go together");
}

}  // namespace

MaybeValue Checker::map(Span span, synth::MapOp op, std::vector<Checked> operands, ElementType result_element,
                        const std::string& who, const Preference& want) {
  auto solved = aligned(span, std::move(operands), result_element, pending_rule(op), who, want);
  if (!solved.has_value()) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const Checked& operand : solved->operands) nodes.push_back(operand.node());
  const bool is_done = op == synth::MapOp::cast && type(nodes.front()) == solved->result;  // by being widened
  if (is_done) return solved->operands.front();
  return compute(span, solved->result, synth::Map{op}, std::move(nodes));
}

// Brings the operands of an elementwise operation together, broadcasting as NumPy does.
std::optional<Checker::Solution> Checker::aligned(Span span, std::vector<Checked> operands, ElementType result_element,
                                                  PendingRule pending, const std::string& who, const Preference& want) {
  std::vector<const Shape*> shapes;
  for (const Checked& operand : operands) shapes.push_back(&type(operand).shape());
  const auto shape = broadcast(shapes);
  if (!shape.has_value()) {
    const auto [first, second] = culprits(shapes);
    Diagnostic diagnostic = base::make(Kind::shape_mismatch, who, print_shape(*first), print_shape(*second)).at(span);
    for (const Checked& operand : operands) diagnostic.labels.push_back({operand.span, text(type(operand)), false});
    report(std::move(diagnostic).suggest("shapes are aligned at their last dimension; extents must be equal or 1"));
    return std::nullopt;
  }
  Signature signature;
  signature.who = who;
  signature.span = span;
  signature.element = result_element;
  signature.shape = *shape;
  signature.pending = pending;
  signature.index_wise = true;
  signature.computes = true;
  const std::size_t rank = shape->size();
  for (std::size_t d = 0; d < rank; ++d) signature.result.push_back(static_cast<int>(d));
  for (const Shape* own : shapes) {
    std::vector<int> indices;
    for (std::size_t d = 0; d < own->size(); ++d) {
      const std::size_t index = rank - own->size() + d;
      indices.push_back((*own)[d] == (*shape)[index] ? static_cast<int>(index) : kWhole);
    }
    signature.operands.push_back(std::move(indices));
  }
  return solve(signature, std::move(operands), want);
}

MaybeValue Checker::cast_to(Span span, const Checked& value, ElementType element) {
  if (type(value).element() == element) return value;
  // A value is made an f32 before it is stored.
  const bool by_way_of_f32 = synth::is_storage(element) && type(value).element() != ElementType::f32;
  if (by_way_of_f32) {
    const MaybeValue wide = cast_to(span, value, ElementType::f32);
    return wide.has_value() ? cast_to(span, *wide, element) : std::nullopt;
  }
  return map(span, synth::MapOp::cast, {value}, element, fmt::format("{}(...)", synth::name(element)), {});
}

Checked Checker::widened(const Checked& value) {
  const ArrayType own = type(value);
  if (!synth::is_storage(own.element())) return value;
  auto wide = own.with_element(ElementType::f32);
  TESSERA_CHECK(wide.ok(), "an array cannot be widened");
  Checked result = compute(value.span, std::move(wide).value(), synth::Map{synth::MapOp::cast}, {value.node()});
  result.expr = value.expr;
  result.known = value.known;
  return result;
}

MaybeValue Checker::contract(Span span, std::vector<Checked> operands, std::vector<std::vector<int>> indices,
                             std::vector<int> result, const std::string& who, const Preference& want,
                             const std::vector<std::string>& index_names) {
  std::map<int, std::int64_t> extents;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (std::size_t d = 0; d < indices[k].size(); ++d) extents[indices[k][d]] = type(operands[k]).shape()[d];
  }
  Signature signature;
  signature.who = who;
  signature.span = span;
  signature.operands = std::move(indices);
  signature.result = std::move(result);
  signature.index_names = index_names;
  signature.element = element(operands.front());
  signature.computes = true;
  for (const int index : signature.result) signature.shape.push_back(extents.at(index));
  signature.pending = PendingRule::contraction;
  auto solved = solve(signature, std::move(operands), want);
  if (!solved.has_value()) return std::nullopt;
  synth::Contract operation;
  std::vector<NodeId> nodes;
  for (std::size_t k = 0; k < solved->operands.size(); ++k) {
    operation.operand_indices.emplace_back(signature.operands[k].begin(), signature.operands[k].end());
    nodes.push_back(solved->operands[k].node());
  }
  operation.result_indices.assign(signature.result.begin(), signature.result.end());
  return compute(span, solved->result, std::move(operation), std::move(nodes));
}

namespace {

// `a @ b` as NumPy batches it: the indices of both operands and the result. Batch dimensions of extent 1 are squeezed
// out by the caller; here batches are aligned at their end.
struct MatmulIndices {
  std::vector<int> left;
  std::vector<int> right;
  std::vector<int> result;
  std::vector<std::string> names;
};

MatmulIndices matmul_indices(std::size_t left_rank, std::size_t right_rank) {
  MatmulIndices all;
  const std::size_t left_batch = left_rank > 2 ? left_rank - 2 : 0;
  const std::size_t right_batch = right_rank > 2 ? right_rank - 2 : 0;
  const std::size_t batch = std::max(left_batch, right_batch);
  for (std::size_t b = 0; b < batch; ++b) {
    const int index = static_cast<int>(b);
    all.names.push_back(fmt::format("b{}", b));
    all.result.push_back(index);
    if (b >= batch - left_batch) all.left.push_back(index);
    if (b >= batch - right_batch) all.right.push_back(index);
  }
  const int i = static_cast<int>(batch);
  const int k = i + 1;
  const int j = i + 2;
  all.names.insert(all.names.end(), {"i", "k", "j"});
  if (left_rank > 1) {
    all.left.push_back(i);
    all.result.push_back(i);
  }
  all.left.push_back(k);
  all.right.push_back(k);
  if (right_rank > 1) {
    all.right.push_back(j);
    all.result.push_back(j);
  }
  return all;
}

}  // namespace

MaybeValue Checker::matmul(Span span, const Checked& left, const Checked& right, const Preference& want) {
  const Shape& a = type(left).shape();
  const Shape& b = type(right).shape();
  if (a.empty() || b.empty()) {
    report(base::make(Kind::rank_mismatch, "`@`", "arrays of at least one dimension", "none")
               .at(a.empty() ? left.span : right.span, text(type(a.empty() ? left : right)))
               .suggest("multiply by a scalar with `*`"));
    return std::nullopt;
  }
  const MatmulIndices indices = matmul_indices(a.size(), b.size());
  std::map<int, std::int64_t> extents;
  bool broadcasts = false;
  for (std::size_t d = 0; d < a.size(); ++d) extents[indices.left[d]] = a[d];
  for (std::size_t d = 0; d < b.size(); ++d) {
    const auto [at, fresh] = extents.emplace(indices.right[d], b[d]);
    if (fresh || at->second == b[d]) continue;
    const bool batch = d + 2 < b.size();
    if (batch && (at->second == 1 || b[d] == 1)) {
      broadcasts = true;
      continue;
    }
    report(base::make(Kind::shape_mismatch, "`@`", at->second, b[d])
               .at(span)
               .also(left.span, text(type(left)))
               .also(right.span, text(type(right)))
               .suggest("the last dimension of the left side must be as long as the last but one of the right"));
    return std::nullopt;
  }
  if (!broadcasts)
    return contract(span, {left, right}, {indices.left, indices.right}, indices.result, "`@`", want, indices.names);
  return matmul_broadcast(span, left, right, want);
}

// Batch dimensions of extent 1 that meet longer ones are dropped from their operand: a contraction repeats over indices
// that an operand lacks.
MaybeValue Checker::matmul_broadcast(Span span, const Checked& left, const Checked& right, const Preference& want) {
  const MatmulIndices indices = matmul_indices(type(left).rank(), type(right).rank());
  const auto extent_in = [&](const Checked& side, const std::vector<int>& own, int index) -> std::int64_t {
    const auto found = std::find(own.begin(), own.end(), index);
    return found == own.end() ? 1 : type(side).shape()[static_cast<std::size_t>(found - own.begin())];
  };
  const auto squeezed = [&](const Checked& side, const std::vector<int>& own, const Checked& other,
                            const std::vector<int>& others) -> std::optional<std::pair<Checked, std::vector<int>>> {
    std::vector<std::size_t> dropped;
    std::vector<int> rest;
    for (std::size_t d = 0; d < own.size(); ++d) {
      const bool drop = d + 2 < own.size() && type(side).shape()[d] == 1 && extent_in(other, others, own[d]) != 1;
      if (drop) dropped.push_back(d);
      if (!drop) rest.push_back(own[d]);
    }
    MaybeValue smaller = drop_dimensions(side, dropped, "`@`", span);
    if (!smaller.has_value()) return std::nullopt;
    return std::pair(std::move(*smaller), std::move(rest));
  };
  auto a = squeezed(left, indices.left, right, indices.right);
  auto b = squeezed(right, indices.right, left, indices.left);
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return contract(span, {a->first, b->first}, {a->second, b->second}, indices.result, "`@`", want, indices.names);
}

// Removes dimensions of extent 1; split ones (they have empty tiles) are made whole first.
MaybeValue Checker::drop_dimensions(const Checked& value, const std::vector<std::size_t>& dimensions,
                                    const std::string& who, Span span) {
  if (dimensions.empty()) return value;
  MaybeValue whole = with_whole_dimensions(value, dimensions, who, span);
  if (!whole.has_value()) return std::nullopt;
  const ArrayType from = type(*whole);
  Shape shape;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end()) continue;
    shape.push_back(from.shape()[d]);
    splits.push_back(from.layout().split(d));
  }
  const auto result = make_type(span, from.element(), shape, from.mesh_ref(), std::move(splits),
                                from.layout().pending(), from.layout().reduce());
  if (!result.has_value()) return std::nullopt;
  return compute(span, *result, synth::Reshape{}, {whole->node()});
}

MaybeValue Checker::with_whole_dimensions(const Checked& value, const std::vector<std::size_t>& dimensions,
                                          const std::string& who, Span span) {
  const ArrayType from = type(value);
  std::vector<AxisList> splits = from.layout().splits();
  for (const std::size_t d : dimensions) splits[d].clear();
  auto layout = Layout::make(from.mesh(), std::move(splits), from.layout().pending(), from.layout().reduce());
  TESSERA_CHECK(layout.ok(), "making dimensions whole failed");
  const auto target = with_layout(span, from, std::move(layout).value());
  if (!target.has_value()) return std::nullopt;
  return redistribute(value, *target, Reason{Reason::Asker::operation, who, span, {}, {}});
}

// The same tiles under a type that is written differently (a split of extent 1 that cuts nothing away).
Checked Checker::retyped(const Checked& value, const ArrayType& target) {
  Checked result = value;
  result.nodes = compute(value.span, target, synth::Reshape{}, {value.node()}).nodes;
  return result;
}

}  // namespace tessera::typeck
