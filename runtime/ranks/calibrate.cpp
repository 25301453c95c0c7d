#include "runtime/ranks/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kinds.hpp"
#include "runtime/ranks/engine_probe.hpp"
#include "runtime/ranks/level_figures.hpp"
#include "runtime/ranks/link_probe.hpp"
#include "runtime/ranks/rank_clusters.hpp"

namespace tessera::runtime {

namespace {

using std::chrono::steady_clock;

constexpr std::int64_t kLinkBytes = 16 << 20;  // over a unit's link, each way
constexpr std::int64_t kPairBytes = 1 << 18;
constexpr std::int64_t kPairMembersMax = 64;
constexpr std::int64_t kEmptyBytes = 8;  // nobody sends a message of none
constexpr int kTurnsOfPairs = 8;

base::Diagnostic not_calibrated(const std::string& why) { return base::make(Kind::not_calibrated, why); }

// `count` units of `ranks` ranks each in every unit of the level outside.
struct RankLevel {
  std::string name;
  std::int64_t count = 1;
  std::int64_t ranks = 1;
};

class Calibration {
 public:
  Calibration(Team& team, LinkProbe& probe, double seconds_max)
      : team_(team), probe_(probe), seconds_max_(seconds_max) {}

  // The levels of a machine of so many hosts.
  base::Result<std::vector<RankLevel>> levels(std::int64_t hosts) {
    const std::int64_t ranks = team_.size() / hosts;
    std::vector<RankLevel> found;
    TESSERA_TRY(groups, clusters(hosts, ranks, seconds_max_ / 6));
    TESSERA_TRY(inside, clusters(ranks, 1, seconds_max_ / 6));
    std::int64_t outer = team_.size();
    const auto add = [&](const char* name, std::int64_t of_ranks) {
      if (of_ranks < outer) found.push_back({name, outer / of_ranks, of_ranks});
      outer = of_ranks;
    };
    for (const std::int64_t size : groups) add("group", size * ranks);
    add("host", ranks);
    for (const std::int64_t size : inside) add("cluster", size);
    add("rank", 1);
    return found;
  }

  base::Result<synth::MachineLevel> measured(const RankLevel& level, double seconds) {
    const auto peers = static_cast<int>(std::min<std::int64_t>(kPeersMax, level.count - 1));
    TESSERA_TRY(one, probe_.median(exchange(level, 1, kEmptyBytes), kEmptyTimes, seconds / 4));
    TESSERA_TRY(several, probe_.median(exchange(level, peers, kEmptyBytes), kEmptyTimes, seconds / 4));
    TESSERA_TRY(full, probe_.median(exchange(level, 1, kLinkBytes / level.ranks), 1, seconds / 2));
    return level_of(level.name, level.count, {one, several, full}, kLinkBytes);
  }

 private:
  // With the ranks at this one's place in the next units of the same unit outside.
  LinkProbe::Exchange exchange(const RankLevel& level, int peers, std::int64_t bytes) const {
    const std::int64_t outer = level.count * level.ranks;
    const std::int64_t begin = team_.rank() / outer * outer;
    const auto at = [&](std::int64_t distance) {
      const std::int64_t moved = (team_.rank() - begin + distance * level.ranks + outer) % outer;
      return static_cast<int>(begin + moved);
    };
    LinkProbe::Exchange exchange{{}, {}, bytes};
    for (int peer = 1; peer <= peers; ++peer) {
      exchange.sources.push_back(at(peer));
      exchange.readers.push_back(at(-peer));
    }
    return exchange;
  }

  // Clusters of members of so many ranks each, of whom the first stand for all; inside hosts all hosts at once.
  base::Result<std::vector<std::int64_t>> clusters(std::int64_t members, std::int64_t ranks, double seconds) {
    if (members < 4 || members > kPairMembersMax) return std::vector<std::int64_t>{};
    const auto count = static_cast<std::size_t>(members);
    PairSeconds pairs(count, std::vector<double>(count, 0));
    double spent = 0;
    for (int turn = 0; turn < kTurnsOfPairs && (turn == 0 || spent < seconds); ++turn) {
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a + 1; b < count; ++b) {
          TESSERA_TRY(one, probe_.measured(pair(a, b, members, ranks), 1));
          spent += one;
          pairs[a][b] = turn < 2 ? one : std::min(pairs[a][b], one);  // the first makes connections
        }
      }
    }
    return cluster_sizes(pairs);
  }

  LinkProbe::Exchange pair(std::size_t a, std::size_t b, std::int64_t members, std::int64_t ranks) const {
    const std::int64_t begin = team_.rank() / (members * ranks) * (members * ranks);
    const auto rank = [&](std::size_t member) {
      return static_cast<int>(begin + static_cast<std::int64_t>(member) * ranks);
    };
    if (team_.rank() == rank(a)) return {{rank(b)}, {rank(b)}, kPairBytes};
    if (team_.rank() == rank(b)) return {{rank(a)}, {rank(a)}, kPairBytes};
    return {{}, {}, kPairBytes};
  }

  Team& team_;
  LinkProbe& probe_;
  double seconds_max_;
};

// How many hosts there are; each has as many ranks, which follow each other.
base::Result<std::int64_t> count_hosts(const Team& team) {
  if (team.alone()) return 1;
  std::vector<std::int64_t> ranks_of_host;
  int last = -1;
  for (int rank = 0; rank < team.size(); ++rank) {
    if (team.machine(rank) != last && team.machine(rank) != rank)
      return not_calibrated("the ranks of a host do not follow each other; start them host by host");
    if (team.machine(rank) != last) ranks_of_host.push_back(0);
    ++ranks_of_host.back();
    last = team.machine(rank);
  }
  for (const std::int64_t ranks : ranks_of_host) {
    if (ranks == ranks_of_host[0]) continue;
    return not_calibrated(
        fmt::format("a host has {} ranks and another {}; start as many on each", ranks_of_host[0], ranks));
  }
  return std::ssize(ranks_of_host);
}

// ---- The devices of one rank: they copy of each other in its memory.

double median_of_copies(std::vector<std::vector<std::byte>>& memory, std::int64_t peers, std::size_t bytes, int times) {
  const auto devices = std::ssize(memory);
  std::vector<double> all;
  for (int turn = 0; turn <= kTurnsOfPairs; ++turn) {
    const auto begin = steady_clock::now();
    for (int i = 0; i < times; ++i) {
      parallel_each(devices, [&](std::int64_t device) {
        std::byte* const to = memory[static_cast<std::size_t>(device)].data();
        for (std::int64_t peer = 1; peer <= peers; ++peer)
          std::memcpy(to, memory[static_cast<std::size_t>((device + peer) % devices)].data() + bytes, bytes);
      });
    }
    const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    if (turn > 0) all.push_back(seconds / times);  // the first meets cold caches
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

synth::MachineLevel level_of_devices(std::int64_t devices) {
  constexpr std::size_t kFew = 64;
  const std::int64_t peers = std::min<std::int64_t>(kPeersMax, devices - 1);
  const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(kLinkBytes / devices, 1 << 16));
  std::vector<std::vector<std::byte>> memory(static_cast<std::size_t>(devices), std::vector<std::byte>(2 * bytes));
  const double one = median_of_copies(memory, 1, kFew, kEmptyTimes);
  const double several = median_of_copies(memory, peers, kFew, kEmptyTimes);
  const double full = median_of_copies(memory, 1, bytes, 1);
  return level_of("device", devices, {one, several, full}, static_cast<std::int64_t>(bytes));
}

base::Status check_devices(const Team& team, std::int64_t devices, std::int64_t places) {
  const std::int64_t units = team.size() * places;
  if (devices % units != 0) {
    return not_calibrated(fmt::format("{} devices are not the same number on each of {} {}", devices, units,
                                      places > 1 ? "GPUs" : "ranks"));
  }
  if (devices > 1) return base::Done{};
  return not_calibrated("one device has no links; give more --devices, or start more ranks");
}

base::Result<std::vector<synth::MachineLevel>> levels_of_ranks(Team& team, std::int64_t hosts, double seconds_max,
                                                               Engine* engine) {
  std::vector<synth::MachineLevel> levels;
  if (team.alone()) return levels;
  TESSERA_TRY(probe, LinkProbe::make(team, kLinkBytes, engine));
  Calibration calibration(team, *probe, seconds_max);
  TESSERA_TRY(found, calibration.levels(hosts));
  for (const RankLevel& level : found) {
    TESSERA_TRY(measured, calibration.measured(level, seconds_max / 2 / static_cast<double>(found.size())));
    levels.push_back(std::move(measured));
  }
  return levels;
}

}  // namespace

namespace {

// All ranks measure these at once.
base::Status add_levels_within(Team& team, Engine* engine, std::int64_t devices,
                               std::vector<synth::MachineLevel>& levels) {
  const std::int64_t places = engine == nullptr ? 1 : engine->places();
  const auto add = [&](base::Result<synth::MachineLevel> mine) -> base::Status {
    TESSERA_TRY_STATUS(team.agree(mine ? base::Status(base::Done{}) : base::Status(mine.errors()), {0, 0}));
    levels.push_back(std::move(*mine));
    return base::Done{};
  };
  if (places > 1) TESSERA_TRY_STATUS(add(level_of_places(*engine)));
  const std::int64_t each = devices / team.size() / places;
  if (each == 1) return base::Done{};
  return add(engine == nullptr ? level_of_devices(each) : level_of_place(*engine, each));
}

}  // namespace

base::Result<synth::Machine> calibrate(Team& team, std::int64_t wanted, double seconds_max, Engine* engine) {
  return base::guarded([&]() -> base::Result<synth::Machine> {
    const std::int64_t places = engine == nullptr ? 1 : engine->places();
    const std::int64_t devices = wanted == 0 ? team.size() * places : wanted;
    // Ranks that have something else to do are told so here.
    TESSERA_TRY(all, team.agree_on(check_devices(team, devices, places), {wanted, places}));
    for (const Team::Words& words : all) {
      if (words[1] != all[0][1])
        return not_calibrated(fmt::format("a rank has {} GPUs and another {}; give each as many", all[0][1], words[1]));
    }
    TESSERA_TRY(hosts, count_hosts(team));
    TESSERA_TRY(levels, levels_of_ranks(team, hosts, seconds_max, engine));
    TESSERA_TRY_STATUS(add_levels_within(team, engine, devices, levels));
    return synth::Machine{std::move(levels), {}};
  });
}

}  // namespace tessera::runtime
