#include "runtime/transfers/slots.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"

namespace tessera::runtime {

namespace {

class SlotRun {
 public:
  SlotRun(Team& team, const SlotSchedule& schedule, const Storage& storage, synth::RegisterId from,
          synth::RegisterId to)
      : team_(team),
        schedule_(schedule),
        storage_(storage),
        from_(from),
        to_(to),
        source_(storage.array(from)),
        result_(storage.array(to)) {}

  base::Status run() {
    Turn now = turn_at(0);
    TESSERA_TRY_STATUS(await_soon(now));
    TESSERA_TRY_STATUS(send(now, Ready::now));
    for (std::int64_t at = 0; at < schedule_.turns(); ++at) {
      Turn next = at + 1 < schedule_.turns() ? turn_at(at + 1) : Turn{};
      TESSERA_TRY_STATUS(take(now, next));
      now = std::move(next);
    }
    TESSERA_TRY_STATUS(team_.await_messages());
    return schedule_.has_reads ? team_.finish(schedule_.near_readers) : base::Status(base::Done{});
  }

 private:
  // A box of a place, on its way to a device.
  struct Passage {
    SlotPlace from;
    synth::Box box;
  };
  using ByRank = std::map<int, std::vector<Passage>>;
  // What this rank does in a turn. Messages of one rank are of one turn after the other.
  struct Turn {
    std::int64_t at = 0;
    std::vector<SlotWork> here;  // of memory that this rank sees
    std::vector<SlotWork> far;   // some of it comes in messages
    ByRank incoming;
    ByRank outgoing;
    std::map<int, std::span<std::byte>> received;  // the places of what comes in
    std::int64_t receives = 0;                     // the batch in which they are awaited
  };
  // May a message go before the turn ahead of it is over? Not where it passes on what that one brings.
  enum class Ready : std::uint8_t { now, later };
  static Ready ready(const std::vector<Passage>& passages) {
    const bool soon = std::all_of(passages.begin(), passages.end(),
                                  [](const Passage& p) { return p.from.of == SlotPlace::Of::source; });
    return soon ? Ready::now : Ready::later;
  }

  int owner(const SlotPlace& place) const {
    return storage_.owner(place.of == SlotPlace::Of::source ? from_ : to_, place.device);
  }
  bool is_far(const SlotPlace& from, const SlotPlace& to) const {
    return team_.node(owner(from)) != team_.node(owner(to));
  }

  Turn turn_at(std::int64_t at) const {
    Turn turn;
    turn.at = at;
    for (SlotWork& work : schedule_.works(at)) {
      const int reader = owner(work.to);
      bool needs_messages = false;
      for (const SlotPlace& from : work.from) {
        if (!is_far(from, work.to)) continue;
        needs_messages = true;
        if (reader == team_.rank())
          turn.incoming[owner(from)].push_back({from, work.box});
        else if (owner(from) == team_.rank())
          turn.outgoing[reader].push_back({from, work.box});
      }
      if (reader == team_.rank()) (needs_messages ? turn.far : turn.here).push_back(std::move(work));
    }
    return turn;
  }

  // While a turn's messages are under way the next one's are begun, as far as they can be: over a network it takes a
  // while until a message moves at all. The turn before this one is over.
  base::Status take(Turn& now, Turn& next) {
    if (schedule_.has_reads) TESSERA_TRY_STATUS(team_.arrive(schedule_.near_peers));
    TESSERA_TRY_STATUS(await_soon(next));
    TESSERA_TRY_STATUS(send(now, Ready::later));
    TESSERA_TRY_STATUS(send(next, Ready::now));
    parallel_each(std::ssize(now.here), [&](std::int64_t i) {
      const SlotWork& work = now.here[static_cast<std::size_t>(i)];
      std::vector<TileView> parts;
      for (const SlotPlace& from : work.from) parts.push_back(view(from, work.box));
      put(work, parts);
    });
    if (!now.incoming.empty()) TESSERA_TRY_STATUS(team_.await_messages(now.receives));
    put_received(now);
    if (schedule_.has_reads) TESSERA_TRY_STATUS(team_.finish({}));
    return base::Done{};
  }

  void put_received(const Turn& turn) const {
    std::map<int, std::byte*> at;
    for (const auto& [rank, bytes] : turn.received) at[rank] = bytes.data();
    std::vector<std::vector<TileView>> parts_of;
    for (const SlotWork& work : turn.far) {
      std::vector<TileView>& parts = parts_of.emplace_back();
      for (const SlotPlace& from : work.from) {
        if (!is_far(from, work.to)) {
          parts.push_back(view(from, work.box));
          continue;
        }
        std::byte*& next = at[owner(from)];
        parts.push_back(dense_view(result_.type.element(), synth::shape_of(work.box), next));
        next += bytes_of(work.box);
      }
    }
    parallel_each(std::ssize(turn.far), [&](std::int64_t i) {
      put(turn.far[static_cast<std::size_t>(i)], parts_of[static_cast<std::size_t>(i)]);
    });
  }

  void put(const SlotWork& work, const std::vector<TileView>& parts) const {
    const TileTarget target = target_of(work.to, work.box);
    if (parts.size() == 1) return copy_elements(parts[0], target);
    const synth::ReduceOp op = source_.type.layout().reduce();
    // What is added to lies where the sum is to be: it may be overwritten first only if it comes first.
    const bool in_place =
        std::none_of(parts.begin() + 1, parts.end(), [&](const TileView& part) { return part.data == target.data; });
    if (in_place) return combine_parts(op, parts, target);
    std::vector<std::byte> sum(static_cast<std::size_t>(bytes_of(work.box)));
    const TileOut dense{result_.type.element(), synth::shape_of(work.box), sum.data()};
    combine_parts(op, parts, {dense_strides(dense.shape), dense.data});
    copy_elements(dense_view(dense), target);
  }

  std::int64_t bytes_of(const synth::Box& box) const {
    return synth::elements(box) * synth::bytes_of(result_.type.element());
  }
  std::int64_t bytes_of(const std::vector<Passage>& passages) const {
    std::int64_t bytes = 0;
    for (const Passage& passage : passages) bytes += bytes_of(passage.box);
    return bytes;
  }

  // The place of messages to and from each rank: of two turns at a time, as large as their largest have been.
  using Rooms = std::map<std::pair<int, bool>, std::span<std::byte>>;
  std::span<std::byte> room(Rooms& rooms, int rank, const Turn& turn, std::int64_t bytes) {
    std::span<std::byte>& known = rooms[{rank, turn.at % 2 == 0}];
    if (static_cast<std::int64_t>(known.size()) < bytes) known = team_.room(bytes);
    return known.first(static_cast<std::size_t>(bytes));
  }

  base::Status await_soon(Turn& turn) {
    std::vector<Incoming> incoming;
    for (const auto& [rank, passages] : turn.incoming) {
      const std::span<std::byte> place = room(incoming_rooms_, rank, turn, bytes_of(passages));
      turn.received[rank] = place;
      incoming.push_back({rank, place});
    }
    TESSERA_TRY_STATUS(team_.begin_messages(incoming, {}));
    turn.receives = team_.batch();
    return base::Done{};
  }

  // The turn's messages that are ready when `when` says. The last ones in their places have gone: two turns before.
  base::Status send(const Turn& turn, Ready when) {
    std::vector<Outgoing> outgoing;
    for (const auto& [rank, passages] : turn.outgoing) {
      if (ready(passages) != when) continue;
      const bool is_even = turn.at % 2 == 0;
      TESSERA_TRY_STATUS(team_.await_messages(last_sends_[is_even ? 0 : 1][rank]));
      const std::span<std::byte> message = room(outgoing_rooms_, rank, turn, bytes_of(passages));
      std::byte* at = message.data();
      for (const Passage& passage : passages) {
        const TileOut packed{result_.type.element(), synth::shape_of(passage.box), at};
        copy_elements(view(passage.from, passage.box), packed);
        at += bytes_of(passage.box);
      }
      outgoing.push_back({rank, message});
    }
    TESSERA_TRY_STATUS(team_.begin_messages({}, outgoing));
    for (const Outgoing& message : outgoing) last_sends_[turn.at % 2 == 0 ? 0 : 1][message.rank] = team_.batch();
    return base::Done{};
  }

  // Beside the tiles; of this rank or a near one.
  TileOut beside(const SlotPlace& place) const {
    return {result_.type.element(), synth::shape_of(place.home), storage_.part(to_, place.device) + place.offset};
  }
  TileView view(const SlotPlace& place, const synth::Box& box) const {
    if (place.of == SlotPlace::Of::beside)
      return part_of(dense_view(beside(place)), begin_in(box, place.home), synth::shape_of(box));
    const Distributed& array = place.of == SlotPlace::Of::source ? source_ : result_;
    const TileView& tile = array.tiles[place.device];
    TESSERA_CHECK(tile.data != nullptr, "a far rank's tile is read");
    return part_of(tile, begin_in(box, array.boxes[place.device]), synth::shape_of(box));
  }
  TileTarget target_of(const SlotPlace& place, const synth::Box& box) const {
    if (place.of == SlotPlace::Of::beside) return target_part(beside(place), place.home, box);
    return target_part(storage_.out(to_, place.device), result_.boxes[place.device], box);
  }

  Team& team_;
  const SlotSchedule& schedule_;
  const Storage& storage_;
  synth::RegisterId from_;
  synth::RegisterId to_;
  Distributed source_;
  Distributed result_;
  Rooms incoming_rooms_;
  Rooms outgoing_rooms_;
  std::array<std::map<int, std::int64_t>, 2> last_sends_;  // of even and odd turns: the batch of the last to each rank
};

}  // namespace

base::Status run_slots(Team& team, const SlotSchedule& schedule, const Storage& storage, synth::RegisterId from,
                       synth::RegisterId to) {
  return SlotRun(team, schedule, storage, from, to).run();
}

}  // namespace tessera::runtime
