// Reads of other ranks' tiles in one phase: planned from the reads of all ranks, then done. Tiles in a near rank's
// memory are read where they lie; the boxes wanted of far ranks come packed, one message from rank to rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

// A rank's part of a phase.
struct ReadPlan {
  std::vector<int> sources;                   // near ranks that this one reads from
  std::vector<int> readers;                   // near ranks that read from this one
  std::map<int, std::set<TileBox>> incoming;  // by far rank
  std::map<int, std::set<TileBox>> outgoing;
  bool is_empty = true;  // on all ranks: no rank reads from another, as far as they have looked
};

class ReadPlanner {
 public:
  // Plans reads of an array on this mesh.
  ReadPlanner(const Team& team, const DeviceRanks& ranks, synth::MeshRef mesh)
      : team_(team), ranks_(ranks), mesh_(std::move(mesh)) {}
  // A rank reads a box of a device's tile. All ranks plan the same reads. A rank may leave out reads that it has no
  // part in, if it notes that there are some.
  void read(int reader, std::size_t device, const synth::Box& box) { read(reader, TileBox{device, box}); }
  void read(int reader, const TileBox& parcel);
  void read(int reader, const std::vector<TileBox>& parcels);
  void note_reads() { plan_.is_empty = false; }
  ReadPlan take();

 private:
  const Team& team_;
  DeviceRanks ranks_;
  synth::MeshRef mesh_;
  std::set<int> sources_, readers_;
  ReadPlan plan_;
};

// The memory where boxes of far ranks belong, if in one piece: a message of such a box alone is received there.
using ReceiveTargets = std::map<TileBox, std::byte*>;

class Reading {
 public:
  // Waits until all that the plan wants can be read of near ranks, and sends messages to far ones. The team, the plan
  // and the array outlive the reading; the tiles of far ranks are not looked at.
  static base::Result<Reading> begin(Team& team, const ReadPlan& plan, const Distributed& array,
                                     const ReceiveTargets& landings = {});
  // Does this rank send or receive messages?
  bool has_messages() const { return !plan_->incoming.empty() || !plan_->outgoing.empty(); }
  // Lets messages go on while there is other work.
  base::Status advance() { return plan_->is_empty ? base::Done{} : team_->advance_messages(); }
  // Waits until all that is wanted of far ranks has come, too.
  base::Status await();
  // A box that this rank reads by the plan: of a far rank, once it has come.
  bool has_come(const TileBox& parcel) const { return is_far(parcel) ? received_.contains(parcel) : true; }
  TileView box(const TileBox& parcel) const;
  // Boxes of this rank's own tiles that it is going to look at: where only an engine can look into them, they are
  // brought from there.
  base::Status fetch(const std::vector<TileBox>& parcels);
  // Waits until all others have read what they want from this rank.
  base::Status end();

 private:
  Reading(Team& team, const ReadPlan& plan, const Distributed& array) : team_(&team), plan_(&plan), array_(&array) {}
  base::Status begin_messages(const ReceiveTargets& landings);
  bool is_far(const TileBox& parcel) const { return array_->tiles[parcel.device].data == nullptr; }
  TileView in_tile(const TileBox& parcel) const;

  Team* team_;
  const ReadPlan* plan_;
  const Distributed* array_;
  std::vector<Incoming> incoming_;
  std::map<TileBox, TileView> received_;
  std::vector<std::unique_ptr<std::byte[]>> fetched_;
};

// Brings elements of one of this rank's tiles to a dense place in host memory.
base::Status read_elements(const Distributed& array, const TileView& elements, const TileOut& out);

// Rank 0 waits until all other ranks have come so far; and all wait until all have.
base::Status report_to_first(Team& team);
base::Status wait_for_all(Team& team);

}  // namespace tessera::runtime
