// Which rank has which device of a run: contiguous blocks, as even as they can be. A device is on one rank, whatever
// mesh names it; rank 0 always has device 0. With more ranks than devices some ranks have none. Devices of a mesh are
// known by their numbers in it, which ascend with the devices of the run: those of a rank follow each other, too.
//
// Example: 8 devices on 4 ranks are two on each; a mesh on devices 2 to 4 has its numbers 0 and 1 on rank 1, and number
// 2 on rank 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "synth/layout/mesh.hpp"

namespace tessera::runtime {

// Devices begin to end - 1.
struct Block {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool holds(std::int64_t device) const { return begin <= device && device < end; }
};

// One of so many shares, as even as they can be, of a rank's devices: those that a place of its engine has.
struct Share {
  int number = 0;
  int of = 1;
};

// How many devices of a mesh come before this device of the run.
inline std::int64_t numbers_below(const synth::Mesh& mesh, std::int64_t device) {
  std::int64_t begin = 0;
  for (std::int64_t end = mesh.devices(); begin < end;) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (mesh.run_device(middle) < device)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

class DeviceRanks {
 public:
  // At least one device.
  DeviceRanks(int ranks, std::int64_t devices) : ranks_(ranks), devices_(devices) {}

  int ranks() const { return ranks_; }
  std::int64_t devices() const { return devices_; }
  int owner(std::int64_t device) const { return static_cast<int>(device * ranks_ / devices_); }
  // The rank of a mesh's device, by its number.
  int owner(const synth::Mesh& mesh, std::int64_t number) const { return owner(mesh.run_device(number)); }
  Block block(int rank) const { return {first(rank), first(rank + 1)}; }
  // A rank's share of the run's first `count` devices.
  Block block(int rank, std::int64_t count) const {
    return {std::min(first(rank), count), std::min(first(rank + 1), count)};
  }
  // The numbers of a mesh's devices that a rank has.
  Block block(int rank, const synth::Mesh& mesh) const {
    return {numbers_below(mesh, first(rank)), numbers_below(mesh, first(rank + 1))};
  }

  // A rank's devices are dealt to its places as devices are to ranks.
  Block share(int rank, const Share& share) const {
    const Block all = block(rank);
    const auto begin = [&](std::int64_t number) { return all.begin + (number * all.size() + share.of - 1) / share.of; };
    return {begin(share.number), begin(share.number + 1)};
  }
  Block share(int rank, const Share& share, const synth::Mesh& mesh) const {
    const Block mine = this->share(rank, share);
    return {numbers_below(mesh, mine.begin), numbers_below(mesh, mine.end)};
  }
  // Which of its rank's places has a device.
  int place(std::int64_t device, int places) const {
    const Block all = block(owner(device));
    return static_cast<int>((device - all.begin) * places / all.size());
  }

 private:
  // The least device d with d / devices >= rank / ranks.
  std::int64_t first(int rank) const { return (rank * devices_ + ranks_ - 1) / ranks_; }

  int ranks_;
  std::int64_t devices_;
};

}  // namespace tessera::runtime
