#include "runtime/ranks/reads.hpp"

#include "base/check.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/memory/boxes.hpp"

namespace tessera::runtime {

void ReadPlanner::read(int reader, const TileBox& parcel) {
  const int source = ranks_.owner(*mesh_, static_cast<std::int64_t>(parcel.device));
  if (source == reader || synth::empty(parcel.box)) return;
  plan_.is_empty = false;
  const bool is_reader = reader == team_.rank();
  const bool is_source = source == team_.rank();
  if (!is_reader && !is_source) return;
  if (team_.node(source) == team_.node(reader)) {
    if (is_reader) sources_.insert(source);
    if (is_source) readers_.insert(reader);
  } else {
    if (is_reader) plan_.incoming[source].insert(parcel);
    if (is_source) plan_.outgoing[reader].insert(parcel);
  }
}

void ReadPlanner::read(int reader, const std::vector<TileBox>& parcels) {
  for (const TileBox& parcel : parcels) read(reader, parcel);
}

ReadPlan ReadPlanner::take() {
  plan_.sources.assign(sources_.begin(), sources_.end());
  plan_.readers.assign(readers_.begin(), readers_.end());
  return std::move(plan_);
}

namespace {

// The elements of a message are of one type, so that none needs to be aligned.
std::int64_t bytes_of_box(const synth::Box& box, synth::ElementType element) {
  return synth::elements(box) * synth::bytes_of(element);
}

std::int64_t bytes_of_all(const std::set<TileBox>& parcels, synth::ElementType element) {
  std::int64_t bytes = 0;
  for (const TileBox& parcel : parcels) bytes += bytes_of_box(parcel.box, element);
  return bytes;
}

// Calls f with every parcel and its dense tile in the message, in their order.
template <class F>
void for_parcels(const std::set<TileBox>& parcels, synth::ElementType element, std::byte* message, const F& f) {
  for (const TileBox& parcel : parcels) {
    f(parcel, TileOut{element, synth::shape_of(parcel.box), message});
    message += bytes_of_box(parcel.box, element);
  }
}

}  // namespace

base::Result<Reading> Reading::begin(Team& team, const ReadPlan& plan, const Distributed& array,
                                     const ReceiveTargets& landings) {
  Reading reading(team, plan, array);
  if (plan.is_empty) return reading;
  TESSERA_TRY_STATUS(team.arrive(plan.sources));
  TESSERA_TRY_STATUS(reading.begin_messages(landings));
  return reading;
}

// A message of one parcel that lies in one piece is sent from where it lies.
base::Status Reading::begin_messages(const ReceiveTargets& landings) {
  const synth::ElementType element = array_->type.element();
  std::vector<Outgoing> outgoing;
  for (const auto& [rank, parcels] : plan_->incoming) {
    const std::int64_t bytes = bytes_of_all(parcels, element);
    const auto landing = parcels.size() == 1 ? landings.find(*parcels.begin()) : landings.end();
    const bool lands = landing != landings.end();
    incoming_.push_back(
        {rank, lands ? std::span(landing->second, static_cast<std::size_t>(bytes)) : team_->room(bytes)});
  }
  for (const auto& [rank, parcels] : plan_->outgoing) {
    const std::int64_t bytes = bytes_of_all(parcels, element);
    const TileView only = parcels.size() == 1 ? in_tile(*parcels.begin()) : TileView{};
    if (array_->engine == nullptr && parcels.size() == 1 && is_dense(only.shape, only.strides)) {
      outgoing.push_back({rank, {only.data, static_cast<std::size_t>(bytes)}});
      continue;
    }
    const std::span<std::byte> message = team_->room(bytes);
    base::Status packed = base::Done{};
    for_parcels(parcels, element, message.data(), [&](const TileBox& parcel, const TileOut& out) {
      if (packed.ok()) packed = read_elements(*array_, in_tile(parcel), out);
    });
    if (!packed.ok()) return packed;
    outgoing.push_back({rank, message});
  }
  return team_->begin_messages(incoming_, outgoing);
}

base::Status Reading::await() {
  if (plan_->is_empty) return base::Done{};
  TESSERA_TRY_STATUS(team_->await_messages());
  std::size_t message = 0;
  for (const auto& [rank, parcels] : plan_->incoming) {
    for_parcels(parcels, array_->type.element(), incoming_[message++].bytes.data(),
                [&](const TileBox& parcel, const TileOut& out) { received_.emplace(parcel, dense_view(out)); });
  }
  return base::Done{};
}

TileView Reading::in_tile(const TileBox& parcel) const {
  const TileView& tile = array_->tiles[parcel.device];
  TESSERA_CHECK(tile.data != nullptr, "a far rank's tile is read");
  return part_in(tile, array_->boxes[parcel.device], parcel.elements());
}

TileView Reading::box(const TileBox& parcel) const {
  const auto received = received_.find(parcel);
  return received == received_.end() ? in_tile(parcel) : received->second;
}

base::Status Reading::fetch(const std::vector<TileBox>& parcels) {
  if (array_->engine == nullptr) return base::Done{};
  for (const TileBox& parcel : parcels) {
    if (is_far(parcel) || synth::empty(parcel.box) || received_.contains(parcel)) continue;
    const synth::ElementType element = array_->type.element();
    const auto bytes = static_cast<std::size_t>(bytes_of_box(parcel.box, element));
    fetched_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    const TileOut out{element, synth::shape_of(parcel.box), fetched_.back().get()};
    TESSERA_TRY_STATUS(read_elements(*array_, in_tile(parcel), out));
    received_.emplace(parcel, dense_view(out));
  }
  return base::Done{};
}

base::Status read_elements(const Distributed& array, const TileView& elements, const TileOut& out) {
  if (array.engine != nullptr) return array.engine->read(elements, out);
  copy_elements(elements, out);
  return base::Done{};
}

base::Status Reading::end() {
  if (plan_->is_empty) return base::Done{};
  return team_->finish(plan_->readers);
}

base::Status report_to_first(Team& team) {
  if (team.alone()) return base::Done{};
  std::vector<int> near;
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  for (int rank = 1; rank < team.size() && team.rank() == 0; ++rank) {
    if (team.is_near(rank))
      near.push_back(rank);
    else
      incoming.push_back({rank, {}});
  }
  if (!team.is_near(0)) outgoing.push_back({0, {}});
  TESSERA_TRY_STATUS(team.arrive(near));
  TESSERA_TRY_STATUS(team.begin_messages(incoming, outgoing));
  TESSERA_TRY_STATUS(team.await_messages());
  return team.finish({});
}

base::Status wait_for_all(Team& team) {
  TESSERA_TRY_STATUS(report_to_first(team));
  std::vector<int> others;
  for (int rank = 1; rank < team.size(); ++rank) others.push_back(rank);
  return team.send(0, others, {});
}

}  // namespace tessera::runtime
