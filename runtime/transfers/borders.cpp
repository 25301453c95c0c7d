#include "runtime/transfers/borders.hpp"

#include "base/check.hpp"
#include "runtime/memory/boxes.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::runtime {

namespace {

std::int64_t bytes_of_parcels(const std::map<TileBox, std::set<std::size_t>>& parcels, synth::ElementType element) {
  std::int64_t bytes = 0;
  for (const auto& [parcel, targets] : parcels) bytes += synth::elements(parcel.box) * synth::bytes_of(element);
  return bytes;
}

}  // namespace

Borders::Borders(Team& team, const Storage& storage, const std::vector<Crossing>& crossings)
    : team_(team), storage_(storage) {
  for (const Crossing& crossing : crossings) {
    auto known = routes_.find(crossing.to);
    if (known == routes_.end()) {
      known = routes_.emplace(crossing.to, route_of(crossing.from, crossing.to)).first;
      known->second.passages.resize(crossing.places);
    }
    for (const auto& [rank, parcels] : known->second.incoming)
      expected_[rank].push_back({crossing.to, crossing.microbatch});
  }
}

base::Status Borders::offer() {
  for (auto& [rank, expected] : expected_) {
    while (!expected.empty()) {
      TESSERA_TRY(is_offered, offer_to(rank, expected.front().to, expected.front().microbatch));
      if (!is_offered) break;
      expected.pop_front();
    }
  }
  return base::Done{};
}

// Does another microbatch still have the place?
base::Result<bool> Borders::offer_to(int rank, synth::RegisterId to, std::int64_t microbatch) {
  Route& route = routes_.at(to);
  Passage& passage = passage_of(route, microbatch);
  if (passage.microbatch.value_or(microbatch) != microbatch) return false;
  const std::int64_t bytes = bytes_of_parcels(route.incoming.at(rank), storage_.type(to).element());
  const Incoming incoming{rank, room(passage.incoming, rank, bytes)};
  TESSERA_TRY(number, team_.begin_beside(std::span(&incoming, 1), {}));
  passage.received[rank] = number;
  passage.microbatch = microbatch;
  return true;
}

base::Status Borders::send(synth::RegisterId from, synth::RegisterId to, std::int64_t microbatch) {
  Route& route = routes_.at(to);
  Passage& passage = passage_of(route, microbatch);
  TESSERA_CHECK(passage.received.size() == route.incoming.size(), "a border has no place for another microbatch");
  passage.has_begun = !route.incoming.empty();
  TESSERA_TRY_STATUS(copy_here(route, from, to));
  return begin(route, passage, from);
}

// On both sides boxes are in the order of parcels.
Borders::Route Borders::route_of(synth::RegisterId from, synth::RegisterId to) const {
  Route route;
  const synth::CopyWalk walk(storage_.type(from), storage_.type(to));
  for (std::int32_t target = 0; target < storage_.devices(to); ++target) {
    const int reader = storage_.owner(to, static_cast<std::size_t>(target));
    const auto concerns = [&](std::int32_t source) {
      return reader == team_.rank() || storage_.owner(from, static_cast<std::size_t>(source)) == team_.rank();
    };
    walk.to(target, concerns, [&](const synth::BoxCopy& copy) {
      const auto source = static_cast<std::size_t>(copy.source);
      const int owner = storage_.owner(from, source);
      if (synth::empty(copy.box) || !concerns(copy.source)) return;
      if (owner == reader) return route.here.push_back({source, static_cast<std::size_t>(target), copy.box});
      ByRank& way = reader == team_.rank() ? route.incoming : route.outgoing;
      const int other = reader == team_.rank() ? owner : reader;
      way[other][TileBox{source, copy.box}].insert(static_cast<std::size_t>(target));
    });
  }
  return route;
}

base::Status Borders::copy_here(const Route& route, synth::RegisterId from, synth::RegisterId to) const {
  const auto move = [&](std::int64_t i) -> BoxMove {
    const Copy& copy = route.here[static_cast<std::size_t>(i)];
    const synth::Box& home = storage_.tiles(from).boxes[copy.source];
    return {part_of(storage_.view(from, copy.source), begin_in(copy.box, home), synth::shape_of(copy.box)),
            target_part(storage_.out(to, copy.target), storage_.tiles(to).boxes[copy.target], copy.box)};
  };
  return storage_.engine().copy({std::ssize(route.here), move}, {.grain = std::ssize(route.here)});
}

std::span<std::byte> Borders::room(std::map<int, std::span<std::byte>>& rooms, int rank, std::int64_t bytes) {
  std::span<std::byte>& known = rooms[rank];
  if (known.data() == nullptr) known = team_.lasting_room(bytes);
  return known;
}

base::Status Borders::begin(Route& route, Passage& passage, synth::RegisterId from) {
  if (route.outgoing.empty()) return base::Done{};
  const synth::ElementType element = storage_.type(from).element();
  TESSERA_TRY_STATUS(team_.await_beside(passage.sent));
  std::vector<Outgoing> outgoing;
  for (const auto& [rank, parcels] : route.outgoing) {
    const std::span<std::byte> message = room(passage.outgoing, rank, bytes_of_parcels(parcels, element));
    std::byte* at = message.data();
    for (const auto& [parcel, targets] : parcels) {
      const synth::Shape shape = synth::shape_of(parcel.box);
      const TileView tile = storage_.view(from, parcel.device);
      const TileView part = part_of(tile, begin_in(parcel.box, storage_.tiles(from).boxes[parcel.device]), shape);
      TESSERA_TRY_STATUS(storage_.engine().read(part, TileOut{element, shape, at}));
      at += synth::elements(parcel.box) * synth::bytes_of(element);
    }
    outgoing.push_back({rank, message});
  }
  TESSERA_TRY(number, team_.begin_beside({}, outgoing));
  passage.sent = number;
  return base::Done{};
}

base::Status Borders::take(synth::RegisterId to, std::int64_t microbatch) {
  const auto known = routes_.find(to);
  if (known == routes_.end()) return base::Done{};
  Route& route = known->second;
  Passage& passage = passage_of(route, microbatch);
  if (passage.microbatch != microbatch || !passage.has_begun) return base::Done{};
  const synth::ElementType element = storage_.type(to).element();
  for (const auto& [rank, parcels] : route.incoming) {
    TESSERA_TRY_STATUS(team_.await_beside(passage.received.at(rank)));
    std::byte* at = passage.incoming.at(rank).data();
    for (const auto& [parcel, targets] : parcels) {
      const TileView box = dense_view(element, synth::shape_of(parcel.box), at);
      for (const std::size_t target : targets) {
        const TileTarget place = target_part(storage_.out(to, target), storage_.tiles(to).boxes[target], parcel.box);
        TESSERA_TRY_STATUS(storage_.engine().write(box, place));
      }
      at += synth::elements(parcel.box) * synth::bytes_of(element);
    }
  }
  passage.received.clear();
  passage.microbatch.reset();
  passage.has_begun = false;
  return offer();
}

base::Status Borders::finish() {
  for (const auto& [to, route] : routes_) {
    for (const Passage& passage : route.passages) {
      if (passage.sent > 0) TESSERA_TRY_STATUS(team_.await_beside(passage.sent));
      for (const auto& [rank, number] : passage.received) TESSERA_TRY_STATUS(team_.await_beside(number));
    }
  }
  return base::Done{};
}

}  // namespace tessera::runtime
