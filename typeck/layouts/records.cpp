// Worked example: `argmax(a, dim=0)` of f32[4096@x, 1024] on x:4. The maxima of 1,024 columns are finished on all
// devices; each finds the first row of its tile that holds a column's maximum, and the result is the least of four
// such rows, i64[1024]{min x}. No row of the array has moved.
#include "typeck/layouts/records.hpp"

#include <algorithm>

#include "typeck/layouts/dealing.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::AxisList;
using synth::ElementType;
using synth::Layout;
using synth::Shape;

ArrayType finished_along(const ArrayType& type) {
  std::vector<AxisList> splits = type.layout().splits();
  const AxisList& pending = type.layout().pending();
  if (!splits.empty()) splits[0].insert(splits[0].end(), pending.begin(), pending.end());
  auto layout = Layout::make(type.mesh(), std::move(splits));
  auto finished = layout.ok() ? type.with_layout(std::move(layout).value()) : type.with_layout(type.layout());
  return layout.ok() && finished.ok() ? std::move(finished).value() : finished_in_place(type);
}

bool goes_by_records(const ArrayType& from, const synth::ArgReduce& how) {
  return std::ranges::any_of(how.dimensions, [&](std::uint8_t d) { return !from.layout().split(d).empty(); });
}

synth::ReduceKind extreme_of(const synth::ArgReduce& how) {
  return how.max ? synth::ReduceKind::max : synth::ReduceKind::min;
}

ArrayType finished_in_place(const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  auto finished = type.with_layout(std::move(layout).value());
  TESSERA_CHECK(finished.ok(), "a type without its pending axes is not valid");
  return std::move(finished).value();
}

std::optional<ArrayType> Records::reduced(const synth::Operation& operation, const std::vector<ArrayType>& operands,
                                          ElementType element, const Shape& shape) const {
  std::vector<Shape> shapes;
  std::vector<Layout> layouts;
  for (const ArrayType& operand : operands) {
    shapes.push_back(operand.shape());
    layouts.push_back(operand.layout());
  }
  const synth::IndexSignature indices = synth::index_signature(operation, shapes, element, shape);
  auto layout = synth::result_layout(indices, operands.front().mesh(), layouts);
  TESSERA_CHECK(layout.has_value(), "the layout of an array gives none to its reduction");
  return reports_.made(ArrayType::make(element, shape, operands.front().mesh_ref(), std::move(*layout)), span_);
}

std::optional<Records::Types> Records::types(const ArrayType& from, const synth::ArgReduce& how,
                                             const Shape& shape) const {
  const synth::Reduce reduce{extreme_of(how), how.dimensions};
  const auto extremes = reduced(reduce, {from}, synth::computed_as(from.element()), shape);
  if (!extremes.has_value()) return std::nullopt;
  const ArrayType whole = finished_in_place(*extremes);
  const auto positions = reduced(synth::Find{how.max, how.dimensions}, {from, whole}, ElementType::i64, shape);
  return positions.has_value() ? std::optional(Types{*extremes, whole, *positions}) : std::nullopt;
}

// The time of finishing the extremes on all devices, and then the positions.
std::optional<Alternative> Records::price(const Types& types) const {
  auto price = price_of_change(plans_, types.extremes, types.whole, span_, {});
  const auto rest = price_of_change(plans_, types.positions, finished_along(types.positions), span_, {});
  if (!price.has_value() || !rest.has_value()) return std::nullopt;
  price->description = "the extremes are finished, and each tile finds its first";
  add_price(*price, *rest);
  return price;
}

std::optional<ArrayType> Records::positions(const ArrayType& from, const synth::ArgReduce& how, const Shape& shape,
                                            NodeLayouts& layouts) const {
  if (!goes_by_records(from, how)) return reduced(how, {from}, ElementType::i64, shape);
  const auto own = types(from, how, shape);
  auto deal = Dealing(plans_, reports_, who_, span_).best(from, {how.dimensions.begin(), how.dimensions.end()}, {});
  auto records = own.has_value() ? price(*own) : std::nullopt;
  if (!deal.has_value() || !records.has_value()) return std::nullopt;
  const bool is_dealt = cheaper(deal->compared[deal->number], *records);
  std::vector<Alternative> compared = std::move(deal->compared);
  compared.push_back(std::move(*records));
  compared[is_dealt ? deal->number : compared.size() - 1].chosen = true;
  if (!is_dealt) {
    layouts.compared = std::move(compared);
    return own->positions;
  }
  Greedy::change(layouts.uses[0], from, deal->target, {Reason::Asker::operation, who_, span_, {}, std::move(compared)});
  return reduced(how, {deal->target}, ElementType::i64, shape);
}

}  // namespace tessera::typeck
