// An engine is the machine that tiles lie on and steps run on: the cores of this process, or GPUs. It alone looks into
// tiles: to everybody else an address is a number. What it is asked for is done in the order of the calls; all but
// `read` and `wait` may return before it is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/engine/tiles.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/stream.hpp"
#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/pool.hpp"

namespace tessera::runtime {

class DeviceTimes;

// A constructor or a local operation, which every device takes on its own tiles.
struct LocalStep {
  const synth::Program& program;
  const Tiles& tiles;
  const synth::Apply& apply;
  std::int64_t beside = 0;        // where every device has room (Tiles::room) for what the step needs beside its arrays
  synth::Shape starts = {};       // of Lay: where each of its ranges begins, inside of the result
  DeviceTimes* times = nullptr;   // where to note when which device worked
  std::uint32_t origin = 0;       // what a failure belongs to, if it is found later
  bool ordered_products = false;  // large products of floats are summed in order, too
};

// Elements of all devices' tiles of the result and the operands: how much work a step is, roughly.
inline std::int64_t work_of(const Tiles& tiles, const synth::Apply& apply) {
  std::int64_t bytes = 0;
  for (const synth::RegisterId id : apply.results) bytes += tiles.tiles(id).bytes_total;
  for (const synth::RegisterId id : apply.operands) bytes += tiles.tiles(id).bytes_total;
  return bytes / 4;
}

// What an engine keeps of a chain from one turn of a loop to the next; the addresses of its arrays may change
// meanwhile.
class KeptChain {
 public:
  virtual ~KeptChain() = default;
};

// Steps that are taken together (memory/chains.hpp).
struct ChainStep {
  std::span<const synth::Step> steps;
  std::size_t lead = 0;
  const MemoryPlan& plan;
  const Tiles& tiles;
  std::unique_ptr<KeptChain>* kept = nullptr;  // null: the chain is taken once
};

// Elements that are copied, of the view's type and shape, which may have none; source and target do not overlap.
struct BoxMove {
  TileView from;
  TileTarget to;
};

// What a step needs of a place's memory beside its arrays and what their plan has for it: room that it alone uses, and
// room that stays with the engine.
struct Room {
  std::int64_t of_step = 0;
  std::int64_t lasting = 0;
};

inline BoxMove no_move(synth::ElementType element) { return {{element, {0}, {1}, nullptr}, {{1}, nullptr}}; }

// The target becomes parts[0] op parts[1] op ..., all of one type and shape. It may be where parts[0] lies.
struct BoxSum {
  std::vector<TileView> parts;
  TileTarget to;
};

// A list that is made while it is read: at(i) is called once for every i in [0, size), from any thread, in any order.
template <class Item>
class ItemList {
 public:
  template <class F>
  ItemList(std::int64_t size, const F& at)
      : size_(size),
        made_by_(&at),
        call_([](const void* f, std::int64_t i) { return (*static_cast<const F*>(f))(i); }) {}
  std::int64_t size() const { return size_; }
  Item at(std::int64_t i) const { return call_(made_by_, i); }

 private:
  std::int64_t size_;
  const void* made_by_;
  Item (*call_)(const void* f, std::int64_t i);
};

// How a list is worked through where that is the engine's choice.
struct ListHints {
  std::int64_t grain = 1;  // items worth a task of their own
  Writing writing = Writing::through_caches;
  // Says what the list is made of: two lists of a run that have the same key, which is not empty, are the same.
  std::span<const std::uint64_t> key = {};
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual bool is_host() const = 0;
  // The memories that it has: a rank's devices are dealt to them in contiguous blocks, as devices are to ranks.
  virtual int places() const { return 1; }
  // What a place's memory comes from. Whoever has memory keeps the pool, and the pool keeps the engine.
  virtual std::shared_ptr<Pool> pool(int place) = 0;
  // What a run may take of a place, and what the place is called, such as `GPU 0 (NVIDIA H100)`; 0: what the host says.
  virtual std::int64_t memory_bytes_max(int /*place*/) const { return 0; }
  virtual std::string name(int /*place*/) const { return {}; }
  // Which place has an address of its memory; and what lay there is gone, where a place is lost.
  virtual int place_of(const std::byte* /*memory*/) const { return 0; }
  virtual bool is_lost(int /*place*/) const { return false; }

  // For memory that other libraries of the process share with a place: by which number the driver knows its GPU, -1 of
  // none, and the stream in whose order it works.
  virtual int gpu(int /*place*/) const { return -1; }
  virtual void* stream(int /*place*/) const { return nullptr; }
  // A pool that has these bytes of somebody else's at a place, and gives them where it is asked for memory, once;
  // `keep` is let go of when nothing works with them any more. None: no memory but an engine's own can be worked with.
  virtual std::shared_ptr<Pool> borrowed(int /*place*/, const std::byte* /*begin*/, std::int64_t /*bytes*/,
                                         std::shared_ptr<const void> /*keep*/) {
    return nullptr;
  }

  // Does it take such a step itself? If not, the step is taken on copies of the tiles in host memory.
  virtual bool takes(const LocalStep& step) const = 0;
  virtual base::Status take(const LocalStep& step) = 0;
  virtual bool takes(const ChainStep& chain) const = 0;
  virtual base::Status take(const ChainStep& chain) = 0;

  // What a step that it takes needs of each place. None: nothing of any.
  virtual std::vector<Room> room_of(const LocalStep& /*step*/) { return {}; }
  virtual std::vector<Room> room_of(const ChainStep& /*chain*/) { return {}; }
  // Has so much for the steps to come, as much as the one needs that needs the most: none takes memory then.
  virtual base::Status make_room(int /*place*/, const Room& /*room*/) { return base::Done{}; }
  // Gives back what was made for steps that are over.
  virtual void leave_room() {}

  virtual base::Status copy(const ItemList<BoxMove>& moves, const ListHints& hints = {}) = 0;
  virtual base::Status combine(synth::ReduceOp op, const ItemList<BoxSum>& sums) = 0;
  // Dense tiles become what changes nothing in the reduction.
  virtual base::Status fill_identity(synth::ReduceOp op, const ItemList<TileOut>& tiles) = 0;

  // Elements of dense tiles become this one.
  virtual base::Status fill(const ItemList<TileOut>& tiles, std::span<const std::byte> element) = 0;
  // Where an element of these bytes is, for all places and as long as the engine is there; null: nowhere.
  virtual base::Result<const std::byte*> constant(std::span<const std::byte> /*element*/) {
    return static_cast<const std::byte*>(nullptr);
  }
  // The index of a loop, in i64 scalars: a turn begins.
  virtual base::Status write_index(const ItemList<TileOut>& tiles, std::int64_t index) {
    return fill(tiles, std::as_bytes(std::span(&index, 1)));
  }

  // Between its memory and the host's; `host` is dense. The bytes of a write are the caller's again when it returns.
  virtual base::Status write(const TileView& host, const TileTarget& to) = 0;
  virtual base::Status read(const TileView& from, const TileOut& host) = 0;  // waits

  // Notes when all that was asked for before is done; -1 where that is so when a call returns.
  virtual base::Result<std::int64_t> mark() { return std::int64_t{-1}; }
  // When that was at each place, in seconds of DeviceTimes::trace_clock. Waits; a mark is asked for once.
  virtual base::Result<std::vector<double>> marked(std::int64_t /*mark*/) { return std::vector<double>{}; }

  // A turn of a loop is over: what has been asked for may begin.
  virtual base::Status turn_ends() = 0;
  // Waits until all is done, and says what has failed first.
  virtual base::Status wait() = 0;
};

inline std::vector<std::shared_ptr<Pool>> pools_of(Engine& engine) {
  std::vector<std::shared_ptr<Pool>> pools;
  for (int place = 0; place < engine.places(); ++place) pools.push_back(engine.pool(place));
  return pools;
}

}  // namespace tessera::runtime
