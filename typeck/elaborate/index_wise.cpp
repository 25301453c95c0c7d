// Elementwise operations with broadcasting, contractions, reductions.
#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

namespace {

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

std::optional<Shape> IndexWise::broadcast_shape(Span span, const std::vector<Checked>& operands,
                                                const std::string& who) {
  std::vector<const Shape*> shapes;
  for (const Checked& operand : operands) shapes.push_back(&elaborator_.type(operand).shape());
  const auto shape = broadcast(shapes);
  if (shape.has_value()) return shape;
  const auto [first, second] = culprits(shapes);
  Diagnostic diagnostic = base::make(Kind::shape_mismatch, who, print_shape(*first), print_shape(*second)).at(span);
  for (const Checked& operand : operands) diagnostic.labels.push_back({operand.span, elaborator_.text(operand), false});
  elaborator_.report(
      std::move(diagnostic).suggest("shapes are aligned at their last dimension; extents must be equal or 1"));
  return std::nullopt;
}

MaybeValue IndexWise::map(Span span, synth::MapOp op, std::vector<Checked> operands, ElementType result_element,
                          const std::string& who, bool takes_wish) {
  return aligned(span, synth::Map{op}, std::move(operands), result_element, who, takes_wish);
}

MaybeValue IndexWise::aligned(Span span, const synth::Operation& operation, std::vector<Checked> operands,
                              ElementType result_element, const std::string& who, bool takes_wish) {
  const auto shape = broadcast_shape(span, operands, who);
  if (!shape.has_value() || !elaborator_.unify_meshes(operands, span)) return std::nullopt;
  const auto result = elaborator_.made(span, result_element, *shape, elaborator_.type(operands.front()).mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return takes_wish ? elaborator_.compute_as_wished(span, *result, operation, operands, who)
                    : elaborator_.compute(span, *result, operation, operands, who);
}

std::optional<std::vector<Checked>> IndexWise::brought_together(Span span, std::vector<Checked> values,
                                                                ElementType element, const std::string& who) {
  const auto shape = broadcast_shape(span, values, who);
  if (!shape.has_value() || !elaborator_.unify_meshes(values, span)) return std::nullopt;
  const MeshRef mesh = elaborator_.type(values.front()).mesh_ref();
  if (!elaborator_.made(span, element, *shape, mesh).has_value()) return std::nullopt;
  std::vector<open::Type> types;
  for (const Checked& value : values)
    types.emplace_back(elaborator_.element(value), elaborator_.type(value).shape(), mesh);
  const ValueId node = elaborator_.emit(span, types, open::Compute{open::Together{}, elaborator_.uses(values), who});
  for (std::uint32_t k = 0; k < values.size(); ++k)
    values[k].nodes = {elaborator_.emit(span, {types[k]}, open::Element{node, k})};
  return values;
}

MaybeValue IndexWise::cast_to(Span span, const Checked& value, ElementType element) {
  if (elaborator_.type(value).element() == element) return value;
  if (synth::is_storage(element) && elaborator_.type(value).element() != synth::computed_as(element)) {
    const MaybeValue wide = ready_to_store(span, value, element);
    return wide.has_value() ? store(span, *wide, element) : std::nullopt;
  }
  return store(span, value, element);
}

MaybeValue IndexWise::store(Span span, const Checked& value, ElementType element) {
  return map(span, synth::MapOp::cast, {value}, element, fmt::format("{}(...)", synth::name(element)), false);
}

MaybeValue IndexWise::ready_to_store(Span span, const Checked& value, ElementType storage) {
  const ElementType own = elaborator_.element(value);
  const ElementType wide = synth::computed_as(storage);
  if (own == wide) return value;
  const MaybeValue all = store(span, value, wide);
  if (!all.has_value() || !synth::is_stored_integer(storage) || !synth::is_float(own)) return all;
  const auto [least, greatest] = synth::range_of(storage);
  const MeshRef mesh = elaborator_.type(*all).mesh_ref();
  const Checked low = elaborator_.scalar(span, least, wide, mesh);
  const Checked high = elaborator_.scalar(span, greatest, wide, mesh);
  return map(span, synth::MapOp::clip, {*all, low, high}, wide, fmt::format("{}(...)", synth::name(storage)), false);
}

bool IndexWise::make_complex(Checked& a, Checked& b) {
  for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const ElementType complex = elaborator_.element(*to);
    if (!synth::is_complex(complex) || elaborator_.element(*from) != synth::part_of(complex)) continue;
    // A cast that nobody wrote stands in no printed program: a change of its layout is inserted there anew.
    MaybeValue made = cast_to(from->span, widened(*from), complex);
    if (!made.has_value()) return false;
    *from = std::move(*made);
    return true;
  }
  return false;
}

Checked IndexWise::widened(const Checked& value) {
  const open::Type own = elaborator_.type(value);
  if (!synth::is_storage(own.element())) return value;
  Checked result = elaborator_.compute(value.span, {synth::computed_as(own.element()), own.shape(), own.mesh_ref()},
                                       open::Widen{}, {value});
  result.expr = value.expr;
  result.known = value.known;
  return result;
}

MaybeValue IndexWise::contract(Span span, std::vector<Checked> operands, const std::vector<std::vector<int>>& indices,
                               const std::vector<int>& result, const std::string& who,
                               std::vector<std::string> index_names) {
  std::map<int, std::int64_t> extents;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (std::size_t d = 0; d < indices[k].size(); ++d)
      extents[indices[k][d]] = elaborator_.type(operands[k]).shape()[d];
  }
  Shape shape;
  for (const int index : result) shape.push_back(extents.at(index));
  if (!elaborator_.unify_meshes(operands, span)) return std::nullopt;
  const auto made_type = elaborator_.made(span, elaborator_.element(operands.front()), shape,
                                          elaborator_.type(operands.front()).mesh_ref());
  if (!made_type.has_value()) return std::nullopt;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    std::vector<std::size_t> summed;
    for (std::size_t d = 0; d < indices[k].size(); ++d) {
      if (std::ranges::find(result, indices[k][d]) == result.end()) summed.push_back(d);
    }
    elaborator_.note_summed(operands[k], summed);
  }
  open::Product product{{}, std::move(index_names)};
  for (const auto& own : indices) product.contract.operand_indices.emplace_back(own.begin(), own.end());
  product.contract.result_indices.assign(result.begin(), result.end());
  return elaborator_.compute_as_wished(span, *made_type, std::move(product), operands, who);
}

MaybeValue IndexWise::reduce(Span span, const std::string& who, const Checked& a, synth::ReduceKind kind,
                             const std::vector<std::size_t>& dimensions, bool takes_wish) {
  if (dimensions.empty()) return widened(a);
  const open::Type from = elaborator_.type(a);
  Shape shape;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) shape.push_back(from.shape()[d]);
  }
  const auto result = elaborator_.made(span, synth::computed_as(from.element()), shape, from.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  if (kind == synth::ReduceKind::sum) elaborator_.note_summed(a, dimensions);
  const synth::Operation operation = synth::Reduce{kind, {dimensions.begin(), dimensions.end()}};
  return takes_wish ? elaborator_.compute_as_wished(span, *result, operation, {a}, who)
                    : elaborator_.compute(span, *result, operation, {a}, who);
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

MaybeValue IndexWise::matmul(Span span, const Checked& left, const Checked& right) {
  const Shape a = elaborator_.type(left).shape();
  const Shape b = elaborator_.type(right).shape();
  if (a.empty() || b.empty()) {
    elaborator_.report(base::make(Kind::rank_mismatch, "`@`", "arrays of at least one dimension", "none")
                           .at(a.empty() ? left.span : right.span, elaborator_.text(a.empty() ? left : right))
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
    elaborator_.report(
        base::make(Kind::shape_mismatch, "`@`", at->second, b[d])
            .at(span)
            .also(left.span, elaborator_.text(left))
            .also(right.span, elaborator_.text(right))
            .suggest("the last dimension of the left side must be as long as the last but one of the right"));
    return std::nullopt;
  }
  if (!broadcasts)
    return contract(span, {left, right}, {indices.left, indices.right}, indices.result, "`@`", indices.names);
  return matmul_broadcast(span, left, right);
}

// Batch dimensions of extent 1 that meet longer ones are dropped from their operand: a contraction repeats over indices
// that an operand lacks.
MaybeValue IndexWise::matmul_broadcast(Span span, const Checked& left, const Checked& right) {
  const MatmulIndices indices = matmul_indices(elaborator_.type(left).rank(), elaborator_.type(right).rank());
  const auto extent_in = [&](const Checked& side, const std::vector<int>& own, int index) -> std::int64_t {
    const auto found = std::find(own.begin(), own.end(), index);
    return found == own.end() ? 1 : elaborator_.type(side).shape()[static_cast<std::size_t>(found - own.begin())];
  };
  const auto squeezed = [&](const Checked& side, const std::vector<int>& own, const Checked& other,
                            const std::vector<int>& others) {
    std::vector<std::size_t> dropped;
    std::vector<int> rest;
    for (std::size_t d = 0; d < own.size(); ++d) {
      const bool drop =
          d + 2 < own.size() && elaborator_.type(side).shape()[d] == 1 && extent_in(other, others, own[d]) != 1;
      if (drop) dropped.push_back(d);
      if (!drop) rest.push_back(own[d]);
    }
    return std::pair(drop_dimensions(side, std::move(dropped), "`@`", span), std::move(rest));
  };
  const auto a = squeezed(left, indices.left, right, indices.right);
  const auto b = squeezed(right, indices.right, left, indices.left);
  return contract(span, {a.first, b.first}, {a.second, b.second}, indices.result, "`@`", indices.names);
}

// Removes dimensions of extent 1.
Checked IndexWise::drop_dimensions(const Checked& value, std::vector<std::size_t> dimensions, const std::string& who,
                                   Span span) {
  if (dimensions.empty()) return value;
  const open::Type from = elaborator_.type(value);
  Shape shape;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) shape.push_back(from.shape()[d]);
  }
  return elaborator_.compute(span, {from.element(), shape, from.mesh_ref()}, open::Squeeze{std::move(dimensions)},
                             {value}, who);
}

}  // namespace tessera::typeck
