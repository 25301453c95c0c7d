#include "runtime/execute/costs.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

namespace tessera::runtime {

OriginStatistics& Costs::of(std::uint32_t origin) {
  const auto [entry, added] = numbers_.emplace(origin, statistics_.size());
  if (added) statistics_.push_back(OriginStatistics{origin, 0, 0, 0, 0, {origin, 0, 0, 0}});
  return statistics_[entry->second];
}

void Costs::add_time(OriginStatistics& statistics, const Moment& begin, const Moment& end, bool moves) {
  if (!clock_) return;
  const double waiting = end.waited - begin.waited;
  if (begin.mark >= 0) {
    statistics.own.waiting += waiting;
    const auto number = static_cast<std::size_t>(&statistics - statistics_.data());
    marked_.push_back({number, begin.mark, end.mark, waiting, moves});
    return;
  }
  const double all = end.clock - begin.clock;
  statistics.seconds += all;
  statistics.own.waiting += waiting;
  (moves ? statistics.own.moving : statistics.own.computing) += std::max(0.0, all - waiting);
}

void Costs::settle(const std::function<double(std::int64_t mark)>& seconds) {
  for (const Marked& step : marked_) {
    OriginStatistics& statistics = statistics_[step.number];
    const double took = seconds(step.end) - seconds(step.begin);
    statistics.seconds += took;
    (step.moves ? statistics.own.moving : statistics.own.computing) += std::max(0.0, took - step.waiting);
  }
  marked_.clear();
}

void Costs::count_apart(std::uint32_t origin, std::int64_t received_bytes) {
  Apart& own = apart_[origin];
  own.received_bytes += received_bytes;
  own.moved.push_back(received_bytes > 0);
}

// A rank sends its bytes and its steps to rank 0, which sends the sums to all.
base::Status Costs::add_up(Team& team) {
  std::vector<int> others;
  for (int rank = 1; rank < team.size(); ++rank) others.push_back(rank);
  for (auto& [origin, own] : apart_) {
    std::vector<std::int64_t> sums(own.moved.size() + 1);
    sums[0] = own.received_bytes;
    std::ranges::copy(own.moved, sums.begin() + 1);
    for (const int rank : others) {
      if (team.rank() != 0 && team.rank() != rank) continue;
      std::vector<std::int64_t> sent(sums);
      TESSERA_TRY_STATUS(team.send(rank, std::array{0}, std::as_writable_bytes(std::span(sent))));
      if (team.rank() == 0) std::ranges::transform(sums, sent, sums.begin(), std::plus());
    }
    TESSERA_TRY_STATUS(team.send(0, others, std::as_writable_bytes(std::span(sums))));
    OriginStatistics& statistics = of(origin);
    statistics.received_bytes += sums[0];
    statistics.steps += std::count_if(sums.begin() + 1, sums.end(), [](std::int64_t ranks) { return ranks > 0; });
  }
  apart_.clear();
  return base::Done{};
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
