#include "synth/moves/transfer/unit_moves.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tessera::synth {

namespace {

// The beginnings of parts of one n-th, for every n, each once and in ascending order.
std::vector<Fraction> cells_of(const std::set<std::int64_t>& counts) {
  std::vector<Fraction> cells;
  for (const std::int64_t count : counts) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t common = std::gcd(i, count);
      cells.push_back({i / common, count / common});
    }
  }
  const auto products = [](const Fraction& a, const Fraction& b) {
    return std::pair(a.numerator * b.denominator, b.numerator * a.denominator);
  };
  std::sort(cells.begin(), cells.end(), [&](const Fraction& a, const Fraction& b) {
    const auto [left, right] = products(a, b);
    return left < right;
  });
  const auto same = [&](const Fraction& a, const Fraction& b) {
    const auto [left, right] = products(a, b);
    return left == right;
  };
  cells.erase(std::unique(cells.begin(), cells.end(), same), cells.end());
  return cells;
}

class UnitMoves {
 public:
  UnitMoves(const std::vector<std::int64_t>& unit_of_member, bool scatters, std::int64_t stretches,
            const std::vector<std::int64_t>& unit_rates)
      : scatters_(scatters) {
    std::map<std::int64_t, std::size_t> known;
    for (const std::int64_t number : unit_of_member) {
      const std::size_t unit = known.emplace(number, units_.size()).first->second;
      if (unit == units_.size()) units_.emplace_back();
      units_[unit].push_back(static_cast<std::int32_t>(unit_of_.size()));
      unit_of_.push_back(unit);
    }
    moves_.members = std::ssize(unit_of_member);
    moves_.stretches = stretches;
    moves_.foreign.resize(unit_of_.size());
    cut(unit_rates.empty() ? std::vector<std::int64_t>(units_.size(), 1) : unit_shares(unit_rates));
  }

  ReduceMoves moves() && {
    collect();
    add_up();
    if (!scatters_) {
      give_back();
      gather();
    }
    for (std::vector<std::int32_t>& chunks : moves_.foreign) std::sort(chunks.begin(), chunks.end());
    return std::move(moves_);
  }

 private:
  using Members = std::vector<std::int32_t>;  // by position
  using Chunks = std::vector<std::int32_t>;

  void cut(const std::vector<std::int64_t>& shares) {
    moves_.hop_slots = scatters_ ? 2 : 3;
    // A sum is given back in the slot in which it is added up.
    moves_.hops = {{{}, 0}, {{}, 1}};
    auto chunks = static_cast<std::int32_t>(moves_.members);
    if (!scatters_) {
      moves_.hops.insert(moves_.hops.end(), {ProgramHop{{}, 1}, ProgramHop{{}, 2}});
      std::set<std::int64_t> counts;
      for (const Members& unit : units_) counts.insert(std::ssize(unit));
      moves_.cells = cells_of(counts);
      moves_.chunk_shares = shares;
      chunks = static_cast<std::int32_t>(std::ssize(moves_.cells) * std::ssize(shares));
    }
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      if (scatters_ || shares[owner(chunk)] > 0) chunks_.push_back(chunk);
    }
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      Chunks& collectors = collectors_.emplace_back();
      for (std::int32_t chunk = 0; chunk < chunks; ++chunk) collectors.push_back(find_collector(unit, chunk));
    }
  }

  // Who of a unit adds up what the unit has of a chunk.
  std::int32_t find_collector(std::size_t unit, std::int32_t chunk) const {
    const Members& members = units_[unit];
    const auto count = std::ssize(members);
    if (!scatters_) {
      const Fraction& cell = moves_.cells[static_cast<std::size_t>(chunk) / moves_.chunk_shares.size()];
      return members[static_cast<std::size_t>(cell.numerator * count / cell.denominator)];
    }
    if (unit_of_[static_cast<std::size_t>(chunk)] == unit) return chunk;
    return members[static_cast<std::size_t>(chunk * count / moves_.members)];
  }
  std::int32_t collector(std::size_t unit, std::int32_t chunk) const {
    return collectors_[unit][static_cast<std::size_t>(chunk)];
  }
  std::size_t owner(std::int32_t chunk) const {
    return scatters_ ? unit_of_[static_cast<std::size_t>(chunk)]
                     : static_cast<std::size_t>(chunk) % moves_.chunk_shares.size();
  }
  // A lone member has nothing to collect.
  bool is_alone(std::size_t unit) const { return units_[unit].size() == 1; }

  Chunks collected_by(std::size_t unit, std::int32_t member) const {
    Chunks mine;
    for (const std::int32_t chunk : chunks_) {
      if (collector(unit, chunk) == member) mine.push_back(chunk);
    }
    return mine;
  }

  void move(std::size_t hop, std::int32_t to, std::vector<ReduceMove::From> from, Chunks chunks) {
    if (chunks.empty()) return;
    Chunks& foreign = moves_.foreign[static_cast<std::size_t>(to)];
    std::copy_if(chunks.begin(), chunks.end(), std::back_inserter(foreign),
                 [&](std::int32_t chunk) { return scatters_ && chunk != to; });
    moves_.hops[hop].moves.push_back({to, std::move(from), std::move(chunks)});
  }

  void collect() {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (is_alone(unit)) continue;
      std::vector<ReduceMove::From> all;
      for (const std::int32_t member : units_[unit]) all.push_back({member, true});
      for (const std::int32_t member : units_[unit]) move(0, member, all, collected_by(unit, member));
    }
  }

  void add_up() {
    if (units_.size() == 1) return;
    std::map<std::pair<std::size_t, Members>, Chunks> by_collectors;
    for (const std::int32_t chunk : chunks_) {
      Members from;
      for (std::size_t unit = 0; unit < units_.size(); ++unit) from.push_back(collector(unit, chunk));
      by_collectors[{owner(chunk), std::move(from)}].push_back(chunk);
    }
    for (auto& [key, chunks] : by_collectors) {
      std::vector<ReduceMove::From> from;
      for (std::size_t unit = 0; unit < units_.size(); ++unit) from.push_back({key.second[unit], is_alone(unit)});
      move(1, key.second[key.first], std::move(from), std::move(chunks));
    }
  }

  void give_back() {
    std::map<std::pair<std::int32_t, std::int32_t>, Chunks> by_pair;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      for (const std::int32_t chunk : chunks_) {
        if (owner(chunk) != unit) by_pair[{collector(owner(chunk), chunk), collector(unit, chunk)}].push_back(chunk);
      }
    }
    for (auto& [pair, chunks] : by_pair) move(2, pair.second, {{pair.first, false}}, std::move(chunks));
  }

  void gather() {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      for (const std::int32_t source : units_[unit]) {
        const Chunks chunks = collected_by(unit, source);
        for (const std::int32_t member : units_[unit]) {
          if (member != source) move(3, member, {{source, false}}, chunks);
        }
      }
    }
  }

  bool scatters_;
  std::vector<Members> units_;        // in the order of their first members
  std::vector<std::size_t> unit_of_;  // of every member
  Chunks chunks_;                     // that have something in them
  std::vector<Members> collectors_;   // of every unit, by chunk
  ReduceMoves moves_;
};

}  // namespace

std::vector<std::int64_t> unit_shares(const std::vector<std::int64_t>& rates) {
  const auto units = std::ssize(rates);
  if (units <= 2) return std::vector<std::int64_t>(rates.size(), 1);
  const std::int64_t all = std::accumulate(rates.begin(), rates.end(), std::int64_t{0});
  const std::int64_t least = *std::min_element(rates.begin(), rates.end());
  const bool slowest_decides = 2 * (units - 1) * least < all;
  std::vector<std::int64_t> shares;
  std::int64_t rest = slowest_decides ? (units - 2) * least : (units - 2) * all;
  for (const std::int64_t rate : rates) {
    const std::int64_t most = slowest_decides ? rate - least : 2 * (units - 1) * rate - all;
    shares.push_back(std::min(most, rest));
    rest -= shares.back();
  }
  std::int64_t common = 0;
  for (const std::int64_t share : shares) common = std::gcd(common, share);
  for (std::int64_t& share : shares) share /= common;
  return shares;
}

ReduceMoves unit_moves(const std::vector<std::int64_t>& unit_of_member, bool scatters, std::int64_t stretches,
                       const std::vector<std::int64_t>& unit_rates) {
  return UnitMoves(unit_of_member, scatters, stretches, unit_rates).moves();
}

}  // namespace tessera::synth
