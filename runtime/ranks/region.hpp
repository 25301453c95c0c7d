// The memory that the ranks of one machine share. Each rank has a slice, from which its own arenas get their ranges,
// and a line, by which ranks wait for each other. It is a file without a name (memfd): nothing is left of it when its
// last process ends, however that ends. Pages are committed when they are first touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.hpp"
#include "runtime/memory/free_list.hpp"
#include "runtime/memory/pool.hpp"

namespace tessera::runtime {

class Region final : public Pool {
 public:
  // A rank's signals, alone in their cache line. Phases count up for ever.
  struct alignas(kAlignment) Line {
    std::atomic<std::int64_t> arrived = 0;   // in this phase: data for the others is there
    std::atomic<std::int64_t> finished = 0;  // with this phase: its reads from others are done
    std::int64_t process = 0;                // its id
  };

  // How another process of the machine finds it.
  struct Address {
    std::int64_t process = 0;
    std::int64_t descriptor = -1;  // negative: there is none
    std::uint64_t secret = 0;      // so that nothing else is taken for it
  };

  // The first rank of `places` makes it, the others open it. Nothing where the system does not let them.
  static std::shared_ptr<Region> create(int places);
  static std::shared_ptr<Region> open(const Address& address, int places, int place);
  ~Region() override;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  const Address& address() const { return address_; }
  Line& line(int place) const;
  // Is the process of a rank still there?
  bool has_process(int place) const;
  // A process that finds this rank gone says so before it ends. All get the rank that was found first: the others may
  // have ended because of it.
  int first_lost(int rank) const;
  // The least step of the present run at which a rank has failed.
  std::atomic<std::int64_t>& failed_step() const;

  // Takes the lowest bytes of this rank's slice that fit. A slice's first pages are kept when they are given back, as
  // far as an eighth of the machine's memory goes for all ranks together: the next arena finds them there.
  std::byte* take(std::int64_t bytes) override;
  void give_back(std::byte* begin, std::int64_t bytes) override;
  // The same for a part of an arena: the next run finds its pages, while a value stays in the rest of the arena.
  bool give_back_early(std::byte* begin, std::int64_t bytes) override;
  // The memory of a range of a rank's slice, and the offset that says so to the others.
  std::byte* at(int place, std::int64_t offset) const { return slice(place) + offset; }
  std::int64_t offset_of(const std::byte* begin) const { return begin - slice(place_); }

 private:
  Region(int places, int place) : places_(places), place_(place) {}
  bool map(int descriptor);
  void forget(std::byte* begin, std::int64_t bytes) const;
  std::byte* slice(int place) const;

  int places_;
  int place_;
  Address address_;
  std::byte* base_ = nullptr;
  std::mutex mutex_;  // of free_
  FreeList free_;
};

}  // namespace tessera::runtime
