#include "runtime/transfers/slots.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/transfers/box_pieces.hpp"

namespace tessera::runtime {

namespace {

class SlotRun : public std::enable_shared_from_this<SlotRun> {
 public:
  SlotRun(Team& team, std::span<const SlotTask> tasks, const Storage& storage) : team_(team), storage_(storage) {
    std::set<int> peers;
    std::set<int> readers;
    for (const SlotTask& task : tasks) {
      arrays_.push_back(MovedArray{task, storage.array(task.from), storage.array(task.to)});
      beats_ = std::max(beats_, task.schedule->beats());
      peers.insert(task.schedule->near_peers.begin(), task.schedule->near_peers.end());
      readers.insert(task.schedule->near_readers.begin(), task.schedule->near_readers.end());
      has_reads_ = has_reads_ || task.schedule->has_reads;
      streams_ = streams_ && task.schedule->writes_once;
    }
    near_peers_.assign(peers.begin(), peers.end());
    near_readers_.assign(readers.begin(), readers.end());
  }

  base::Status run() {
    Beat now = beat_at(0);
    TESSERA_TRY_STATUS(await_soon(now));
    TESSERA_TRY_STATUS(send(now, Ready::now));
    for (std::int64_t at = 0; at < beats_; ++at) {
      Beat next = at + 1 < beats_ ? beat_at(at + 1) : Beat{};
      TESSERA_TRY_STATUS(take(now, next));
      now = std::move(next);
    }
    TESSERA_TRY_STATUS(team_.await_messages());
    return has_reads_ ? team_.finish(near_readers_) : base::Status(base::Done{});
  }

 private:
  struct MovedArray {
    SlotTask task;
    Distributed source;
    Distributed result;
    const synth::ArrayType& type() const { return result.type; }
    std::int64_t bytes_of(const synth::Box& box) const {
      return synth::elements(box) * synth::bytes_of(result.type.element());
    }
  };
  // A box on its way from a place to another.
  struct Passage {
    std::size_t array;
    SlotPlace from;
    SlotPlace to;
    synth::Box box;
  };
  struct Work {
    std::size_t array;
    SlotWork what;
  };
  using ByRank = std::map<int, std::vector<Passage>>;
  // The work of this rank in a beat. Messages of one rank are of one beat after the other.
  struct Beat {
    std::int64_t at = 0;
    std::vector<Work> here;  // of memory that this rank sees
    std::vector<Work> far;   // some of it comes in messages
    ByRank incoming;
    ByRank outgoing;
    std::map<int, std::span<std::byte>> received;  // the places of what comes in
    std::int64_t receives = 0;                     // the batch in which they are awaited
  };
  // A beat's boxes from one rank to another, cut so that each piece of the message has a few.
  class Stream final : public PieceByPiece {
   public:
    enum class Way : std::uint8_t { in, out };
    Stream(std::shared_ptr<SlotRun> run, const std::vector<Passage>& passages, Way way)
        : run_(std::move(run)), way_(way) {
      std::size_t bytes = kPieceBytes;
      for (const Passage& passage : passages) {
        const MovedArray& array = run_->arrays_[passage.array];
        const auto most = static_cast<std::int64_t>(kPieceBytes) / synth::bytes_of(array.type().element());
        cut_box(passage.box, most, [&](const synth::Box& box) {
          const auto more = static_cast<std::size_t>(run_->padded(array.bytes_of(box)));
          if (bytes + more > kPieceBytes) {
            firsts_.push_back(parts_.size());
            bytes = 0;
          }
          bytes += more;
          parts_.push_back({passage.array, passage.from, passage.to, box});
        });
      }
    }

    std::size_t pieces() const override { return firsts_.size(); }
    std::span<std::byte> begin(std::size_t piece) override {
      const auto bytes = static_cast<std::size_t>(run_->bytes_of(parts_of(piece)));
      const std::span<std::byte> buffer = run_->take_buffer(bytes);
      buffers_.push_back(buffer);
      if (way_ == Way::out) run_->pack(parts_of(piece), buffer.data());
      return buffer.first(bytes);
    }
    void end(std::size_t piece) override {
      const std::span<std::byte> buffer = buffers_.front();
      buffers_.pop_front();
      if (way_ == Way::in) run_->unpack(parts_of(piece), buffer.data());
      run_->buffers_.push_back(buffer);
    }

   private:
    std::span<const Passage> parts_of(std::size_t piece) const {
      const std::size_t end = piece + 1 < firsts_.size() ? firsts_[piece + 1] : parts_.size();
      return std::span(parts_).subspan(firsts_[piece], end - firsts_[piece]);
    }

    std::shared_ptr<SlotRun> run_;
    Way way_;
    std::vector<Passage> parts_;
    std::vector<std::size_t> firsts_;           // of every piece, in parts_
    std::deque<std::span<std::byte>> buffers_;  // of pieces under way
  };

  // May a message go before the beat ahead of it is over? Not where it passes on what that one brings.
  enum class Ready : std::uint8_t { now, later };
  static Ready ready(const std::vector<Passage>& passages) {
    const bool soon = std::all_of(passages.begin(), passages.end(),
                                  [](const Passage& p) { return p.from.of == SlotPlace::Of::source; });
    return soon ? Ready::now : Ready::later;
  }

  int owner(const MovedArray& array, const SlotPlace& place) const {
    return storage_.owner(place.of == SlotPlace::Of::source ? array.task.from : array.task.to, place.device);
  }
  bool is_far(const MovedArray& array, const SlotPlace& from, const SlotPlace& to) const {
    return team_.node(owner(array, from)) != team_.node(owner(array, to));
  }

  Beat beat_at(std::int64_t at) const {
    Beat beat;
    beat.at = at;
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      if (at >= arrays_[a].task.schedule->beats()) continue;
      for (SlotWork& work : arrays_[a].task.schedule->works(at)) add(beat, a, std::move(work));
    }
    return beat;
  }
  void add(Beat& beat, std::size_t number, SlotWork work) const {
    const MovedArray& array = arrays_[number];
    const int reader = owner(array, work.to);
    bool needs_messages = false;
    for (const SlotPlace& from : work.from) {
      if (!is_far(array, from, work.to)) continue;
      needs_messages = true;
      if (reader == team_.rank())
        beat.incoming[owner(array, from)].push_back({number, from, work.to, work.box});
      else if (owner(array, from) == team_.rank())
        beat.outgoing[reader].push_back({number, from, work.to, work.box});
    }
    if (needs_messages && streams_) return;  // it is put where it goes as it comes
    if (reader == team_.rank()) (needs_messages ? beat.far : beat.here).push_back({number, std::move(work)});
  }

  // While a beat's messages are under way the next one's are begun, as far as they can be: over a network it takes a
  // while until a message moves at all. The beat before this one is over.
  base::Status take(Beat& now, Beat& next) {
    if (has_reads_) TESSERA_TRY_STATUS(team_.arrive(near_peers_));
    TESSERA_TRY_STATUS(await_soon(next));
    TESSERA_TRY_STATUS(send(now, Ready::later));
    TESSERA_TRY_STATUS(send(next, Ready::now));
    parallel_each(std::ssize(now.here), [&](std::int64_t i) {
      const Work& work = now.here[static_cast<std::size_t>(i)];
      std::vector<TileView> parts;
      for (const SlotPlace& from : work.what.from) parts.push_back(view(arrays_[work.array], from, work.what.box));
      put(work, parts);
    });
    if (!now.incoming.empty()) TESSERA_TRY_STATUS(team_.await_messages(now.receives));
    put_received(now);
    if (has_reads_) TESSERA_TRY_STATUS(team_.finish({}));
    return base::Done{};
  }

  void put_received(const Beat& beat) const {
    std::map<int, std::byte*> at;
    for (const auto& [rank, bytes] : beat.received) at[rank] = bytes.data();
    std::vector<std::vector<TileView>> parts_of;
    for (const Work& work : beat.far) {
      const MovedArray& array = arrays_[work.array];
      const synth::Box& box = work.what.box;
      std::vector<TileView>& parts = parts_of.emplace_back();
      for (const SlotPlace& from : work.what.from) {
        if (!is_far(array, from, work.what.to)) {
          parts.push_back(view(array, from, box));
          continue;
        }
        std::byte*& next = at[owner(array, from)];
        parts.push_back(dense_view(array.type().element(), synth::shape_of(box), next));
        next += padded(array.bytes_of(box));
      }
    }
    parallel_each(std::ssize(beat.far), [&](std::int64_t i) {
      put(beat.far[static_cast<std::size_t>(i)], parts_of[static_cast<std::size_t>(i)]);
    });
  }

  void put(const Work& work, const std::vector<TileView>& parts) const {
    const MovedArray& array = arrays_[work.array];
    const synth::Box& box = work.what.box;
    const TileTarget target = target_of(array, work.what.to, box);
    if (parts.size() == 1) return copy_elements(parts[0], target);
    const synth::ReduceOp op = array.source.type.layout().reduce();
    // A part may lie where the sum is to be. It may be overwritten at once only if it is the first part.
    const bool in_place =
        std::none_of(parts.begin() + 1, parts.end(), [&](const TileView& part) { return part.data == target.data; });
    if (in_place) return combine_parts(op, parts, target);
    std::vector<std::byte> sum(static_cast<std::size_t>(array.bytes_of(box)));
    const TileOut dense{array.type().element(), synth::shape_of(box), sum.data()};
    combine_parts(op, parts, {dense_strides(dense.shape), dense.data});
    copy_elements(dense_view(dense), target);
  }

  // Arrays of several element types share a message: every box begins where any element may.
  std::int64_t padded(std::int64_t bytes) const {
    constexpr std::int64_t kLargestElement = 8;
    return arrays_.size() == 1 ? bytes : (bytes + kLargestElement - 1) / kLargestElement * kLargestElement;
  }
  std::int64_t bytes_of(std::span<const Passage> passages) const {
    std::int64_t bytes = 0;
    for (const Passage& passage : passages) bytes += padded(arrays_[passage.array].bytes_of(passage.box));
    return bytes;
  }

  // Buffers are the team's: messages that nobody waits for any more, after a failure, still use them. Their sizes are
  // powers of two, so that most of them serve again.
  std::span<std::byte> take_buffer(std::size_t bytes) {
    const auto large = [&](std::span<std::byte> buffer) { return buffer.size() >= bytes; };
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), large);
    if (found == buffers_.end()) return team_.room(static_cast<std::int64_t>(std::bit_ceil(bytes)));
    const std::span<std::byte> buffer = *found;
    buffers_.erase(found);
    return buffer;
  }
  void pack(std::span<const Passage> passages, std::byte* at) const {
    for (const Passage& passage : passages) {
      const MovedArray& array = arrays_[passage.array];
      const TileOut packed{array.type().element(), synth::shape_of(passage.box), at};
      copy_elements(view(array, passage.from, passage.box), packed);
      at += padded(array.bytes_of(passage.box));
    }
  }
  void unpack(std::span<const Passage> passages, const std::byte* at) const {
    for (const Passage& passage : passages) {
      const MovedArray& array = arrays_[passage.array];
      const TileView packed = dense_view(array.type().element(), synth::shape_of(passage.box), at);
      copy_elements(packed, target_of(array, passage.to, passage.box));
      at += padded(array.bytes_of(passage.box));
    }
  }

  // The place of messages to and from each rank: of two beats at a time, as large as their largest have been.
  using Rooms = std::map<std::pair<int, bool>, std::span<std::byte>>;
  std::span<std::byte> room(Rooms& rooms, int rank, const Beat& beat, std::int64_t bytes) {
    std::span<std::byte>& known = rooms[{rank, beat.at % 2 == 0}];
    if (static_cast<std::int64_t>(known.size()) < bytes) known = team_.room(bytes);
    return known.first(static_cast<std::size_t>(bytes));
  }

  base::Status await_soon(Beat& beat) {
    std::vector<Incoming> incoming;
    for (const auto& [rank, passages] : beat.incoming) {
      if (streams_) {
        incoming.push_back({rank, {}, std::make_shared<Stream>(shared_from_this(), passages, Stream::Way::in)});
        continue;
      }
      const std::span<std::byte> place = room(incoming_rooms_, rank, beat, bytes_of(passages));
      beat.received[rank] = place;
      incoming.push_back({rank, place});
    }
    TESSERA_TRY_STATUS(team_.begin_messages(incoming, {}));
    beat.receives = team_.batch();
    return base::Done{};
  }

  // The beat's messages that are ready when `when` says. Messages to the same rank of two beats before have gone by
  // then: no rank runs ahead of the slots, and the places of messages are free.
  base::Status send(const Beat& beat, Ready when) {
    std::vector<Outgoing> outgoing;
    for (const auto& [rank, passages] : beat.outgoing) {
      if (ready(passages) != when) continue;
      const bool is_even = beat.at % 2 == 0;
      TESSERA_TRY_STATUS(team_.await_messages(last_sends_[is_even ? 0 : 1][rank]));
      if (streams_) {
        outgoing.push_back({rank, {}, std::make_shared<Stream>(shared_from_this(), passages, Stream::Way::out)});
        continue;
      }
      const std::span<std::byte> message = room(outgoing_rooms_, rank, beat, bytes_of(passages));
      pack(passages, message.data());
      outgoing.push_back({rank, message});
    }
    TESSERA_TRY_STATUS(team_.begin_messages({}, outgoing));
    for (const Outgoing& message : outgoing) last_sends_[beat.at % 2 == 0 ? 0 : 1][message.rank] = team_.batch();
    return base::Done{};
  }

  // Beside the tiles; of this rank or a near one.
  TileOut beside(const MovedArray& array, const SlotPlace& place) const {
    return {array.type().element(), synth::shape_of(place.home),
            storage_.room(array.task.to, place.device, place.offset)};
  }
  TileView view(const MovedArray& array, const SlotPlace& place, const synth::Box& box) const {
    if (place.of == SlotPlace::Of::beside)
      return part_of(dense_view(beside(array, place)), begin_in(box, place.home), synth::shape_of(box));
    const Distributed& at = place.of == SlotPlace::Of::source ? array.source : array.result;
    const TileView& tile = at.tiles[place.device];
    TESSERA_CHECK(tile.data != nullptr, "a far rank's tile is read");
    return part_of(tile, begin_in(box, at.boxes[place.device]), synth::shape_of(box));
  }
  TileTarget target_of(const MovedArray& array, const SlotPlace& place, const synth::Box& box) const {
    if (place.of == SlotPlace::Of::beside) return target_part(beside(array, place), place.home, box);
    return target_part(storage_.out(array.task.to, place.device), array.result.boxes[place.device], box);
  }

  Team& team_;
  const Storage& storage_;
  std::vector<MovedArray> arrays_;
  std::int64_t beats_ = 0;
  bool has_reads_ = false;                     // of any array
  bool streams_ = true;                        // piece by piece
  std::vector<std::span<std::byte>> buffers_;  // that no piece uses
  std::vector<int> near_peers_;
  std::vector<int> near_readers_;
  Rooms incoming_rooms_;
  Rooms outgoing_rooms_;
  std::array<std::map<int, std::int64_t>, 2> last_sends_;  // of even and odd beats: the batch of the last to each rank
};

}  // namespace

base::Status run_slots(Team& team, std::span<const SlotTask> tasks, const Storage& storage) {
  return std::make_shared<SlotRun>(team, tasks, storage)->run();
}

}  // namespace tessera::runtime
