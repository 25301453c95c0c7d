// The best program of a reduction.
//
// Two kinds of candidates: the fastest of all programs in one stretch, of any length, found by a search over the states
// of states.hpp that follows only ways which reach a state faster than all before; and nested programs, which scatter
// from the innermost level outwards, reduce over the outermost one and gather back, each level in its own form, in up
// to 256 stretches. Cut finely enough, a nested program tends to the bound, because it carries the bound's bytes on
// every level and all levels work at once.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/reduce/levels.hpp"
#include "synth/moves/reduce/price.hpp"
#include "synth/moves/reduce/states.hpp"

namespace tessera::synth {

struct PricedProgram {
  LevelProgram program;
  double seconds = 0;
};

// Graphs by their number of levels, for all searches that share them.
class ReduceGraphs {
 public:
  // Up to kSearchLevelsMax.
  ReduceGraph& of(std::size_t levels);

 private:
  std::map<std::size_t, ReduceGraph> graphs_;
};
inline constexpr std::size_t kSearchLevelsMax = 8;
// The most bytes that the best program may make aside. Without a limit the outcome is the same: above it no all_reduce
// by halving is the fastest.
inline constexpr double kAsideBytesMax = 16 * 1024;

// A request to the search.
struct ReduceSearch {
  ReduceGoal goal = ReduceGoal::all_reduce;
  std::vector<ReduceForm> forms{ReduceForm::direct, ReduceForm::halving};
  std::size_t steps_max = 64;
  double seconds_max = std::numeric_limits<double>::infinity();  // slower programs are of no use
  // An all_reduce by halving needs a second place for all that it adds up: of so many bytes at most.
  double aside_bytes_max = std::numeric_limits<double>::infinity();
};

// The fastest program in one stretch; of equally fast ones the shortest, then the first. Without steps if there is none
// below `seconds_max`. At least one level, at most kSearchLevelsMax.
PricedProgram fastest_unstretched(ReduceGraphs& graphs, const ReducePrices& prices, std::size_t levels,
                                  const ReduceSearch& search);

// The fastest nested program, in the best number of stretches.
PricedProgram fastest_nested(const ReducePrices& prices, const ReduceLevels& levels, ReduceGoal goal);

// The faster of both.
PricedProgram best_program(ReduceGraphs& graphs, const Cluster& cluster, const ReduceLevels& levels,
                           double payload_bytes, ReduceGoal goal);

// The modelled seconds of a program; nothing if it is not valid.
std::optional<double> program_seconds(const Cluster& cluster, const ReduceLevels& levels, double payload_bytes,
                                      ReduceGoal goal, const LevelProgram& program);

}  // namespace tessera::synth
