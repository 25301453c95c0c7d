#include "runtime/values/value.hpp"

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/ranks/whole.hpp"
#include "runtime/text/format.hpp"
#include "runtime/values/distributed.hpp"

namespace tessera::runtime {

Value::Value(synth::ArrayType type, std::shared_ptr<const Arena> arena, std::vector<const std::byte*> tiles,
             std::shared_ptr<Team> team, std::optional<DeviceRanks> ranks)
    : type_(std::move(type)),
      arena_(std::move(arena)),
      tiles_(std::move(tiles)),
      team_(std::move(team)),
      ranks_(ranks.value_or(DeviceRanks(1, type_.mesh().devices_end()))) {
  TESSERA_CHECK(static_cast<std::int64_t>(tiles_.size()) == type_.devices(),
                "a value has not one tile for each device");
}

bool Value::has_device(std::int64_t device) const {
  return team_ == nullptr || ranks_.owner(type_.mesh(), device) == team_->rank();
}

Value Value::dealt(const DeviceRanks& ranks) const {
  Value value = *this;
  value.ranks_ = ranks;
  return value;
}

std::span<const std::byte> Value::tile(std::int64_t device) const {
  TESSERA_CHECK(device >= 0 && device < type_.devices(), "a value has no such device");
  return {tiles_[static_cast<std::size_t>(device)], static_cast<std::size_t>(synth::tile_bytes(type_, device))};
}

Distributed distributed(const Value& value) {
  Distributed array{value.type(), value.ranks(), {}, {}};
  for (std::int64_t device = 0; device < value.type().devices(); ++device) {
    array.boxes.push_back(synth::tile(value.type(), device));
    const synth::Shape shape = synth::shape_of(array.boxes.back());
    array.tiles.push_back(dense_view(value.type().element(), shape, value.tile(device).data()));
  }
  return array;
}

base::Result<synth::Literal> gather(const Value& value) {
  Team alone;
  return gather(value.team() == nullptr ? alone : *value.team(), Readers::all, distributed(value));
}

base::Result<std::string> format_value(const Value& value) {
  Team alone;
  return value_text(value.team() == nullptr ? alone : *value.team(), Readers::all, distributed(value));
}

base::Result<std::string> format_show(const Value& value, std::string_view label, int columns) {
  Team alone;
  return show_text(value.team() == nullptr ? alone : *value.team(), Readers::all, distributed(value), label, columns);
}

base::Result<Value> scatter(const synth::Literal& array, const synth::ArrayType& type) {
  return base::guarded([&]() -> base::Result<Value> {
    TESSERA_CHECK(array.element == type.element() && array.shape == type.shape(),
                  "an array is scattered to another type");
    const TileMap map = make_tile_map(type);
    TESSERA_TRY(arena, Arena::reserve(map.bytes));
    const TileView whole = dense_view(array.element, array.shape, array.bytes.data());
    std::vector<const std::byte*> tiles;
    for (std::size_t device = 0; device < map.boxes.size(); ++device) {
      synth::Shape begin;
      for (const synth::Interval& interval : map.boxes[device]) begin.push_back(interval.begin);
      const TileOut out{type.element(), synth::shape_of(map.boxes[device]), arena->part(device)};
      const auto number = static_cast<std::int64_t>(device);
      const bool keeps = synth::position(type.mesh(), type.layout().pending(), number) == 0;
      if (keeps)
        copy_elements(part_of(whole, begin, out.shape), out);
      else
        fill_identity(type.layout().reduce(), out);
      tiles.push_back(out.data);
    }
    return Value(type, arena, std::move(tiles));
  });
}

}  // namespace tessera::runtime
