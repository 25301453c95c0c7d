#include "runtime/values/value.hpp"

#include <mutex>

#include "base/check.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/memory/bytes.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/ranks/whole.hpp"
#include "runtime/text/format.hpp"

namespace tessera::runtime {

// Whoever wants a copy while another makes it waits.
struct Value::Elsewhere {
  std::mutex mutex;
  std::optional<Value> host;
  std::weak_ptr<Engine> engine;  // that has the copy
  std::optional<Value> far;
};

Value::Value(synth::ArrayType type, std::shared_ptr<const Arena> arena, std::vector<const std::byte*> tiles,
             std::shared_ptr<Team> team, std::optional<DeviceRanks> ranks)
    : type_(std::move(type)),
      arena_(std::move(arena)),
      tiles_(std::move(tiles)),
      team_(std::move(team)),
      ranks_(ranks.value_or(DeviceRanks(1, type_.mesh().devices_end()))),
      elsewhere_(std::make_shared<Elsewhere>()) {
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

std::shared_ptr<Engine> Value::engine() const {
  return arena_ == nullptr || arena_->pool() == nullptr ? nullptr : arena_->pool()->engine();
}

namespace {

// Where a tile lies in memory for them alone.
struct CopyPlace {
  std::size_t part = 0;
  std::int64_t begin = 0;
};
struct CopyPlaces {
  std::vector<CopyPlace> tiles;     // of every device
  std::vector<std::int64_t> bytes;  // of every part
};

int place_of_device(const Value& value, std::int64_t device, int places) {
  return value.ranks().place(value.type().mesh().run_device(device), places);
}

CopyPlaces copy_places(const Value& value, std::size_t places) {
  CopyPlaces all{{}, std::vector<std::int64_t>(places, 0)};
  for (std::int64_t device = 0; device < value.type().devices(); ++device) {
    const bool is_here = value.has_device(device);
    const int place = is_here && places > 1 ? place_of_device(value, device, static_cast<int>(places)) : 0;
    const auto part = static_cast<std::size_t>(place);
    all.tiles.push_back({part, all.bytes[part]});
    if (is_here) all.bytes[part] = add_bytes(all.bytes[part], aligned(synth::tile_bytes(value.type(), device)));
  }
  return all;
}

// `move` brings a dense tile to its place in the copy.
template <class Move>
base::Result<Value> copy_of(const Value& value, const std::vector<std::shared_ptr<Pool>>& pools, const Move& move) {
  const CopyPlaces places = copy_places(value, pools.size());
  TESSERA_TRY(arena, Arena::reserve(places.bytes, pools));
  std::vector<const std::byte*> tiles;
  for (std::int64_t device = 0; device < value.type().devices(); ++device) {
    const bool is_here = value.has_device(device);
    const CopyPlace at = places.tiles[static_cast<std::size_t>(device)];
    std::byte* const place = is_here ? arena->part(at.part) + at.begin : nullptr;
    tiles.push_back(place);
    const synth::Shape shape = synth::shape_of(synth::tile(value.type(), device));
    if (!is_here || is_empty(shape)) continue;
    const TileView from = dense_view(value.type().element(), shape, value.tile(device).data());
    TESSERA_TRY_STATUS(move(from, TileOut{from.element, shape, place}));
  }
  return Value(value.type(), arena, std::move(tiles), value.team(), value.ranks());
}

}  // namespace

base::Result<Value> Value::on_host() const {
  const std::shared_ptr<Engine> own = engine();
  if (own == nullptr) return *this;
  const std::scoped_lock lock(elsewhere_->mutex);
  if (!elsewhere_->host) {
    const auto read = [&](const TileView& from, const TileOut& to) { return own->read(from, to); };
    TESSERA_TRY(copy, copy_of(*this, {nullptr}, read));
    elsewhere_->host = std::move(copy);
  }
  return elsewhere_->host->dealt(ranks_);
}

// Are its tiles at the places that its devices have now? A run with more devices deals them anew.
bool Value::lies_on(const Engine& engine) const {
  if (engine.places() == 1) return true;
  for (std::int64_t device = 0; device < type_.devices(); ++device) {
    const std::span<const std::byte> mine = tile(device);
    if (!has_device(device) || mine.empty()) continue;
    if (engine.place_of(mine.data()) != place_of_device(*this, device, engine.places())) return false;
  }
  return true;
}

base::Result<Value> Value::on(const std::shared_ptr<Engine>& other) const {
  if (other == nullptr || other->is_host()) return on_host();
  const bool is_there = engine() == other;
  if (is_there && lies_on(*other)) return *this;
  std::optional<Value> from = *this;
  if (!is_there) {
    TESSERA_TRY(host, on_host());
    from = std::move(host);
  }
  const std::scoped_lock lock(elsewhere_->mutex);
  const bool is_known = elsewhere_->far && elsewhere_->engine.lock() == other;
  if (!is_known || !elsewhere_->far->dealt(ranks_).lies_on(*other)) {
    const auto bring = [&](const TileView& view, const TileOut& to) {
      const BoxMove move{view, {dense_strides(to.shape), to.data}};
      return is_there ? other->copy({1, [&](std::int64_t) { return move; }}) : other->write(view, move.to);
    };
    elsewhere_->far.reset();
    TESSERA_TRY(copy, copy_of(*from, pools_of(*other), bring));
    elsewhere_->far = std::move(copy);
    elsewhere_->engine = other;
  }
  return elsewhere_->far->dealt(ranks_);
}

Distributed distributed(const Value& value) {
  Distributed array{value.type(), value.ranks(), {}, {}, value.engine().get()};
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
