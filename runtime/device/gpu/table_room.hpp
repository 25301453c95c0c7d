// Tables of launches in a GPU's memory, by their content: a step that comes again finds its tables where they were.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/device/gpu/gpu_memory.hpp"

namespace tessera::device {

class TableRoom {
 public:
  TableRoom(Gpu& gpu, GpuMemory& memory) : gpu_(gpu), memory_(memory) {}
  ~TableRoom();
  TableRoom(const TableRoom&) = delete;
  TableRoom& operator=(const TableRoom&) = delete;

  // There is room for the first tables.
  base::Status begin();
  // Where these bytes are for what the stream is asked for from now on. Aligned to 256 bytes.
  base::Result<Address> find(std::span<const std::byte> bytes);
  // Is it time to forget what was found so far? Once no launch to come needs that, somebody should.
  bool is_crowded() const;
  base::Status forget();

 private:
  // Memory of the GPU, and the same bytes in pinned memory, from which they are copied.
  struct Chunk {
    Address device = 0;
    std::byte* host = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
  };
  struct Entry {
    Address device = 0;
    const std::byte* host = nullptr;
    std::size_t size = 0;
  };
  base::Result<Chunk*> chunk_for(std::size_t bytes);
  base::Status add_chunk(std::size_t bytes);
  base::Result<Address> add(std::span<const std::byte> bytes, std::uint64_t hash);

  Gpu& gpu_;
  GpuMemory& memory_;
  std::vector<Chunk> chunks_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace tessera::device
