#include "runtime/transfers/borders.hpp"

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/memory/boxes.hpp"
#include "synth/collective/moves.hpp"

namespace tessera::runtime {

namespace {

std::int64_t bytes_of_parcels(const std::map<TileBox, std::set<std::size_t>>& parcels, synth::ElementType element) {
  std::int64_t bytes = 0;
  for (const auto& [parcel, targets] : parcels) bytes += synth::elements(parcel.box) * synth::bytes_of(element);
  return bytes;
}

}  // namespace

base::Status Borders::send(synth::RegisterId from, synth::RegisterId to, std::int64_t microbatch, std::size_t places) {
  auto known = routes_.find(to);
  if (known == routes_.end()) {
    known = routes_.emplace(to, route_of(from, to)).first;
    known->second.passages.resize(places);
  }
  Route& route = known->second;
  Passage& passage = route.passages[static_cast<std::size_t>(microbatch) % places];
  TESSERA_CHECK(!passage.microbatch.has_value(), "a border has no place for another microbatch");
  copy_here(route, from, to);
  TESSERA_TRY_STATUS(begin(route, passage, from));
  if (!route.incoming.empty()) passage.microbatch = microbatch;
  return base::Done{};
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

void Borders::copy_here(const Route& route, synth::RegisterId from, synth::RegisterId to) const {
  for (const Copy& copy : route.here) {
    const synth::Box& home = storage_.tiles(from).boxes[copy.source];
    const TileView source =
        part_of(storage_.view(from, copy.source), begin_in(copy.box, home), synth::shape_of(copy.box));
    const TileOut out = storage_.out(to, copy.target);
    copy_elements(source, target_part(out, storage_.tiles(to).boxes[copy.target], copy.box));
  }
}

std::span<std::byte> Borders::room(std::map<int, std::span<std::byte>>& rooms, int rank, std::int64_t bytes) {
  std::span<std::byte>& known = rooms[rank];
  if (known.data() == nullptr) known = team_.lasting_room(bytes);
  return known;
}

base::Status Borders::begin(Route& route, Passage& passage, synth::RegisterId from) {
  const synth::ElementType element = storage_.type(from).element();
  std::vector<Outgoing> outgoing;
  if (!route.outgoing.empty()) TESSERA_TRY_STATUS(team_.await_beside(passage.sent));
  for (const auto& [rank, parcels] : route.outgoing) {
    const std::span<std::byte> message = room(passage.outgoing, rank, bytes_of_parcels(parcels, element));
    std::byte* at = message.data();
    for (const auto& [parcel, targets] : parcels) {
      const synth::Shape shape = synth::shape_of(parcel.box);
      const TileView tile = storage_.view(from, parcel.device);
      copy_elements(part_of(tile, begin_in(parcel.box, storage_.tiles(from).boxes[parcel.device]), shape),
                    TileOut{element, shape, at});
      at += synth::elements(parcel.box) * synth::bytes_of(element);
    }
    outgoing.push_back({rank, message});
  }
  std::vector<Incoming> incoming;
  for (const auto& [rank, parcels] : route.incoming)
    incoming.push_back({rank, room(passage.incoming, rank, bytes_of_parcels(parcels, element))});
  if (!incoming.empty()) {
    TESSERA_TRY(number, team_.begin_beside(incoming, {}));
    passage.received = number;
  }
  if (!outgoing.empty()) {
    TESSERA_TRY(number, team_.begin_beside({}, outgoing));
    passage.sent = number;
  }
  return base::Done{};
}

base::Status Borders::take(synth::RegisterId to, std::int64_t microbatch) {
  const auto known = routes_.find(to);
  if (known == routes_.end()) return base::Done{};
  Route& route = known->second;
  Passage& passage = route.passages[static_cast<std::size_t>(microbatch) % route.passages.size()];
  if (passage.microbatch != microbatch) return base::Done{};
  TESSERA_TRY_STATUS(team_.await_beside(passage.received));
  const synth::ElementType element = storage_.type(to).element();
  for (const auto& [rank, parcels] : route.incoming) {
    std::byte* at = passage.incoming.at(rank).data();
    for (const auto& [parcel, targets] : parcels) {
      const TileView box = dense_view(element, synth::shape_of(parcel.box), at);
      for (const std::size_t target : targets)
        copy_elements(box, target_part(storage_.out(to, target), storage_.tiles(to).boxes[target], parcel.box));
      at += synth::elements(parcel.box) * synth::bytes_of(element);
    }
  }
  passage.microbatch.reset();
  return base::Done{};
}

base::Status Borders::finish() {
  for (const auto& [to, route] : routes_) {
    for (const Passage& passage : route.passages) {
      if (passage.sent > 0) TESSERA_TRY_STATUS(team_.await_beside(passage.sent));
      if (passage.microbatch) TESSERA_TRY_STATUS(team_.await_beside(passage.received));
    }
  }
  return base::Done{};
}

}  // namespace tessera::runtime
