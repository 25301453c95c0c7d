#include "runtime/device/steps/radix_sort.hpp"

#include <utility>

#include "runtime/device/steps/tile_table.hpp"

namespace tessera::device {

void RadixSort::add(std::int64_t count) {
  kernel::RadixTile tile;
  tile.count = count;
  tile.blocks = blocks_for(count, kernel::kRadixKeys);
  tile.first_block = blocks_;
  blocks_ += tile.blocks;
  tiles_.push_back(tile);
}

base::Status RadixSort::make_room(Launcher& launcher) {
  std::int64_t bytes = 0;
  const auto take = [&](std::int64_t wanted) {
    constexpr std::int64_t kAligned = 256;
    const std::int64_t begin = bytes;
    bytes += blocks_for(wanted, kAligned) * kAligned;
    return static_cast<Address>(begin);
  };
  for (kernel::RadixTile& tile : tiles_) {
    tile.keys = take(tile.count * key_bytes_);
    tile.keys_to = take(tile.count * key_bytes_);
    tile.positions = take(tile.count * 4);
    tile.positions_to = take(tile.count * 4);
    tile.counts = take((tile.blocks + 1) * kernel::kDigits * 4);
  }
  if (bytes == 0) return base::Done{};
  TESSERA_TRY(room, launcher.scratch(bytes));
  for (kernel::RadixTile& tile : tiles_) {
    for (std::uint64_t* address : {&tile.keys, &tile.keys_to, &tile.positions, &tile.positions_to, &tile.counts})
      *address += room;
  }
  return base::Done{};
}

base::Status RadixSort::sort(Launcher& launcher, int bits) {
  if (tiles_.empty()) return base::Done{};
  const std::string header = "runtime/device/text/radix.hpp";
  const std::string key = word_name(key_bytes_);
  for (int shift = 0; shift < bits; shift += kernel::kRadixBits) {
    TESSERA_TRY(table, table_of(launcher, tiles_));
    const auto lists = static_cast<std::int64_t>(tiles_.size());
    const kernel::RadixArgs args{table, lists, shift};
    TESSERA_TRY_STATUS(launch(launcher, {{header}, "CountDigits<" + key + ">", ""}, blocks_, args));
    TESSERA_TRY_STATUS(launch(launcher, {{header}, "AddCounts", ""}, lists * kernel::kDigits, args));
    TESSERA_TRY_STATUS(launch(launcher, {{header}, "PlaceKeys<" + key + ">", ""}, blocks_, args));
    for (kernel::RadixTile& tile : tiles_) {
      std::swap(tile.keys, tile.keys_to);
      std::swap(tile.positions, tile.positions_to);
    }
  }
  return base::Done{};
}

}  // namespace tessera::device
