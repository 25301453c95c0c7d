// Steps that look into tiles, where tiles lie in memory that only the engine can look into: their tiles are brought
// into host memory, the storage leads to them there, and what the step has written is brought back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "runtime/engine/host/host_engine.hpp"
#include "runtime/transfers/copied_ranges.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

class HostCopies {
 public:
  HostCopies(Engine& engine, Storage& storage) : engine_(engine), storage_(storage) {}

  // A step's registers, and room that it has beside them on the devices of a register.
  void reads(synth::RegisterId id) { add(id, true, false); }
  void writes(synth::RegisterId id) { add(id, false, true); }
  void has_room(synth::RegisterId id, std::int64_t offset, std::int64_t bytes);

  // From here on the storage leads to the copies.
  base::Status begin();
  // After a step that has failed the copies stay until `forget`: messages that nobody waits for may still use them.
  base::Status end();
  void forget();

 private:
  struct Part {
    const std::byte* begin;
    std::int64_t bytes;
    bool is_read;
    bool is_written;
  };
  void add(synth::RegisterId id, bool is_read, bool is_written);
  void place_parts();

  Engine& engine_;
  Storage& storage_;
  HostEngine cores_;
  std::vector<Part> parts_;
  CopiedRanges ranges_;
  std::unique_ptr<std::byte[]> memory_;  // used again and again
  std::int64_t memory_bytes_ = 0;
};

}  // namespace tessera::runtime
