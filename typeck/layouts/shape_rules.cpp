#include "typeck/layouts/shape_rules.hpp"

#include <algorithm>

#include "synth/moves/prices/prices.hpp"
#include "synth/program/fetched_parts.hpp"
#include "typeck/layouts/dealing.hpp"
#include "typeck/layouts/parts.hpp"
#include "typeck/layouts/reshape_groups.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::AxisList;
using synth::Layout;
using synth::Shape;

namespace {

struct ReshapeWay {
  std::string description;
  ReshapeLayouts layouts;
};

bool is_cut_evenly(const ArrayType& type) {
  return std::ranges::none_of(type.layout().splits(), [](const AxisList& axes) {
    return std::ranges::any_of(axes, [](const synth::AxisPart& part) { return part.cut != 0; });
  });
}

// The ways of reshaping an array that gives up some of its splits. One that deals them is better than one that gathers,
// unless the array has few bytes.
std::vector<ReshapeWay> reshape_ways(const ArrayType& from, const Shape& shape, const Want& want) {
  const ReshapeLayouts kept = reshape_layouts(from, shape);
  std::vector<ReshapeWay> all;
  const auto add = [&](const std::string& description, const ReshapeLayouts& layouts) {
    const auto is_same = [&](const ReshapeWay& other) { return other.layouts.before == layouts.before; };
    if (std::ranges::none_of(all, is_same)) all.push_back({description, layouts});
  };
  for (const ReshapeLayouts& layouts : dealt_reshapes(from, shape)) add("dealt to another dimension", layouts);
  if (from.layout().pending().empty() && is_cut_evenly(from)) {
    for (const ReshapeLayouts& layouts : shifted_reshapes(from, shape))
      add("shifted beside the ends of tiles", layouts);
  }
  if (all.empty() || synth::array_bytes(from) <= kGatheredBytesMax) add("gathered", kept);
  if (!want.fits(shape.size(), from.mesh())) return all;
  if (const auto wanted = reshape_into(from, shape, want.layout->splits())) add("as the annotation wants", *wanted);
  return all;
}

}  // namespace

std::optional<ShapeRules::Reshaped> ShapeRules::reshape_types(const Type& from, const Shape& shape,
                                                              const ReshapeLayouts& layouts) const {
  const auto& own = from.layout();
  auto before = reports_.make_type(span_, from.element(), from.shape(), from.mesh_ref(), layouts.before, own.pending(),
                                   own.reduce());
  auto after =
      reports_.make_type(span_, from.element(), shape, from.mesh_ref(), layouts.after, own.pending(), own.reduce());
  if (!before.has_value() || !after.has_value()) return std::nullopt;
  return Reshaped{std::move(*before), std::move(*after)};
}

std::optional<ShiftedReshape> shifted_reshape(const ArrayType& from, const ArrayType& to) {
  const auto extents = longer_reshape(from, to);
  if (!extents.has_value()) return std::nullopt;
  auto longer = ArrayType::make(from.element(), extents->before, from.mesh_ref(), from.layout());
  auto reshaped = ArrayType::make(to.element(), extents->after, to.mesh_ref(), to.layout());
  if (!longer.ok() || !reshaped.ok()) return std::nullopt;
  ShiftedReshape shifted{std::move(longer).value(), std::move(reshaped).value()};
  shifted.lengthen.has_base = true;
  if (shifted.longer.shape() != from.shape())
    shifted.lengthen.parts = {synth::Part{1, std::vector<synth::Placement>(from.rank())}};
  if (shifted.reshaped.shape() != to.shape())
    shifted.cut.parts = {synth::Part{0, std::vector<synth::Placement>(to.rank())}};
  return shifted;
}

// What the change before it takes, what moves inside, and the change to the wanted layout.
std::optional<Alternative> ShapeRules::price_of_reshape(const ArrayType& from, const Reshaped& types,
                                                        const Want& want) const {
  auto price = price_of_change(plans_, from, types.before, span_, {});
  const auto rest = price.has_value() ? price_of_change(plans_, types.after, types.after, span_, want) : price;
  const auto machine = synth::machine_for(plans_.machine(), from.mesh().devices_end());
  if (!rest.has_value() || !machine.ok()) return std::nullopt;
  if (const auto shifted = shifted_reshape(types.before, types.after)) {
    const std::vector<ArrayType> padded = {shifted->longer, types.before};
    const std::vector<ArrayType> cut = {shifted->reshaped};
    const synth::FetchedParts first = fetched_parts(shifted->lengthen, padded, shifted->longer, *machine);
    const synth::FetchedParts second = fetched_parts(shifted->cut, cut, types.after, *machine);
    const std::int64_t middle = synth::tile_bytes_max(shifted->longer);
    Alternative moved;
    moved.received_bytes = first.received_bytes + second.received_bytes;
    moved.seconds = first.seconds + second.seconds;
    moved.peak_bytes = middle + std::max(synth::tile_bytes_max(types.before), synth::tile_bytes_max(types.after));
    add_price(*price, moved);
  }
  add_price(*price, *rest);
  return price;
}

std::optional<ArrayType> ShapeRules::reshaped(const ArrayType& from, const Shape& shape, const Want& want,
                                              NodeLayouts& layouts) const {
  const ReshapeLayouts kept = reshape_layouts(from, shape);
  Reason why{Reason::Asker::operation, who_, span_, {}, {}};
  std::optional<Reshaped> chosen;
  std::size_t best = 0;
  const bool stays = kept.before == from.layout().splits() || synth::elements(from.shape()) == 0;
  if (stays) chosen = reshape_types(from, shape, kept);
  const std::vector<ReshapeWay> ways = stays ? std::vector<ReshapeWay>() : reshape_ways(from, shape, want);
  for (const ReshapeWay& own : ways) {
    auto types = reshape_types(from, shape, own.layouts);
    auto price = types.has_value() ? price_of_reshape(from, *types, want) : std::nullopt;
    if (!price.has_value()) return std::nullopt;
    price->description = own.description;
    why.compared.push_back(std::move(*price));
    if (chosen.has_value() && !cheaper(why.compared.back(), why.compared[best])) continue;
    best = why.compared.size() - 1;
    chosen = std::move(types);
  }
  if (!chosen.has_value()) return std::nullopt;
  if (!ways.empty()) why.compared[best].chosen = true;
  const bool is_shifted = shifted_reshape(chosen->before, chosen->after).has_value();
  layouts.compared = is_shifted ? why.compared : std::vector<Alternative>();
  Greedy::change(layouts.uses.at(0), from, chosen->before, std::move(why));
  // An array that was brought to this layout may be gathered for less than it is shifted, though not from where it was.
  if (is_shifted && chosen->before.layout() != from.layout()) return reshaped(chosen->before, shape, want, layouts);
  return chosen->after;
}

std::optional<ArrayType> ShapeRules::dropped(const ArrayType& from, const std::vector<std::size_t>& dimensions,
                                             Changes& way) const {
  if (dimensions.empty()) return from;
  const auto all = Dealing(plans_, reports_, who_, span_).whole(from, dimensions, {}, way);
  if (!all.has_value()) return std::nullopt;
  Shape shape;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < all->rank(); ++d) {
    if (std::ranges::find(dimensions, d) != dimensions.end()) continue;
    shape.push_back(all->shape()[d]);
    splits.push_back(all->layout().split(d));
  }
  return reports_.make_type(span_, all->element(), shape, all->mesh_ref(), std::move(splits), all->layout().pending(),
                            all->layout().reduce());
}

std::optional<ArrayType> ShapeRules::unsqueezed(const ArrayType& from,
                                                const std::vector<std::size_t>& dimensions) const {
  Shape shape = from.shape();
  std::vector<AxisList> splits = from.layout().splits();
  for (const std::size_t d : dimensions) {
    shape.insert(d, 1);
    splits.insert(splits.begin() + static_cast<std::ptrdiff_t>(d), AxisList{});
  }
  return reports_.make_type(span_, from.element(), shape, from.mesh_ref(), std::move(splits), from.layout().pending(),
                            from.layout().reduce());
}

std::optional<ArrayType> ShapeRules::padded(const ArrayType& from,
                                            const std::vector<std::pair<std::int64_t, std::int64_t>>& widths) const {
  Shape shape;
  for (std::size_t d = 0; d < from.rank(); ++d) {
    std::int64_t extent = from.shape()[d];
    if (__builtin_add_overflow(extent, widths[d].first + widths[d].second, &extent)) extent = -1;
    shape.push_back(extent);
  }
  return reports_.make_type(span_, from.element(), shape, from.mesh_ref(), from.layout().splits());
}

std::optional<ArrayType> ShapeRules::sliced(const ArrayType& from, const std::vector<open::Selected>& taken) const {
  Shape shape;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < taken.size(); ++d) {
    shape.push_back(taken[d].length);
    splits.push_back(taken[d].single ? AxisList{} : from.layout().split(d));
  }
  return reports_.make_type(span_, from.element(), shape, from.mesh_ref(), std::move(splits), from.layout().pending(),
                            from.layout().reduce());
}

}  // namespace tessera::typeck
