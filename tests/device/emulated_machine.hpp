// What the emulated driver is made of: GPUs whose memory is the host's, and streams whose work waits until somebody
// waits for it. It is harsher than a GPU: see emulated_cuda.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/device/emulated_failures.hpp"

namespace tessera::emulated {

using Address = std::uint64_t;

// Bytes of a GPU's memory, between pages that nobody may touch.
struct Allocation {
  std::byte* mapped = nullptr;
  std::size_t mapped_bytes = 0;
  std::size_t bytes = 0;
  int gpu = 0;
};

struct Context {
  int gpu = 0;
  int holders = 0;
  std::set<int> peers;  // whose memory its kernels may reach
};

// What a program is given a handle of, and has to give back.
struct Thing {
  Thing() = default;
  virtual ~Thing() = default;
  Thing(const Thing&) = default;
  Thing& operator=(const Thing&) = default;
  virtual const char* name() const = 0;
};

struct Event final : Thing {
  std::uint64_t recorded = 0;  // how often it was asked to be
  std::uint64_t done = 0;
  bool has_times = false;
  double seconds = 0;  // when it was done last
  const char* name() const override { return "event"; }
};

// One thing that a stream does. One that waits for an event waits for its latest record when it was asked to.
struct Task {
  int gpu = 0;
  std::function<void()> run;
  std::shared_ptr<Event> waits_for = nullptr;
  std::uint64_t record = 0;
};

struct Graph final : Thing {
  std::vector<Task> tasks;
  const char* name() const override { return "graph"; }
};

struct Stream {
  Context* context = nullptr;
  std::deque<Task> tasks;
  std::shared_ptr<Graph> capture = nullptr;  // what is noted instead of done
};

class Machine {
 public:
  Machine();

  std::recursive_mutex& mutex() { return mutex_; }
  int gpus() const { return static_cast<int>(contexts_.size()); }
  Context& context(int gpu) { return *contexts_[static_cast<std::size_t>(gpu)]; }

  // Memory. Nonsense when it is new.
  bool allocate(int gpu, std::size_t bytes, Address& address);
  bool free(Address address);
  std::size_t total() const { return memory_; }
  std::size_t left(int gpu) const;
  // The allocation that holds the whole range; null: there is none.
  const Allocation* holder(Address begin, std::size_t bytes) const;
  void add_pinned(const std::byte* begin, std::size_t bytes) { pinned_[begin] = bytes; }
  bool remove_pinned(const void* begin) { return pinned_.erase(static_cast<const std::byte*>(begin)) == 1; }
  bool is_pinned(const void* begin, std::size_t bytes) const;

  // Events, modules and graphs.
  void* give(std::shared_ptr<Thing> thing);
  template <class T>
  std::shared_ptr<T> find(const void* handle) const {
    const auto found = things_.find(handle);
    return found == things_.end() ? nullptr : std::dynamic_pointer_cast<T>(found->second);
  }
  bool end(const void* handle) { return things_.erase(handle) == 1; }

  // What programs have not given back, as `2 events, 1 stream`; empty: nothing. Then it is as if they had, as when a
  // process ends that has lost its GPU.
  std::string held() const;
  void forget();

  // Streams.
  Stream* new_stream(Context& context);
  bool end_stream(Stream* stream);
  bool knows(const Stream* stream) const { return streams_.contains(const_cast<Stream*>(stream)); }
  void add(Stream& stream, Task task);
  void add_graph(Stream& stream, const Graph& graph);
  // Work goes on, of any stream that can, until the condition holds. False: nothing can go on.
  bool go_on_until(const std::function<bool()>& holds);
  bool go_on_until_idle();
  void take_one();
  std::uint64_t random() { return order_(); }
  // A copy by the driver, which reaches the memory of all GPUs.
  void copy_between(Address to, Address from, std::size_t bytes);

  // The call of this name is made, for this GPU or none. The code that it fails with, 0 if it does not.
  int failure_of(const char* symbol, int gpu);
  bool has_failed() const { return failing_.has_failed(); }

 private:
  bool step();
  void unmap(const Allocation& allocation);
  void run(Task& task);
  void protect(int gpu, bool open);
  void open_for(int gpu);
  void close();

  std::recursive_mutex mutex_;
  std::mt19937_64 order_;
  std::size_t memory_ = 0;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::map<Address, Allocation> allocations_;
  std::map<const std::byte*, std::size_t> pinned_;
  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  std::map<const void*, std::shared_ptr<Thing>> things_;
  FailingCalls failing_;
  static constexpr int kNobody = -1;
  int lost_ = 0;
  int lost_gpu_ = kNobody;  // the only one that is lost
  int open_ = kNobody;      // whose memory can be reached now
};

// The one of this process.
Machine& machine();

// A task at the end of a stream of the driver's, for libraries that do work of their own there.
int enqueue(void* stream, std::function<void()> run);

}  // namespace tessera::emulated
