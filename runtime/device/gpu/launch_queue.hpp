// Launches that wait to be begun together. Those that come again and again, with the same kernels and arguments, become
// a graph of the driver's, which is begun in one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/device/gpu/kernels.hpp"

namespace tessera::device {

// A launch, to be added again.
struct KeptLaunch {
  Kernel kernel;
  std::int64_t blocks = 0;
  std::vector<std::byte> args;
};

class LaunchQueue {
 public:
  explicit LaunchQueue(Gpu& gpu) : gpu_(gpu) {}
  ~LaunchQueue();
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;

  void add(const Kernel& kernel, std::int64_t blocks, std::span<const std::byte> args);
  std::size_t size() const { return launches_.size(); }
  // What was added since it had this size.
  std::vector<KeptLaunch> since(std::size_t size) const;
  // Begins what was added. Whoever asks the stream for anything else calls this before.
  base::Status begin();
  // What kept graphs point to is not there any more.
  void forget();

 private:
  struct Launch {
    Kernel kernel;
    unsigned blocks = 0;
    std::size_t args = 0;  // where they begin
    std::size_t args_size = 0;
  };
  // A queue that was seen before.
  struct Seen {
    std::vector<std::byte> key;
    int times = 0;
    void* graph = nullptr;  // ready to be begun
  };
  using Recent = std::list<std::uint64_t>;
  struct Entry {
    Seen seen;
    Recent::iterator place;
  };

  std::vector<std::byte> key() const;
  Seen& find(std::vector<std::byte> key);
  base::Status launch_all();
  base::Status make_graph(Seen& seen);
  void end(Seen& seen);

  Gpu& gpu_;
  std::vector<Launch> launches_;
  std::vector<std::byte> args_;
  std::unordered_map<std::uint64_t, Entry> entries_;  // by the key's hash
  Recent recent_;                                     // hashes, the last used first
};

}  // namespace tessera::device
