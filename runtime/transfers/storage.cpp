#include "runtime/transfers/storage.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/memory/known_scalars.hpp"
#include "runtime/memory/window_edges.hpp"

namespace tessera::runtime {

using Where = RegisterPlan::Where;

Storage::Storage(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, Team& team, Parts parts,
                 const std::vector<Value>& inputs, Engine& engine)
    : program_(program),
      tiles_(tiles),
      team_(team),
      parts_(std::move(parts)),
      inputs_(inputs),
      engine_(engine),
      known_(known_scalars(program)) {
  for (std::int64_t device = 0; device < tiles.devices(); ++device) memory_.push_back(parts_.part(device));
  for (const RegisterPlan& entry : plan.registers)
    places_.push_back({entry.where, entry.source, &entry.begin, entry.offset, 0, nullptr, entry.edges.get()});
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const RegisterPlan& entry = plan.registers[k];
    if (entry.moves) places_[k].begin = places_[k].moving = &moving_.emplace_back(entry.begin);
    places_[k].is_line = entry.where == Where::reshape && !entry.dense;
  }
  for (std::size_t k = 0; k < program.inputs.size(); ++k) places_[program.inputs[k].value].input = k;
}

TileView Storage::view(synth::RegisterId id, std::size_t device) const {
  TileView view = own_view(id, device);
  lead_to_copy(view);
  return view;
}

void Storage::lead_to_copy(TileView& view) const {
  if (copies_ != nullptr && !is_empty(view.shape)) view.data = copies_->host(view.data);
}

TileView Storage::box_of(synth::RegisterId id, std::size_t device, const synth::Box& box) const {
  TileView view = own_box(id, device, box);
  lead_to_copy(view);
  return view;
}

TileView Storage::own_box(synth::RegisterId id, std::size_t device, const synth::Box& box) const {
  const Place& place = places_[id.value];
  const synth::Shape shape = synth::shape_of(box);
  if (is_empty(shape)) return dense_view(type(id).element(), shape, part(id, device));
  if (place.edges == nullptr) return part_of(own_view(id, device), begin_in(box, tiles(id).boxes[device]), shape);
  if (place.edges->is_inside(device, box)) return slice(id, device, box);
  const EdgeSlab& slab = place.edges->slab_of(device, box);
  const std::byte* const data = part(id, device) + place.offset + slab.offset;
  return part_of(dense_view(type(id).element(), synth::shape_of(slab.box), data), begin_in(box, slab.box), shape);
}

const std::byte* Storage::data(synth::RegisterId id, std::size_t device) const {
  const Place& place = places_[id.value];
  if (copies_ != nullptr) return view(id, device).data;
  if (place.kept != nullptr) return place.kept;
  return place.where == Where::arena ? part(id, device) + place.offset : own_view(id, device).data;
}

std::pair<const std::byte*, std::int64_t> Storage::home(synth::RegisterId id, std::size_t device) const {
  const auto is_view = [](Where where) {
    return where == Where::slice || where == Where::reshape || where == Where::part;
  };
  while (is_view(places_[id.value].where)) id = places_[id.value].source;
  const Where where = places_[id.value].where;
  if (where != Where::arena && where != Where::input) return {nullptr, 0};
  return {own_view(id, device).data, tiles(id).bytes[device]};
}

std::optional<synth::LiteralId> Storage::frame(synth::RegisterId id) const {
  const WindowEdges* const edges = places_[id.value].edges;
  return edges == nullptr ? std::nullopt : edges->frame;
}

std::pair<const std::byte*, std::int64_t> Storage::home_of_edges(synth::RegisterId id, std::size_t device) const {
  const Place& place = places_[id.value];
  if (place.edges == nullptr) return {nullptr, 0};
  return {part(id, device) + place.offset, place.edges->memory.bytes[device]};
}

TileView Storage::own_view(synth::RegisterId id, std::size_t device) const {
  const Place& place = places_[id.value];
  if (place.kept != nullptr) return dense(id, device, place.kept);
  switch (place.where) {
    case Where::input: return dense(id, device, inputs_[place.input].tile(static_cast<std::int64_t>(device)).data());
    case Where::arena: return dense(id, device, part(id, device) + place.offset);
    case Where::reshape:
      if (place.is_line) return line(id, device);
      return dense(id, device, own_view(place.source, device).data);
    case Where::slice:
    case Where::part:
      TESSERA_CHECK(place.edges == nullptr || place.edges->memory.bytes[device] == 0,
                    "a window with edges is read whole");
      return slice(id, device, tiles(id).boxes[device]);
    case Where::blocks:
    case Where::nowhere: break;
  }
  throw base::InternalError("a register is read that no step has written");
}

TileView Storage::slice(synth::RegisterId id, std::size_t device, const synth::Box& box) const {
  const Place& place = places_[id.value];
  const synth::Shape shape = synth::shape_of(box);
  const synth::Box& around = tiles(place.source).boxes[device];
  const bool is_window = place.begin != nullptr && !place.begin->empty();
  synth::Shape begin(box.size(), std::int64_t{0});
  for (std::size_t d = 0; d < box.size() && !is_empty(shape); ++d)
    begin[d] = box[d].begin - around[d].begin + (is_window ? (*place.begin)[d] : 0);
  return part_of(own_view(place.source, device), begin, shape);
}

// Dimensions of one element come or go; the others lie as they lay.
TileView Storage::line(synth::RegisterId id, std::size_t device) const {
  const synth::RegisterId source = places_[id.value].source;
  const synth::Shape& shape = type(id).shape();
  const synth::Shape& other = type(source).shape();
  const TileView from = own_view(source, device);
  TileView view{from.element, synth::shape_of(tiles(id).boxes[device]), synth::Shape(shape.size(), std::int64_t{0}),
                from.data};
  std::size_t next = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    while (other[next] == 1) ++next;
    view.strides[d] = from.strides[next++];
  }
  return view;
}

TileView Storage::dense(synth::RegisterId id, std::size_t device, const std::byte* data) const {
  const TileMap& map = tiles(id);
  if (map.views.empty()) return dense_view(type(id).element(), synth::shape_of(map.boxes[device]), data);
  TileView view = map.views[device];
  view.data = data;
  return view;
}

TileOut Storage::out(synth::RegisterId id, std::size_t device) const {
  const Place& place = places_[id.value];
  TESSERA_CHECK(place.where == Where::arena || place.edges != nullptr, "a register is written that has no place");
  const TileMap& map = place.edges == nullptr ? tiles(id) : place.edges->memory;
  const bool is_elsewhere = copies_ != nullptr && map.bytes[device] > 0;
  std::byte* const data = is_elsewhere ? room(id, device, place.offset) : part(id, device) + place.offset;
  if (map.views.empty()) return {type(id).element(), synth::shape_of(map.boxes[device]), data};
  return {map.views[device].element, map.views[device].shape, data};
}

std::pair<TileOut, synth::Box> Storage::out_around(synth::RegisterId id, std::size_t device,
                                                   const synth::Box& box) const {
  const WindowEdges* const edges = places_[id.value].edges;
  TileOut tile = out(id, device);
  if (edges == nullptr) return {tile, tiles(id).boxes[device]};
  const EdgeSlab& slab = edges->slab_of(device, box);
  return {TileOut{tile.element, synth::shape_of(slab.box), tile.data + slab.offset}, slab.box};
}

const std::vector<synth::Box>& Storage::boxes(synth::RegisterId id) const {
  return is_part(id) && edges(id) != nullptr ? edges(id)->outside : tiles(id).boxes;
}

std::vector<TileView> Storage::views(synth::RegisterId id) const {
  std::vector<TileView> views;
  views.reserve(tiles(id).boxes.size());
  const bool are_edges = is_part(id) && edges(id) != nullptr;
  for (std::size_t device = 0; device < tiles(id).boxes.size(); ++device) {
    if (is_far(id, device))
      views.push_back({type(id).element(), {}, {}, nullptr});
    else
      views.push_back(are_edges ? box_of(id, device, edges(id)->outside[device]) : view(id, device));
  }
  return views;
}

base::Status Storage::read_scalar(synth::RegisterId id, std::span<std::byte> value) const {
  const Block mine = block(id);
  if (!mine.empty()) {
    const TileView tile = own_view(id, static_cast<std::size_t>(mine.begin));
    if (engine_.is_host())
      std::copy_n(tile.data, value.size(), value.begin());
    else
      TESSERA_TRY_STATUS(engine_.read(tile, {tile.element, {}, value.data()}));
  }
  if (known_[id.value]) {
    if (mine.empty()) std::copy_n(scalars_.at(id.value).begin(), value.size(), value.begin());
    return base::Done{};
  }
  std::vector<int> without;
  for (int rank = 0; rank < team_.size(); ++rank) {
    if (ranks().block(rank, type(id).mesh()).empty()) without.push_back(rank);
  }
  return team_.send(owner(id, 0), without, value);
}

Distributed Storage::array(synth::RegisterId id) const {
  return {type(id), ranks(), boxes(id), views(id), engine().is_host() ? nullptr : &engine()};
}

void Storage::move_to(synth::RegisterId id, std::int64_t offset) {
  places_[id.value] = {Where::arena, {}, nullptr, offset, 0, nullptr};
}

void Storage::alias(synth::RegisterId id, synth::RegisterId other) {
  places_[id.value] = {Where::slice, other, nullptr, 0, 0, nullptr};
}

}  // namespace tessera::runtime
