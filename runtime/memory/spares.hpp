// Memory of this process alone. What is given back is kept for the next who asks: new pages have to be found and zeroed
// by the system, which takes longer than most steps that fill them. Kept pages are the system's to take whenever it
// needs some.
#pragma once

#include <list>
#include <map>
#include <mutex>

#include "runtime/memory/pool.hpp"

namespace tessera::runtime {

class Spares final : public Pool {
 public:
  Spares() = default;
  ~Spares() override;
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  std::byte* take(std::int64_t bytes) override;
  void give_back(std::byte* begin, std::int64_t bytes) override;
  // Gives the pages to the system: a mapping is handed out again as a whole.
  bool give_back_early(std::byte* begin, std::int64_t bytes) override;

 private:
  struct Mapping {
    std::byte* begin;
    std::int64_t bytes;
  };
  std::mutex mutex_;                                // of all below
  std::list<Mapping> kept_;                         // the latest first
  std::map<const std::byte*, std::int64_t> taken_;  // how long each really is
};

}  // namespace tessera::runtime
