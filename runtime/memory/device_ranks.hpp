// Which rank has which device of a run: contiguous blocks, as even as they can be. A device is on one rank, whatever
// mesh names it; rank 0 always has device 0. With more ranks than devices some ranks have none.
//
// Example: 8 devices on 4 ranks are two on each; a mesh of the first two devices lies on rank 0 alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera::runtime {

// Devices begin to end - 1.
struct Block {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool holds(std::int64_t device) const { return begin <= device && device < end; }
};

class DeviceRanks {
 public:
  // At least one device.
  DeviceRanks(int ranks, std::int64_t devices) : ranks_(ranks), devices_(devices) {}

  int ranks() const { return ranks_; }
  std::int64_t devices() const { return devices_; }
  int owner(std::int64_t device) const { return static_cast<int>(device * ranks_ / devices_); }
  Block block(int rank) const { return {first(rank), first(rank + 1)}; }
  // A rank's share of the run's first `count` devices.
  Block block(int rank, std::int64_t count) const {
    return {std::min(first(rank), count), std::min(first(rank + 1), count)};
  }

 private:
  // The least device d with d / devices >= rank / ranks.
  std::int64_t first(int rank) const { return (rank * devices_ + ranks_ - 1) / ranks_; }

  int ranks_;
  std::int64_t devices_;
};

}  // namespace tessera::runtime
