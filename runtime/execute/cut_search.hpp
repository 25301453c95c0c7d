// The cuts of lines that are sorted over several tiles (synth/moves/collective/sort_cuts.hpp), for all lines of a step
// at once. Devices of one rank look into each other's runs; ranks send each other samples and answers, round by round.
// Both know of which lines a cut is not known yet, so that no message says how long it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "runtime/kernels/sorted_runs.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/ranks/team.hpp"
#include "runtime/transfers/moves.hpp"

namespace tessera::runtime {

// The runs of a device of this rank, one for each line of its tile, and what is known of the cuts of its lines.
struct LineRuns {
  std::int64_t lines = 0;
  std::int64_t length = 0;
  std::size_t place = 0;                   // among the tiles that hold something
  std::vector<std::int32_t> members = {};  // the devices of those, of the same lines
  Run run = {};
  // Of line l, in which stretch of its run tile k of the sorted line begins: at [l * members + k].
  std::vector<synth::Interval> stretches = {};

  bool is_empty() const { return lines == 0 || length == 0; }
  std::size_t at(std::int64_t line, std::size_t tile) const {
    return static_cast<std::size_t>(line) * members.size() + tile;
  }
  const std::byte* keys(std::int64_t line, std::int64_t bytes) const { return run.keys + line * length * bytes; }
  // The part of a line's run that belongs to a tile, once its cuts are known.
  synth::Interval part(std::int64_t line, std::size_t tile) const {
    return {tile == 0 ? 0 : stretches[at(line, tile)].begin,
            tile + 1 == members.size() ? length : stretches[at(line, tile + 1)].begin};
  }
};

class CutSearch {
 public:
  // `runs` are those of the devices of the block, by their numbers in it; `owner` says which rank has a device.
  CutSearch(Team& team, const synth::SortCuts& cuts, const RunOrder& order, const Block& block,
            std::vector<LineRuns>& runs, std::function<int(std::int32_t)> owner);

  bool is_over() const;
  // Samples of lines whose cuts are not known go to the ranks that seek them.
  base::Status send_samples();
  // The cuts that one device of this rank seeks; all may be sought at once.
  void seek(std::int32_t device);
  // What other ranks have found, and what devices of this one received in the round.
  base::Status send_answers(Received& received);

 private:
  // A device that seeks cuts, and another of its lines.
  struct Pair {
    std::int32_t searcher = 0;
    std::int32_t member = 0;
    std::size_t tile = 0;             // the searcher's, among those that hold something
    std::vector<std::int64_t> lines;  // whose cut is not known; of those that this rank is told
  };
  struct Searcher {
    std::vector<std::int64_t> lines;      // whose cut is not known
    std::vector<const std::byte*> come;   // of each member of another rank, its samples of these
    std::vector<std::byte*> answers;      // and where to write what it is answered
    std::vector<std::int64_t> remaining;  // lines after the round
  };

  bool is_mine(std::int32_t device) const { return block_.holds(device); }
  LineRuns& runs(std::int32_t device) { return runs_[static_cast<std::size_t>(device - block_.begin)]; }
  void list_pairs(std::int32_t device);
  void write_samples(const LineRuns& own, std::int64_t line, std::size_t tile, std::byte* at) const;
  void read_sample(const std::byte* at, std::int64_t& before, Sampled& sampled) const;
  void seek_line(const LineRuns& own, Searcher& searcher, std::size_t number);
  void write_answers(const LineRuns& own, Searcher& searcher, std::int64_t line, const Enclosed& found, bool is_last);
  void take_answers(Pair& pair, const std::byte* at);

  Team& team_;
  const synth::SortCuts& cuts_;
  RunOrder order_;
  Block block_;
  std::vector<LineRuns>& runs_;
  std::function<int(std::int32_t)> owner_;
  std::map<std::int32_t, Searcher> searchers_;
  std::map<int, std::vector<Pair>> told_;   // by rank: searchers there, members here
  std::map<int, std::vector<Pair>> asked_;  // members there, searchers here
  std::map<int, std::span<std::byte>> answers_;
};

}  // namespace tessera::runtime
