#include "runtime/transfers/relays.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/memory/boxes.hpp"

namespace tessera::runtime {

namespace {

// A stretch of a send, on its way in one slot.
struct Passage {
  std::size_t from = 0;
  std::size_t to = 0;
  synth::Box box;
  bool of_source = false;  // read in the source array, not in what came
};

class RelayRun {
 public:
  RelayRun(Team& team, const RelaySchedule& schedule, const Storage& storage, synth::RegisterId from,
           synth::RegisterId to)
      : team_(team),
        schedule_(schedule),
        storage_(storage),
        to_(to),
        source_(storage.array(from)),
        target_(storage.array(to)) {}

  base::Status run() {
    keep_own();
    const std::int64_t slots = schedule_.transfer.slots();
    Slot now = slot_at(0);
    TESSERA_TRY_STATUS(await_soon(now));
    TESSERA_TRY_STATUS(send(now, Ready::now));
    for (std::int64_t at = 0; at < slots; ++at) {
      Slot next = at + 1 < slots ? slot_at(at + 1) : Slot{};
      TESSERA_TRY_STATUS(run_slot(now, next));
      now = std::move(next);
    }
    TESSERA_TRY_STATUS(team_.await_messages());
    return schedule_.has_reads ? team_.finish(schedule_.near_readers) : base::Status(base::Done{});
  }

 private:
  int owner(std::size_t device) const { return storage_.ranks().owner(static_cast<std::int64_t>(device)); }

  // What a device holds of its target tile it copies itself.
  void keep_own() const {
    const Block mine = storage_.block(to_);
    parallel_each(mine.end - mine.begin, [&](std::int64_t i) {
      const auto device = static_cast<std::size_t>(mine.begin + i);
      const synth::Box& box = schedule_.kept[device];
      if (!synth::empty(box)) copy_elements(in_tile(source_, device, box), target_of(device, box));
    });
  }

  // What this rank does in a slot. Messages of one rank are of one slot after the other.
  using ByRank = std::map<int, std::vector<Passage>>;
  struct Slot {
    std::int64_t at = 0;
    std::vector<Passage> here;  // from memory that this rank sees
    ByRank incoming;
    ByRank outgoing;
    std::vector<std::span<std::byte>> received;  // the places of what comes in
    std::int64_t receives = 0;                   // the batch in which they are awaited
  };
  // May a message go before the slot ahead of it is over? Not where it passes on what that one brings.
  enum class Ready : std::uint8_t { now, later };
  static Ready ready(const std::vector<Passage>& passages) {
    const bool soon = std::all_of(passages.begin(), passages.end(), [](const Passage& p) { return p.of_source; });
    return soon ? Ready::now : Ready::later;
  }

  Slot slot_at(std::int64_t at) const {
    Slot slot;
    slot.at = at;
    for (const Passage& passage : passages_of(at)) {
      const int reader = owner(passage.to);
      const int source = owner(passage.from);
      if (team_.node(source) != team_.node(reader)) {
        auto& messages = reader == team_.rank() ? slot.incoming[source] : slot.outgoing[reader];
        messages.push_back(passage);
      } else if (reader == team_.rank()) {
        slot.here.push_back(passage);
      }
    }
    return slot;
  }

  // While a slot's messages are under way the next one's are begun, as far as they can be: over a network it takes a
  // while until a message moves at all. The slot before this one is over.
  base::Status run_slot(Slot& now, Slot& next) {
    if (schedule_.has_reads) TESSERA_TRY_STATUS(team_.arrive(schedule_.near_sources));
    TESSERA_TRY_STATUS(await_soon(next));
    TESSERA_TRY_STATUS(send(now, Ready::later));
    TESSERA_TRY_STATUS(send(next, Ready::now));
    parallel_each(std::ssize(now.here), [&](std::int64_t i) {
      const Passage& passage = now.here[static_cast<std::size_t>(i)];
      copy_elements(in_tile(array_of(passage), passage.from, passage.box), target_of(passage.to, passage.box));
    });
    if (!now.incoming.empty()) TESSERA_TRY_STATUS(team_.await_messages(now.receives));
    unpack(now);
    if (schedule_.has_reads) TESSERA_TRY_STATUS(team_.finish({}));
    return base::Done{};
  }

  // The stretches of this rank's sends that move in a slot; in the same order on both sides of a message.
  std::vector<Passage> passages_of(std::int64_t slot) const {
    std::vector<Passage> passages;
    const synth::Transfer& transfer = schedule_.transfer;
    for (const synth::Send& send : transfer.sends) {
      const std::int64_t stretch = slot - send.hop;
      if (stretch < 0 || stretch >= transfer.stretches) continue;
      const synth::Box& piece = transfer.pieces[static_cast<std::size_t>(send.piece)];
      synth::Box box = synth::stretch_of(piece, transfer.stretches, stretch);
      if (synth::empty(box)) continue;
      passages.push_back({static_cast<std::size_t>(send.from), static_cast<std::size_t>(send.to), box, send.hop == 0});
    }
    return passages;
  }

  std::int64_t bytes_of(const Passage& passage) const {
    return synth::elements(passage.box) * synth::bytes_of(target_.type.element());
  }
  std::int64_t bytes_of(const std::vector<Passage>& passages) const {
    std::int64_t bytes = 0;
    for (const Passage& passage : passages) bytes += bytes_of(passage);
    return bytes;
  }

  // The place of messages to and from each rank: of two slots at a time, as large as their largest have been.
  using Rooms = std::map<std::pair<int, bool>, std::span<std::byte>>;
  std::span<std::byte> room(Rooms& rooms, int rank, const Slot& slot, std::int64_t bytes) {
    std::span<std::byte>& known = rooms[{rank, slot.at % 2 == 0}];
    if (static_cast<std::int64_t>(known.size()) < bytes) known = team_.room(bytes);
    return known.first(static_cast<std::size_t>(bytes));
  }

  base::Status await_soon(Slot& slot) {
    std::vector<Incoming> incoming;
    for (const auto& [rank, passages] : slot.incoming) {
      slot.received.push_back(room(incoming_rooms_, rank, slot, bytes_of(passages)));
      incoming.push_back({rank, slot.received.back()});
    }
    TESSERA_TRY_STATUS(team_.begin_messages(incoming, {}));
    slot.receives = team_.batch();
    return base::Done{};
  }

  // The slot's messages that are ready when `when` says. The last ones in their places have gone: two slots before.
  base::Status send(const Slot& slot, Ready when) {
    std::vector<Outgoing> outgoing;
    for (const auto& [rank, passages] : slot.outgoing) {
      if (ready(passages) != when) continue;
      const bool is_even = slot.at % 2 == 0;
      TESSERA_TRY_STATUS(team_.await_messages(last_sends_[is_even ? 0 : 1][rank]));
      const std::span<std::byte> message = room(outgoing_rooms_, rank, slot, bytes_of(passages));
      std::byte* at = message.data();
      for (const Passage& passage : passages) {
        const TileOut packed{target_.type.element(), synth::shape_of(passage.box), at};
        copy_elements(in_tile(array_of(passage), passage.from, passage.box), packed);
        at += bytes_of(passage);
      }
      outgoing.push_back({rank, message});
    }
    TESSERA_TRY_STATUS(team_.begin_messages({}, outgoing));
    for (const Outgoing& message : outgoing) last_sends_[slot.at % 2 == 0 ? 0 : 1][message.rank] = team_.batch();
    return base::Done{};
  }

  void unpack(const Slot& slot) const {
    std::size_t message = 0;
    for (const auto& [rank, passages] : slot.incoming) {
      std::byte* at = slot.received[message++].data();
      for (const Passage& passage : passages) {
        const TileOut packed{target_.type.element(), synth::shape_of(passage.box), at};
        copy_elements(dense_view(packed), target_of(passage.to, passage.box));
        at += bytes_of(passage);
      }
    }
  }

  const Distributed& array_of(const Passage& passage) const { return passage.of_source ? source_ : target_; }
  static TileView in_tile(const Distributed& array, std::size_t device, const synth::Box& box) {
    const TileView& tile = array.tiles[device];
    TESSERA_CHECK(tile.data != nullptr, "a far rank's tile is read");
    return part_of(tile, begin_in(box, array.boxes[device]), synth::shape_of(box));
  }
  TileTarget target_of(std::size_t device, const synth::Box& box) const {
    return target_part(storage_.out(to_, device), storage_.tiles(to_).boxes[device], box);
  }

  Team& team_;
  const RelaySchedule& schedule_;
  const Storage& storage_;
  synth::RegisterId to_;
  Distributed source_;
  Distributed target_;
  Rooms incoming_rooms_;
  Rooms outgoing_rooms_;
  std::array<std::map<int, std::int64_t>, 2> last_sends_;  // of even and odd slots: the batch of the last to each rank
};

}  // namespace

RelaySchedule schedule_relay(const Team& team, const DeviceRanks& ranks, const synth::RelayRecipe& recipe,
                             const synth::ArrayType& from, const synth::ArrayType& to) {
  auto transfer = synth::transfer_of(synth::relay_tasks(from, to), recipe);
  TESSERA_CHECK(transfer.has_value(), "a relay that was verified does not fit its arrays");
  RelaySchedule schedule;
  std::set<int> sources;
  std::set<int> readers;
  std::vector<synth::Send> mine;
  for (const synth::Send& send : transfer->sends) {
    const int source = ranks.owner(send.from);
    const int reader = ranks.owner(send.to);
    schedule.has_reads = schedule.has_reads || source != reader;
    if (source != team.rank() && reader != team.rank()) continue;
    mine.push_back(send);
    if (source == reader || team.node(source) != team.node(reader)) continue;
    (reader == team.rank() ? sources : readers).insert(reader == team.rank() ? source : reader);
  }
  schedule.transfer = std::move(*transfer);
  schedule.transfer.sends = std::move(mine);
  schedule.near_sources.assign(sources.begin(), sources.end());
  schedule.near_readers.assign(readers.begin(), readers.end());
  for (std::int64_t device = 0; device < to.devices(); ++device)
    schedule.kept.push_back(synth::intersect(synth::tile(from, device), synth::tile(to, device)));
  return schedule;
}

base::Status run_relay(Team& team, const RelaySchedule& schedule, const Storage& storage, synth::RegisterId from,
                       synth::RegisterId to) {
  return RelayRun(team, schedule, storage, from, to).run();
}

}  // namespace tessera::runtime
