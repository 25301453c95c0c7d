// Lists of keys sorted with their positions, each by itself, all at once.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/text/radix.hpp"

namespace tessera::device {

class RadixSort {
 public:
  // Keys of 4 or 8 bytes.
  explicit RadixSort(std::int64_t key_bytes) : key_bytes_(key_bytes) {}

  // A list of so many keys, at least one and less than 2^31.
  void add(std::int64_t count);
  base::Status make_room(Launcher& launcher);
  // Of list k, to be written before it is sorted; the positions are numbers of 32 bits.
  Address keys(std::size_t k) const { return tiles_[k].keys; }
  Address positions(std::size_t k) const { return tiles_[k].positions; }
  // By the lowest bits of the keys. Then keys() and positions() are those of the sorted lists.
  base::Status sort(Launcher& launcher, int bits);

 private:
  std::int64_t key_bytes_;
  std::int64_t blocks_ = 0;
  std::vector<kernel::RadixTile> tiles_;
};

}  // namespace tessera::device
