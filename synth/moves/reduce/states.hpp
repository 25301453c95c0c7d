// The states of a group's members between the steps of a reduction program.
//
// A scatter keeps chunks by position, so the number of levels alone decides which steps may follow one another: a group
// is looked at as if every level had two units. On up to four levels a state records, for every member and chunk, whose
// contributions it has. On more levels, only all_reduce, reduce_scatter and all_gather among all members are
// distinguished, and a state records for every level whether sums over it are open, scattered or whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "synth/moves/reduce/levels.hpp"

namespace tessera::synth {

inline constexpr std::size_t kWholeStatesLevelsMax = 4;

class ReduceStates {
 public:
  using State = std::u16string;
  explicit ReduceStates(std::size_t levels) : levels_(levels) {}

  std::size_t levels() const { return levels_; }
  State start() const;
  State goal(ReduceGoal goal) const;

  // `split` is the set of levels by which the chunks of a participant were cut before the step: it holds the payload
  // over the product of their factors.
  struct Applied {
    State state;
    std::uint32_t split = 0;
  };
  // The chunks that every member holds, as a set of bits; of no use beyond kWholeStatesLevelsMax.
  using HeldChunks = std::array<std::uint32_t, std::size_t{1} << kWholeStatesLevelsMax>;
  HeldChunks held(const State& state) const;
  // `held` is the state's. Nothing where the step may not be taken.
  std::optional<Applied> apply(const State& state, const HeldChunks& held, const LevelStep& step) const;
  // All steps that could be asked of a state, in direct form; in a fixed order.
  std::vector<LevelStep> steps() const;

 private:
  std::size_t levels_;
};

// For each step of a program, `split` of the state before it; nothing if it does not lead to the goal.
std::optional<std::vector<std::uint32_t>> splits_of(const LevelProgram& program, std::size_t levels, ReduceGoal goal);

// States that have been reached, with the steps from them; made as they are asked for.
class ReduceGraph {
 public:
  explicit ReduceGraph(std::size_t levels);

  struct Edge {
    LevelStep step;
    std::uint32_t split = 0;
    std::int32_t to = 0;
    std::size_t price = 0;  // edges with the same step and split have the same number, below `prices()`
  };
  std::size_t prices() const { return steps_.size() << levels(); }
  std::size_t levels() const { return states_.levels(); }
  static constexpr std::int32_t kStart = 0;
  const std::vector<Edge>& edges(std::int32_t node);
  bool is_goal(std::int32_t node, ReduceGoal goal) const;
  // Nodes met so far.
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::optional<std::vector<Edge>> edges;
  };
  std::int32_t number_of(const ReduceStates::State& state);

  ReduceStates states_;
  std::vector<LevelStep> steps_;
  std::vector<Node> nodes_;
  std::vector<ReduceStates::State> state_of_;
  std::unordered_map<ReduceStates::State, std::int32_t> numbers_;  // for look-ups only
  ReduceStates::State goals_[2];
};

}  // namespace tessera::synth
