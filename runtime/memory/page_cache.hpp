// Memory of this process alone. Pages that are given back are kept for the next request: the system has to find and
// zero new pages, which takes longer than most steps that fill them. The system may take kept pages whenever it needs
// some.
#pragma once

#include <list>
#include <map>
#include <mutex>

#include "runtime/memory/pool.hpp"

namespace tessera::runtime {

class PageCache final : public Pool {
 public:
  PageCache() = default;
  ~PageCache() override;
  PageCache(const PageCache&) = delete;
  PageCache& operator=(const PageCache&) = delete;

  std::byte* take(std::int64_t bytes) override;
  void give_back(std::byte* begin, std::int64_t bytes) override;
  // A part is kept apart, until its neighbours come back, too.
  bool give_back_early(std::byte* begin, std::int64_t bytes) override;

 private:
  // A part of what the system gave at once, or all of it.
  struct Mapping {
    std::byte* begin;
    std::int64_t bytes;
    const std::byte* whole;  // where that began
  };
  // A range that was taken; it may be longer than what was asked for.
  struct Taken {
    std::int64_t bytes;
    std::int64_t unasked;
    const std::byte* whole;
  };

  void keep(Mapping mapping);

  std::mutex mutex_;                         // of all below
  std::list<Mapping> kept_;                  // the latest first
  std::map<const std::byte*, Taken> taken_;  // by their first bytes
};

}  // namespace tessera::runtime
