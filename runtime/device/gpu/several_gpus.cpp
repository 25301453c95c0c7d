#include "runtime/device/gpu/several_gpus.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "runtime/device/gpu/borrowed_memory.hpp"
#include "runtime/device/gpu/complex_sums.hpp"
#include "runtime/device/gpu/cut_boxes.hpp"

namespace tessera::device {

namespace {

using runtime::BoxMove;
using runtime::BoxSum;
using runtime::ChainStep;
using runtime::ItemList;
using runtime::LocalStep;
using runtime::TileOut;

bool has_devices(const runtime::Tiles& tiles, const synth::Apply& apply) {
  return apply.results.empty() || !tiles.block(apply.results[0]).empty();
}
bool has_devices(const ShareTiles& tiles, const ChainStep& chain) {
  return std::any_of(chain.steps.begin(), chain.steps.end(),
                     [&](const synth::Step& step) { return has_devices(tiles, std::get<synth::Apply>(step.node)); });
}
bool has_devices(const ShareTiles& tiles, const LocalStep& step) { return has_devices(tiles, step.apply); }

LocalStep part_of(const LocalStep& step, const ShareTiles& tiles) {
  return {step.program, tiles, step.apply, step.beside, step.starts, step.times, step.origin, step.ordered_products};
}
ChainStep part_of(const ChainStep& chain, const ShareTiles& tiles) {
  return {chain.steps, chain.lead, chain.plan, tiles};
}

// `act(place, its part of the step)`, for every place that has devices, as long as it says yes.
template <class Step, class F>
void for_each_share(const std::vector<ShareTiles>& shares, const Step& step, const F& act) {
  for (std::size_t place = 0; place < shares.size(); ++place) {
    if (has_devices(shares[place], step) && !act(place, part_of(step, shares[place]))) return;
  }
}

std::vector<ShareTiles> shares_of(const runtime::Tiles& tiles, std::size_t places) {
  std::vector<ShareTiles> shares;
  for (std::size_t place = 0; place < places; ++place)
    shares.emplace_back(tiles, runtime::Share{static_cast<int>(place), static_cast<int>(places)});
  return shares;
}

template <class Step>
bool all_take(const std::vector<std::shared_ptr<GpuEngine>>& places, const Step& step) {
  bool takes = true;
  for_each_share(shares_of(step.tiles, places.size()), step, [&](std::size_t place, const Step& part) {
    takes = places[place]->takes(part);
    return takes;
  });
  return takes;
}
template <class Step>
base::Status taken_by_all(const std::vector<std::shared_ptr<GpuEngine>>& places, const std::vector<ShareTiles>& shares,
                          const Step& step) {
  base::Status status = base::Done{};
  for_each_share(shares, step, [&](std::size_t place, const Step& part) {
    status = places[place]->take(part);
    return status.ok();
  });
  return status;
}

template <class Step>
std::vector<runtime::Room> room_of_all(const std::vector<std::shared_ptr<GpuEngine>>& places, const Step& step) {
  std::vector<runtime::Room> rooms(places.size());
  for_each_share(shares_of(step.tiles, places.size()), step, [&](std::size_t place, const Step& part) {
    rooms[place] = places[place]->room_of(part).front();
    return true;
  });
  return rooms;
}

template <class Item>
struct ListOf {
  std::vector<Item> items;
  Item operator()(std::int64_t i) const { return items[static_cast<std::size_t>(i)]; }
  ItemList<Item> list() const { return {static_cast<std::int64_t>(items.size()), *this}; }
};

}  // namespace

base::Status SeveralGpus::begin() { return links_.begin(); }

std::shared_ptr<runtime::Pool> SeveralGpus::pool(int place) {
  return std::make_shared<GpuPool>(shared_from_this(), places_[static_cast<std::size_t>(place)]->place().memory);
}
std::int64_t SeveralGpus::memory_bytes_max(int place) const {
  return places_[static_cast<std::size_t>(place)]->memory_bytes_max(0);
}
std::string SeveralGpus::name(int place) const { return places_[static_cast<std::size_t>(place)]->name(0); }
bool SeveralGpus::is_lost(int place) const { return places_[static_cast<std::size_t>(place)]->is_lost(0); }
int SeveralGpus::gpu(int place) const { return places_[static_cast<std::size_t>(place)]->gpu(0); }
void* SeveralGpus::stream(int place) const { return places_[static_cast<std::size_t>(place)]->stream(0); }
std::shared_ptr<runtime::Pool> SeveralGpus::borrowed(int place, const std::byte* begin, std::int64_t bytes,
                                                     std::shared_ptr<const void> keep) {
  GpuPlace& there = places_[static_cast<std::size_t>(place)]->place();
  return std::make_shared<BorrowedMemory>(shared_from_this(), there, begin, bytes, std::move(keep));
}
int SeveralGpus::place_of(const std::byte* memory) const { return static_cast<int>(at(memory)); }

std::size_t SeveralGpus::at(const std::byte* memory) const {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (places_[place]->place().memory.holds(address_at(memory))) return place;
  }
  throw base::InternalError("an address is in no GPU's memory");
}

// Failures that are found later belong to the step that was asked for first, whatever GPU finds its own first.
void SeveralGpus::next_step() {
  ++order_;
  for (const auto& place : places_) place->place().launcher.set_order(order_);
}

base::Status SeveralGpus::settled(base::Status status) {
  if (status.ok()) return status;
  std::optional<FoundFault> first;
  for (const auto& place : places_) {
    if (!place->is_lost(0)) static_cast<void>(place->act([](GpuLauncher& launcher) { return launcher.wait(); }));
    auto found = place->place().launcher.take_found();
    if (found && (!first || found->order < first->order)) first = std::move(found);
  }
  return first ? base::Status(std::move(first->why)) : std::move(status);
}

// What is said of a failure that is found later is of these tiles.
const std::vector<ShareTiles>& SeveralGpus::kept_shares(const runtime::Tiles& tiles) {
  std::vector<ShareTiles>& shares = shares_[&tiles];
  if (shares.empty()) shares = shares_of(tiles, places_.size());
  return shares;
}

bool SeveralGpus::takes(const LocalStep& step) const { return all_take(places_, step); }
bool SeveralGpus::takes(const ChainStep& chain) const { return all_take(places_, chain); }
base::Status SeveralGpus::take(const LocalStep& step) {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  next_step();
  return settled(taken_by_all(places_, kept_shares(step.tiles), step));
}
base::Status SeveralGpus::take(const ChainStep& chain) {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  next_step();
  return settled(taken_by_all(places_, kept_shares(chain.tiles), chain));
}

std::vector<runtime::Room> SeveralGpus::room_of(const LocalStep& step) { return room_of_all(places_, step); }
std::vector<runtime::Room> SeveralGpus::room_of(const ChainStep& chain) { return room_of_all(places_, chain); }
base::Status SeveralGpus::make_room(int place, const runtime::Room& room) {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  return settled(places_[static_cast<std::size_t>(place)]->make_room(0, room));
}
void SeveralGpus::leave_room() {
  for (const auto& place : places_) place->leave_room();
}

template <class F>
base::Status SeveralGpus::in_order(const std::vector<std::vector<bool>>& reads, const F& act) {
  const auto for_each_pair = [&](const auto& follow) -> base::Status {
    for (std::size_t place = 0; place < reads.size(); ++place) {
      for (std::size_t other = 0; other < reads.size(); ++other) {
        if (place != other && reads[place][other]) TESSERA_TRY_STATUS(follow(place, other));
      }
    }
    return base::Done{};
  };
  TESSERA_TRY_STATUS(for_each_pair([&](std::size_t place, std::size_t other) { return links_.follow(place, other); }));
  TESSERA_TRY_STATUS(act());
  return for_each_pair([&](std::size_t place, std::size_t other) { return links_.follow(other, place); });
}

base::Status SeveralGpus::copy(const ItemList<BoxMove>& moves, const runtime::ListHints& hints) {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  next_step();
  const std::size_t count = places_.size();
  std::vector<ListOf<BoxMove>> near(count);              // by the place they go to
  std::vector<std::vector<BoxMove>> far(count * count);  // and the one they come from
  std::vector<std::vector<bool>> reads(count, std::vector<bool>(count, false));
  for (std::int64_t i = 0; i < moves.size(); ++i) {
    BoxMove move = moves.at(i);
    if (runtime::is_empty(move.from.shape)) continue;
    const std::size_t to = at(move.to.data);
    const std::size_t from = at(move.from.data);
    if (links_.reaches(to, from)) {
      reads[to][from] = true;
      near[to].items.push_back(std::move(move));
    } else {
      far[to * count + from].push_back(std::move(move));
    }
  }
  const auto copied = [&]() -> base::Status {
    for (std::size_t to = 0; to < count; ++to) {
      if (!near[to].items.empty()) TESSERA_TRY_STATUS(places_[to]->copy(near[to].list(), hints));
    }
    return base::Done{};
  };
  TESSERA_TRY_STATUS(settled(in_order(reads, copied)));
  for (std::size_t pair = 0; pair < far.size(); ++pair) {
    if (!far[pair].empty()) TESSERA_TRY_STATUS(settled(links_.copy(pair / count, pair % count, far[pair])));
  }
  return base::Done{};
}

base::Status SeveralGpus::combine(synth::ReduceOp op, const ItemList<BoxSum>& sums) {
  if (are_complex(sums)) return in_parts(sums, [&](const auto& parts) { return combine(op, parts); });
  const std::scoped_lock lock(*places_.front()->place().mutex);
  next_step();
  const std::size_t count = places_.size();
  std::vector<ListOf<BoxSum>> near(count);
  std::vector<std::vector<BoxSum>> far(count);
  std::vector<std::vector<bool>> reads(count, std::vector<bool>(count, false));
  for (std::int64_t i = 0; i < sums.size(); ++i) {
    BoxSum sum = sums.at(i);
    if (runtime::is_empty(sum.parts.front().shape)) continue;
    const std::size_t to = at(sum.to.data);
    std::vector<bool> from(count, false);
    for (const runtime::TileView& part : sum.parts) from[at(part.data)] = true;
    bool reaches = true;
    for (std::size_t other = 0; other < count; ++other)
      reaches = reaches && (!from[other] || links_.reaches(to, other));
    if (reaches) {
      for (std::size_t other = 0; other < count; ++other) reads[to][other] = reads[to][other] || from[other];
      near[to].items.push_back(std::move(sum));
    } else {
      far[to].push_back(std::move(sum));
    }
  }
  const auto combined = [&]() -> base::Status {
    for (std::size_t to = 0; to < count; ++to) {
      if (!near[to].items.empty()) TESSERA_TRY_STATUS(places_[to]->combine(op, near[to].list()));
    }
    return base::Done{};
  };
  TESSERA_TRY_STATUS(settled(in_order(reads, combined)));
  for (std::size_t to = 0; to < count; ++to) {
    if (far[to].empty()) continue;
    const auto place_of = [&](const std::byte* memory) { return at(memory); };
    TESSERA_TRY_STATUS(settled(links_.combine(to, op, far[to], place_of)));
  }
  return base::Done{};
}

template <class F>
base::Status SeveralGpus::on_tiles(const ItemList<TileOut>& tiles, const F& act) {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  next_step();
  std::vector<ListOf<TileOut>> lists(places_.size());
  for (std::int64_t i = 0; i < tiles.size(); ++i) {
    TileOut tile = tiles.at(i);
    if (runtime::is_empty(tile.shape)) continue;
    const std::size_t place = at(tile.data);
    lists[place].items.push_back(std::move(tile));
  }
  for (std::size_t place = 0; place < lists.size(); ++place) {
    if (!lists[place].items.empty()) TESSERA_TRY_STATUS(settled(act(*places_[place], lists[place].list())));
  }
  return base::Done{};
}

base::Status SeveralGpus::fill_identity(synth::ReduceOp op, const ItemList<TileOut>& tiles) {
  return on_tiles(tiles, [&](GpuEngine& gpu, const ItemList<TileOut>& its) { return gpu.fill_identity(op, its); });
}
base::Status SeveralGpus::fill(const ItemList<TileOut>& tiles, std::span<const std::byte> element) {
  return on_tiles(tiles, [&](GpuEngine& gpu, const ItemList<TileOut>& its) { return gpu.fill(its, element); });
}
base::Status SeveralGpus::write_index(const ItemList<TileOut>& tiles, std::int64_t index) {
  return on_tiles(tiles, [&](GpuEngine& gpu, const ItemList<TileOut>& its) { return gpu.write_index(its, index); });
}

base::Status SeveralGpus::write(const runtime::TileView& host, const runtime::TileTarget& to) {
  if (runtime::is_empty(host.shape)) return base::Done{};
  const std::scoped_lock lock(*places_.front()->place().mutex);
  return settled(places_[at(to.data)]->write(host, to));
}

// What any place has failed with before is said now, too: the host is going to show what it reads. A place that is lost
// already has said so.
base::Status SeveralGpus::read(const runtime::TileView& from, const TileOut& host) {
  if (runtime::is_empty(from.shape)) return wait();
  const std::scoped_lock lock(*places_.front()->place().mutex);
  const std::size_t there = at(from.data);
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (place == there || places_[place]->is_lost(0)) continue;
    TESSERA_TRY_STATUS(settled(places_[place]->act([](GpuLauncher& launcher) { return launcher.wait(); })));
  }
  return settled(places_[there]->read(from, host));
}

// All places are marked together, so that a mark has one number.
base::Result<std::int64_t> SeveralGpus::mark() {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  std::int64_t mark = -1;
  for (const auto& place : places_) {
    TESSERA_TRY(made, place->mark());
    mark = made;
  }
  return mark;
}
base::Result<std::vector<double>> SeveralGpus::marked(std::int64_t mark) {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  std::vector<double> seconds;
  for (const auto& place : places_) {
    TESSERA_TRY(known, place->marked(mark));
    seconds.push_back(known.front());
  }
  return seconds;
}

base::Status SeveralGpus::turn_ends() {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  for (const auto& place : places_) TESSERA_TRY_STATUS(settled(place->turn_ends()));
  return base::Done{};
}

base::Status SeveralGpus::wait() {
  const std::scoped_lock lock(*places_.front()->place().mutex);
  base::Status status = base::Done{};
  for (const auto& place : places_) {
    base::Status waited = place->wait();
    if (status.ok()) status = std::move(waited);
  }
  status = settled(std::move(status));
  shares_.clear();
  return status;
}

}  // namespace tessera::device
