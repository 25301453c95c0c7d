// What the steps of a run cost, by origin: bytes, which are the same on every rank, and this rank's seconds. Most bytes
// follow from types, so that every rank counts those of all. Of rows that ids name a rank knows only what its own
// devices receive; that is added up when the run is over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "runtime/execute/world.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {

class Costs {
 public:
  // Without a clock all seconds are 0.
  Costs(const std::function<double()>& clock, const Team& team) : clock_(clock), team_(team) {}

  OriginStatistics& of(std::uint32_t origin);

  struct Moment {
    double clock = 0;
    double waited = 0;
    std::int64_t mark = -1;  // of an engine that works later
  };
  Moment now() const { return clock_ ? Moment{clock_(), team_.waited_seconds(), -1} : Moment{}; }
  // Steps of this origin took from one moment to the other; `moves`: devices have received something by them. Where the
  // moments are marks of an engine, that is known when `settle` is called.
  void add_time(OriginStatistics& statistics, const Moment& begin, const Moment& end, bool moves);
  // `seconds`: of a mark.
  void settle(const std::function<double(std::int64_t mark)>& seconds);

  // A step by which devices of this rank have received so much; every rank counts each of these steps.
  void count_apart(std::uint32_t origin, std::int64_t received_bytes);
  // Called on all ranks: gives every rank the sums of what was counted apart, of bytes and of steps that moved some.
  base::Status add_up(Team& team);

  std::vector<OriginStatistics> take() { return std::move(statistics_); }

 private:
  const std::function<double()>& clock_;
  const Team& team_;
  std::vector<OriginStatistics> statistics_;
  std::unordered_map<std::uint32_t, std::size_t> numbers_;
  struct Marked {
    std::size_t number = 0;  // in statistics_
    std::int64_t begin = 0;
    std::int64_t end = 0;
    double waiting = 0;
    bool moves = false;
  };
  std::vector<Marked> marked_;
  struct Apart {
    std::int64_t received_bytes = 0;
    std::vector<bool> moved;  // of every step: has some device received something?
  };
  std::map<std::uint32_t, Apart> apart_;
};

// Called on all ranks after a run: rank 0 gets the seconds of every rank, the others their own.
base::Result<std::vector<RankSeconds>> seconds_of_ranks(Team& team, const std::vector<OriginStatistics>& mine);

}  // namespace tessera::runtime
