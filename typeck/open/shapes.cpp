#include "typeck/open/shapes.hpp"

#include <algorithm>
#include <optional>

#include "base/wide.hpp"
#include "synth/program/signature.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::typeck::open {

namespace {

using synth::Shape;

synth::Shaped shaped(const Type& type) { return {synth::computed_as(type.element()), &type.shape()}; }

// Operations compute with elements of storage types as f32.
synth::Error signed_fault(const synth::Operation& operation, const std::vector<Type>& operands, const Type& result) {
  std::vector<synth::Shaped> types;
  for (const Type& operand : operands) types.push_back(shaped(operand));
  return synth::shape_error(operation, types, shaped(result));
}

// The type as operations compute with it, whole on each device, so that the rules of device programs can be asked.
synth::ArrayType computed(const Type& type) {
  auto whole = synth::ArrayType::replicated(synth::computed_as(type.element()), type.shape(), type.mesh_ref());
  TESSERA_CHECK(whole.ok(), "a value has a type that no array can have");
  return std::move(whole).value();
}

// Do all elements that are selected from a constant start lie within the extent?
bool is_inside(const Selected& one, std::int64_t extent) {
  if (one.length == 0) return one.start >= 0 && one.start <= extent;
  const base::Wide last = one.start + static_cast<base::Wide>(one.step) * (one.length - 1);
  return one.start >= 0 && one.start < extent && last >= 0 && last < extent;
}

// The shape of an operation's only result; nothing where the operands do not fit.
struct ResultShape {
  const std::vector<Type>& operands;
  const Type& type;

  std::optional<Shape> operator()(const synth::Operation&) const { return result(); }
  std::optional<Shape> operator()(const Squeeze& squeeze) const {
    Shape left;
    for (std::size_t d = 0; d < first().size(); ++d) {
      const bool goes = std::ranges::find(squeeze.dimensions, d) != squeeze.dimensions.end();
      if (goes && first()[d] != 1) return std::nullopt;
      if (!goes) left.push_back(first()[d]);
    }
    return left;
  }
  std::optional<Shape> operator()(const Unsqueeze& unsqueeze) const {
    Shape more = first();
    for (const std::size_t d : unsqueeze.dimensions) {
      if (d > more.size() || more.size() == synth::kRankMax) return std::nullopt;
      more.insert(d, 1);
    }
    return more;
  }
  std::optional<Shape> operator()(const Slice& slice) const {
    if (slice.dimensions.size() != first().size()) return std::nullopt;
    Shape taken;
    for (std::size_t d = 0; d < first().size(); ++d) {
      const Selected& one = slice.dimensions[d];
      if (one.length < 0 || one.length > first()[d] || one.step == 0) return std::nullopt;
      if (one.scalar < 0 && !is_inside(one, first()[d])) return std::nullopt;
      if (one.scalar >= 0 && (one.step != 1 || static_cast<std::size_t>(one.scalar) >= operands.size()))
        return std::nullopt;
      taken.push_back(one.length);
    }
    return taken;
  }
  std::optional<Shape> operator()(const Pad& pad) const {
    if (pad.widths.size() != first().size() || operands.size() != 2 || !operands[1].shape().empty())
      return std::nullopt;
    Shape padded = first();
    for (std::size_t d = 0; d < padded.size(); ++d) {
      std::int64_t& extent = padded[d];
      const bool overflows = __builtin_add_overflow(extent, pad.widths[d].first, &extent) ||
                             __builtin_add_overflow(extent, pad.widths[d].second, &extent);
      if (overflows) return std::nullopt;
    }
    return padded;
  }
  std::optional<Shape> operator()(const Concat& concat) const {
    if (concat.dimension >= first().size()) return std::nullopt;
    Shape joined = first();
    joined[concat.dimension] = 0;
    for (const Type& operand : operands) {
      if (operand.rank() != first().size()) return std::nullopt;
      if (__builtin_add_overflow(joined[concat.dimension], operand.shape()[concat.dimension],
                                 &joined[concat.dimension]))
        return std::nullopt;
    }
    return joined;
  }
  std::optional<Shape> operator()(const Update& update) const {
    if (operands.size() < 2 || update.dimensions.size() != first().size() || operands[1].rank() != first().size())
      return std::nullopt;
    std::size_t scalars = 0;
    for (std::size_t d = 0; d < first().size(); ++d) {
      const Laid& laid = update.dimensions[d];
      const std::int64_t own = operands[1].shape()[d];
      const bool fits = laid.length >= 0 && laid.length <= first()[d] && laid.step >= 1;
      if (!fits || (own != laid.length && own != 1)) return std::nullopt;
      scalars += laid.start.has_value() ? 0 : 1;
    }
    return operands.size() == 2 + scalars ? std::optional(first()) : std::nullopt;
  }
  std::optional<Shape> operator()(const Roll& roll) const {
    const bool fits = roll.dimension < first().size() && operands.size() == (roll.by.has_value() ? 1U : 2U);
    return fits ? std::optional(first()) : std::nullopt;
  }
  std::optional<Shape> operator()(const Product& product) const {
    const bool fits = !signed_fault(product.contract, operands, type).has_value();
    return fits ? std::optional(result()) : std::nullopt;
  }
  std::optional<Shape> operator()(const Broadcast&) const {
    if (result().size() < first().size()) return std::nullopt;
    for (std::size_t d = 0; d < first().size(); ++d) {
      const std::int64_t extent = result()[result().size() - first().size() + d];
      if (first()[d] != extent && first()[d] != 1) return std::nullopt;
    }
    return result();
  }
  std::optional<Shape> operator()(const Make& make) const {
    const bool fits = !make.is_like || (!operands.empty() && operands.back().shape() == result());
    return fits ? std::optional(result()) : std::nullopt;
  }
  std::optional<Shape> operator()(const Back&) const {
    return operands.size() == 1 || operands[1].shape() == result() ? std::optional(result()) : std::nullopt;
  }
  std::optional<Shape> operator()(const Both&) const { return of_two(first()); }
  std::optional<Shape> operator()(const FinishAs&) const { return of_two(first()); }
  std::optional<Shape> operator()(const Sum&) const { return of_two(first()); }
  std::optional<Shape> operator()(const PutRow&) const {
    if (operands.size() != 3 || !operands[2].shape().empty() || first().size() != operands[1].rank() + 1)
      return std::nullopt;
    return std::ranges::equal(row(), operands[1].shape()) ? std::optional(first()) : std::nullopt;
  }
  std::optional<Shape> operator()(const TakeRow&) const {
    if (operands.size() != 2 || !operands[1].shape().empty() || first().empty()) return std::nullopt;
    return row();
  }
  // What keeps its operand's shape: Widen, Whole, Finish, ByHand, Used, Home, ZerosAs.
  template <class Kept>
  std::optional<Shape> operator()(const Kept&) const {
    return first();
  }

 private:
  std::optional<Shape> of_two(const Shape& shape) const {
    return operands.size() == 2 && operands[1].shape() == shape ? std::optional(shape) : std::nullopt;
  }
  Shape row() const {
    Shape left;
    for (std::size_t d = 1; d < first().size(); ++d) left.push_back(first()[d]);
    return left;
  }
  const Shape& first() const { return operands.front().shape(); }
  const Shape& result() const { return type.shape(); }
};

std::string reshape_fault(const std::vector<Type>& operands, const Type& result) {
  if (operands.size() != 1) return "a reshape takes one operand";
  const bool fits = operands[0].element() == result.element() &&
                    synth::elements(operands[0].shape()) == synth::elements(result.shape());
  return fits ? "" : "a reshape gives other elements, or another number of them";
}

std::string fault_of_step(const Program& program, const synth::Program& texts, const synth::Operation& operation,
                          const std::vector<Type>& operands, const std::vector<Type>& results) {
  if (const auto* constant = std::get_if<synth::Constant>(&operation)) {
    const synth::Literal& literal = program.literals[constant->literal];
    const bool fits =
        results.size() == 1 && results[0].element() == literal.element && results[0].shape() == literal.shape;
    return fits ? "" : "a constant is not its literal";
  }
  if (std::holds_alternative<synth::Collect>(operation)) return "an open program has no collectives";
  if (synth::has_result(operation) != !results.empty()) return "an operation with the wrong number of results";
  if (synth::has_signature(operation)) return signed_fault(operation, operands, results.front()).value_or("");
  if (std::holds_alternative<synth::Reshape>(operation)) return reshape_fault(operands, results.front());
  std::vector<synth::ArrayType> types;
  for (const Type& operand : operands) types.push_back(computed(operand));
  synth::Operands pointers;
  for (const synth::ArrayType& type : types) pointers.push_back(&type);
  const auto result = results.empty() ? std::nullopt : std::optional(computed(results.front()));
  return synth::type_error(texts, operation, pointers, result.has_value() ? &*result : nullptr).value_or("");
}

}  // namespace

std::string fault_of(const Program& program, const synth::Program& texts, const Operation& operation,
                     const std::vector<Type>& operands, const std::vector<Type>& results) {
  // A collective to a type that is written may end on another mesh of the same devices; a cotangent goes back over any.
  const auto* by_hand = std::get_if<ByHand>(&operation);
  const bool stays = by_hand == nullptr ? !std::holds_alternative<Back>(operation) : !by_hand->target.has_value();
  for (const Type& operand : operands) {
    if (stays && !results.empty() && operand.mesh() != results[0].mesh())
      return "an operand lies on another mesh than the result";
  }
  if (const auto* step = std::get_if<synth::Operation>(&operation))
    return fault_of_step(program, texts, *step, operands, results);
  if (std::holds_alternative<Together>(operation)) {
    return operands.size() == results.size() ? "" : "values are brought together, and others come of it";
  }
  const auto* make = std::get_if<Make>(&operation);
  if (results.size() != 1) return "an operation has one result";
  if (make == nullptr && operands.empty()) return "an operation has operands";
  if (make != nullptr && !layout_fits(make->layout, results[0])) return "a written layout is not one of its mesh";
  const auto shape = std::visit(ResultShape{operands, results[0]}, operation);
  return shape.has_value() && *shape == results[0].shape() ? "" : "an operation's result has another shape";
}

bool layout_fits(const WrittenLayout& layout, const Type& type) {
  const auto is_there = [&](const synth::AxisPart& part) {
    return part.axis < type.mesh().axes().size() && part.size >= 1 && part.before >= 1 &&
           part.before <= type.mesh().axes()[part.axis].size;
  };
  const auto are_there = [&](const synth::AxisList& axes) { return std::ranges::all_of(axes, is_there); };
  return layout.splits.size() == type.rank() && std::ranges::all_of(layout.splits, are_there) &&
         are_there(layout.pending);
}

}  // namespace tessera::typeck::open
