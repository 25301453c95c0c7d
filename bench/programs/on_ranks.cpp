#include "bench/programs/on_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/mean.hpp"
#include "bench/programs/timed_program.hpp"
#include "bench/redistribute/peers.hpp"
#include "bench/report.hpp"

namespace tessera::bench {

namespace {

// Rank 0 runs in one process what all run together: on one device, and on as many as there are ranks.
struct Alone {
  explicit Alone(const ProgramRow& row, int devices) : on_one(row, 1), on_all(row, devices) {}
  TimedProgram on_one, on_all;
};

struct RankTimes {
  Seconds one, all, ranks;
  bool has_same_values = true;
};

// The best of so many goes by turns, after one that does not count. While rank 0 is alone the others rest.
RankTimes measure_on_ranks(const ProgramRow& row, const Launch& launch, const Peers& peers, int goes) {
  Config config;
  config.team = launch.team();
  const TimedProgram ranks(row, peers.size(), config);
  std::optional<Alone> alone;
  if (peers.rank() == 0) alone.emplace(row, peers.size());
  RankTimes best;
  for (int go = 0; go <= goes; ++go) {
    const Seconds on_one = alone ? alone->on_one.seconds() : Seconds{};
    const Seconds on_all = alone ? alone->on_all.seconds() : Seconds{};
    peers.rest();
    peers.wait();
    const Seconds mine = ranks.seconds();
    const Seconds on_ranks = {peers.most(mine.wall), peers.sum(mine.processor)};
    if (go == 0) continue;
    best.one.lower(on_one);
    best.all.lower(on_all);
    best.ranks.lower(on_ranks);
  }
  const std::vector<std::byte> values = ranks.values();
  best.has_same_values = !alone || alone->on_all.values() == values;
  peers.rest();
  return best;
}

}  // namespace

int run_on_ranks(const ProgramsBench& options, const Launch& launch) {
  const Peers peers(launch);
  std::optional<Report> report;
  if (peers.rank() == 0)
    report.emplace(
        fmt::format("{} ranks", peers.size()),
        std::vector<std::string>{"one_ms", "one_cpu_ms", "alone_ms", "alone_cpu_ms", "ranks_ms", "ranks_cpu_ms",
                                 "over_alone", "over_alone_cpu", "over_one_cpu", "same_values"},
        options.json);
  Mean over_alone, over_one;
  bool are_same = true;
  for (const ProgramRow& row : program_rows()) {
    if (row.name.find(options.only) == std::string::npos) continue;
    const RankTimes times = measure_on_ranks(row, launch, peers, options.goes);
    are_same = are_same && times.has_same_values;
    if (!report) continue;
    over_alone.add(times.ranks.processor / times.all.processor);
    over_one.add(times.ranks.processor / times.one.processor);
    report->row(row.name, {times.one.wall * 1e3, times.one.processor * 1e3, times.all.wall * 1e3,
                           times.all.processor * 1e3, times.ranks.wall * 1e3, times.ranks.processor * 1e3,
                           times.ranks.wall / times.all.wall, times.ranks.processor / times.all.processor,
                           times.ranks.processor / times.one.processor, times.has_same_values ? 1.0 : 0.0});
  }
  if (report && !options.json) {
    over_alone.print("ranks over as many devices of one process, in processor time");
    over_one.print("ranks over one device, in processor time");
  }
  return are_same ? 0 : 1;
}

}  // namespace tessera::bench
