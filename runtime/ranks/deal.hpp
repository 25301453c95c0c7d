// Which rank has which device: contiguous blocks, as even as they can be, whatever the two numbers are. Rank 0 has
// device 0 always; where there are more ranks than devices, some have none.
#pragma once

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

class Deal {
 public:
  explicit Deal(int ranks) : ranks_(ranks) {}
  int ranks() const { return ranks_; }

  // The devices, out of so many, that a rank has.
  Block block(int rank, std::int64_t devices) const { return {first(rank, devices), first(rank + 1, devices)}; }
  // The rank that has a device.
  int owner(std::int64_t device, std::int64_t devices) const { return static_cast<int>(device * ranks_ / devices); }

 private:
  // The least device d with d / devices >= rank / ranks.
  std::int64_t first(int rank, std::int64_t devices) const { return (rank * devices + ranks_ - 1) / ranks_; }
  int ranks_;
};

}  // namespace tessera::runtime
