#include "runtime/ranks/whole.hpp"

#include <vector>

#include "runtime/ranks/reads.hpp"
#include "runtime/text/array_text.hpp"
#include "runtime/text/show.hpp"

namespace tessera::runtime {

namespace {

// Calls f(source of parcels) where the parcels are wanted.
template <class F>
base::Status with_parcels(Team& team, Readers readers, const Distributed& array, const std::vector<TileBox>& parcels,
                          const F& f) {
  const int end = readers == Readers::all ? team.size() : 1;
  ReadPlanner planner(team, array.ranks, array.type.mesh_ref());
  for (int reader = 0; reader < end; ++reader) planner.read(reader, parcels);
  const ReadPlan plan = planner.take();
  TESSERA_TRY(reading, Reading::begin(team, plan, array));
  TESSERA_TRY_STATUS(reading.await());
  if (team.rank() < end) TESSERA_TRY_STATUS(reading.fetch(parcels));
  if (team.rank() < end) f([&](const TileBox& parcel) { return reading.box(parcel); });
  return reading.end();
}

// All tiles, where they are drawn with their elements.
std::vector<TileBox> parcels_drawn(const Distributed& array) {
  std::vector<TileBox> parcels;
  if (!shows_elements(array.type)) return parcels;
  for (std::size_t device = 0; device < array.boxes.size(); ++device) parcels.push_back({device, array.boxes[device]});
  return parcels;
}

}  // namespace

base::Result<std::string> value_text(Team& team, Readers readers, const Distributed& array) {
  const Gatherer gatherer(array);
  std::string text;
  TESSERA_TRY_STATUS(with_parcels(team, readers, array, parcels_shown(gatherer),
                                  [&](const ParcelSource& source) { text = value_text(gatherer, source); }));
  return text;
}

base::Result<std::string> show_text(Team& team, Readers readers, const Distributed& array, std::string_view label,
                                    int columns) {
  std::string text;
  const std::vector<TileBox> parcels = parcels_drawn(array);
  TESSERA_TRY_STATUS(with_parcels(team, readers, array, parcels, [&](const ParcelSource& source) {
    Distributed here = array;
    for (const TileBox& parcel : parcels) {
      if (!synth::empty(parcel.box)) here.tiles[parcel.device] = source(parcel);
    }
    text = show_text(here, label, columns);
  }));
  return text;
}

base::Result<synth::Literal> gather(Team& team, Readers readers, const Distributed& array) {
  const synth::ArrayType& type = array.type;
  const Gatherer gatherer(array);
  const synth::Box box = synth::whole(type.shape());
  synth::Literal literal{type.element(), type.shape(), {}};
  TESSERA_TRY_STATUS(with_parcels(team, readers, array, gatherer.parcels(box), [&](const ParcelSource& source) {
    literal.bytes.resize(static_cast<std::size_t>(synth::array_bytes(type)));
    gatherer.read(box, TileOut{type.element(), type.shape(), literal.bytes.data()}, source);
  }));
  return literal;
}

}  // namespace tessera::runtime
