#include "runtime/execute/costs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace tessera::runtime {

OriginStatistics& Costs::of(std::uint32_t origin) {
  const auto [entry, added] = numbers_.emplace(origin, statistics_.size());
  if (added) statistics_.push_back(OriginStatistics{origin, 0, 0, 0, 0, {origin, 0, 0, 0}});
  return statistics_[entry->second];
}

void Costs::add_time(OriginStatistics& statistics, const Moment& begin, bool moves) const {
  if (!clock_) return;
  const double all = clock_() - begin.clock;
  const double waiting = team_.waited_seconds() - begin.waited;
  statistics.seconds += all;
  statistics.own.waiting += waiting;
  (moves ? statistics.own.moving : statistics.own.computing) += std::max(0.0, all - waiting);
}

base::Result<std::vector<RankSeconds>> seconds_of_ranks(Team& team, const std::vector<OriginStatistics>& mine) {
  RankSeconds own;
  for (const OriginStatistics& statistics : mine) own.push_back(statistics.own);
  if (team.alone()) return std::vector<RankSeconds>{own};
  TESSERA_TRY(counts, team.agree(base::Done{}, {std::ssize(own), 0}));
  std::vector<RankSeconds> all;
  all.push_back(own);
  for (int rank = 1; rank < team.size(); ++rank) {
    if (team.rank() != 0 && team.rank() != rank) continue;
    RankSeconds sent(own);
    sent.resize(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)][0]));
    TESSERA_TRY_STATUS(team.send(rank, std::array{0}, std::as_writable_bytes(std::span(sent))));
    if (team.rank() == 0) all.push_back(std::move(sent));
  }
  return all;
}

}  // namespace tessera::runtime
