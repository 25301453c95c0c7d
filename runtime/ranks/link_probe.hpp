// Measures how long ranks take to get bytes from each other, by the phases and messages of a run, on all ranks
// together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

class Arena;
class Engine;

class LinkProbe {
 public:
  // `bytes_max` limits the bytes of one exchange. With an engine they lie at its first place, before and after. Called
  // on all ranks.
  static base::Result<std::unique_ptr<LinkProbe>> make(Team& team, std::int64_t bytes_max, Engine* engine = nullptr);
  ~LinkProbe();
  LinkProbe(const LinkProbe&) = delete;
  LinkProbe& operator=(const LinkProbe&) = delete;

  // An exchange as this rank sees it: whom it gets bytes from, who gets bytes of it, and how many.
  struct Exchange {
    std::vector<int> sources;
    std::vector<int> readers;
    std::int64_t bytes = 0;
  };
  // Makes `times` exchanges one after the other; returns the seconds of one, on the rank that took longest. Called on
  // all ranks, also on those that exchange nothing.
  base::Result<double> measured(const Exchange& exchange, int times);
  // The median of up to eight of these; fewer if they take more than `seconds_max` together.
  base::Result<double> median(const Exchange& exchange, int times, double seconds_max);

 private:
  LinkProbe(Team& team, std::int64_t bytes_max, Engine* engine);
  base::Status find_memory();
  base::Status bring_out(std::int64_t bytes);
  base::Status bring_in(std::size_t sources, std::int64_t bytes);
  base::Status perform(const Exchange& exchange);

  Team& team_;
  std::int64_t bytes_max_;
  Engine* engine_;
  std::shared_ptr<Arena> there_;  // the engine's memory
  std::byte* given_ = nullptr;    // what others get, in the memory that is shared, where there is one
  std::vector<std::byte> own_;    // or here
  std::vector<std::byte> taken_;
  std::vector<std::int64_t> offsets_;  // of every rank's
};

}  // namespace tessera::runtime
