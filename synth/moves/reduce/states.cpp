#include "synth/moves/reduce/states.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tessera::synth {

namespace {

using State = ReduceStates::State;

// Bit b of a member's or a chunk's number is its digit at level `levels - 1 - b`.
std::uint32_t bits_of(std::size_t levels, std::size_t begin, std::size_t end) {
  std::uint32_t bits = 0;
  for (std::size_t level = begin; level < end; ++level) bits |= 1U << (levels - 1 - level);
  return bits;
}

// Whole states: for every member the contributors of each chunk, as a set of bits; none where it is not held.
class WholeState {
 public:
  WholeState(State& state, std::uint32_t members) : state_(&state), members_(members) {}
  std::uint32_t members() const { return members_; }
  char16_t& at(std::uint32_t member, std::uint32_t chunk) { return (*state_)[member * members_ + chunk]; }

 private:
  State* state_;
  std::uint32_t members_;
};

struct Subgroup {
  std::array<std::uint8_t, 16> member{};
  std::size_t size = 0;
};

// A member that has none of the digits, and all that differ from it in these only; ascending.
Subgroup subgroup_of(std::uint32_t first, std::uint32_t digits) {
  Subgroup group;
  std::uint32_t other = 0;
  do {
    group.member[group.size++] = static_cast<std::uint8_t>(first | other);
    other = (other - digits) & digits;
  } while (other != 0);
  return group;
}

// The union of what a subgroup holds, if contributors of each chunk are disjoint.
std::optional<std::array<char16_t, 16>> united(const State& state, std::uint32_t members, const Subgroup& group) {
  std::array<char16_t, 16> all{};
  for (std::size_t i = 0; i < group.size; ++i) {
    const char16_t* own = state.data() + std::size_t{group.member[i]} * members;
    std::uint32_t twice = 0;
    for (std::uint32_t chunk = 0; chunk < members; ++chunk) {
      twice |= static_cast<std::uint32_t>(all[chunk] & own[chunk]);
      all[chunk] = static_cast<char16_t>(all[chunk] | own[chunk]);
    }
    if (twice != 0) return std::nullopt;
  }
  return all;
}

bool hold_the_same(const ReduceStates::HeldChunks& held, const Subgroup& group) {
  const std::uint32_t first = held[group.member[0]];
  for (std::size_t i = 1; i < group.size; ++i) {
    if (held[group.member[i]] != first) return false;
  }
  return first != 0;
}

bool hold_disjoint(const ReduceStates::HeldChunks& held, const Subgroup& group) {
  std::uint32_t seen = 0;
  const int each = std::popcount(held[group.member[0]]);
  for (std::size_t i = 0; i < group.size; ++i) {
    const std::uint32_t own = held[group.member[i]];
    if ((seen & own) != 0 || std::popcount(own) != each) return false;
    seen |= own;
  }
  return each != 0;
}

// True if the first has every contribution that the others have, and one that somebody lacks.
bool first_holds_more(const State& state, std::uint32_t members, const Subgroup& group) {
  const char16_t* first = state.data() + std::size_t{group.member[0]} * members;
  bool strictly = false;
  for (std::size_t i = 1; i < group.size; ++i) {
    const char16_t* own = state.data() + std::size_t{group.member[i]} * members;
    for (std::uint32_t chunk = 0; chunk < members; ++chunk) {
      if ((own[chunk] & ~first[chunk]) != 0) return false;
      strictly = strictly || own[chunk] != first[chunk];
    }
  }
  return strictly;
}

// May a subgroup with these chunks take the step, whoever has contributed to them?
bool may_take(const ReduceStates::HeldChunks& held, const Subgroup& group, ReduceStepKind kind) {
  switch (kind) {
    case ReduceStepKind::all_reduce:
    case ReduceStepKind::reduce_scatter:
    case ReduceStepKind::reduce: return hold_the_same(held, group);
    case ReduceStepKind::all_gather: return hold_disjoint(held, group);
    case ReduceStepKind::broadcast: return held[group.member[0]] != 0;
  }
  return false;
}

// Takes the step in one subgroup, from `before` to `after`; false where it may not, and nothing is written then.
// `after` is made of `before` when the first subgroup takes the step: most steps are refused, and states are large.
bool take(const State& before, State& after, std::uint32_t members, const Subgroup& group, const LevelStep& step,
          std::uint32_t digits) {
  const bool is_broadcast = step.kind == ReduceStepKind::broadcast;
  if (is_broadcast && !first_holds_more(before, members, group)) return false;
  Subgroup givers = group;
  if (is_broadcast) givers.size = 1;
  const auto all = united(before, members, givers);
  if (!all) return false;
  if (after.empty()) after = before;
  WholeState state(after, members);
  for (std::size_t i = 0; i < group.size; ++i) {
    const std::uint32_t member = group.member[i];
    for (std::uint32_t chunk = 0; chunk < members; ++chunk) {
      const bool keeps = step.kind == ReduceStepKind::reduce           ? i == 0
                         : step.kind == ReduceStepKind::reduce_scatter ? (chunk & digits) == (member & digits)
                                                                       : true;
      state.at(member, chunk) = keeps ? (*all)[chunk] : char16_t{0};
    }
  }
  return true;
}

// The levels in which all chunks of a set have the same digit.
std::uint32_t common_levels(std::uint32_t chunks, std::size_t levels) {
  // For each bit of a chunk's number, the chunks that have it.
  constexpr std::array<std::uint32_t, kWholeStatesLevelsMax> kWithBit{0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};
  std::uint32_t common = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::uint32_t with_bit = kWithBit[levels - 1 - level];
    if ((chunks & with_bit) == 0 || (chunks & ~with_bit) == 0) common |= 1U << level;
  }
  return common;
}

std::optional<ReduceStates::Applied> apply_whole(const State& before, const ReduceStates::HeldChunks& held,
                                                 const LevelStep& step, std::size_t levels) {
  const std::uint32_t digits = bits_of(levels, step.begin, step.end);
  const std::uint32_t apart = digits | (step.masters ? bits_of(levels, step.end, levels) : 0);
  const std::uint32_t members = 1U << levels;
  for (std::uint32_t first = 0; first < members; ++first) {
    if ((first & apart) == 0 && !may_take(held, subgroup_of(first, digits), step.kind)) return std::nullopt;
  }
  ReduceStates::Applied applied{{}, ~0U};
  for (std::uint32_t first = 0; first < members; ++first) {
    if ((first & apart) != 0) continue;
    if (!take(before, applied.state, members, subgroup_of(first, digits), step, digits)) return std::nullopt;
    const std::uint32_t common = common_levels(held[first], levels);
    if (std::popcount(common) < std::popcount(applied.split)) applied.split = common;
  }
  if (applied.state == before) return std::nullopt;
  return applied;
}

// States of levels, beyond kWholeStatesLevelsMax.
constexpr char16_t kOpen = u'o';
constexpr char16_t kScattered = u's';
constexpr char16_t kWhole = u'w';

std::optional<ReduceStates::Applied> apply_by_level(const State& before, const LevelStep& step) {
  const bool is_known = step.kind == ReduceStepKind::all_reduce || step.kind == ReduceStepKind::reduce_scatter ||
                        step.kind == ReduceStepKind::all_gather;
  if (!is_known || step.masters) return std::nullopt;
  const bool gathers = step.kind == ReduceStepKind::all_gather;
  ReduceStates::Applied applied{before, 0};
  for (std::size_t level = 0; level < before.size(); ++level) {
    if (before[level] == kScattered) applied.split |= 1U << level;
    if (level < step.begin || level >= step.end) continue;
    if (before[level] != (gathers ? kScattered : kOpen)) return std::nullopt;
    applied.state[level] = step.kind == ReduceStepKind::reduce_scatter ? kScattered : kWhole;
  }
  return applied;
}

}  // namespace

State ReduceStates::start() const {
  if (levels_ > kWholeStatesLevelsMax) return State(levels_, kOpen);
  State state(std::size_t{1} << (2 * levels_), char16_t{0});
  WholeState whole(state, 1U << levels_);
  for (std::uint32_t member = 0; member < whole.members(); ++member) {
    for (std::uint32_t chunk = 0; chunk < whole.members(); ++chunk)
      whole.at(member, chunk) = static_cast<char16_t>(1U << member);
  }
  return state;
}

State ReduceStates::goal(ReduceGoal goal) const {
  if (levels_ > kWholeStatesLevelsMax) return State(levels_, goal == ReduceGoal::all_reduce ? kWhole : kScattered);
  State state(std::size_t{1} << (2 * levels_), char16_t{0});
  WholeState whole(state, 1U << levels_);
  const auto everybody = static_cast<char16_t>((1U << whole.members()) - 1);
  for (std::uint32_t member = 0; member < whole.members(); ++member) {
    for (std::uint32_t chunk = 0; chunk < whole.members(); ++chunk) {
      if (goal == ReduceGoal::all_reduce || chunk == member) whole.at(member, chunk) = everybody;
    }
  }
  return state;
}

ReduceStates::HeldChunks ReduceStates::held(const State& state) const {
  HeldChunks held{};
  if (levels_ > kWholeStatesLevelsMax) return held;
  const std::size_t members = std::size_t{1} << levels_;
  for (std::size_t member = 0; member < members; ++member) {
    for (std::size_t chunk = 0; chunk < members; ++chunk)
      held[member] |= state[member * members + chunk] != 0 ? 1U << chunk : 0U;
  }
  return held;
}

std::optional<ReduceStates::Applied> ReduceStates::apply(const State& state, const HeldChunks& held,
                                                         const LevelStep& step) const {
  if (step.begin >= step.end || step.end > levels_) return std::nullopt;
  return levels_ > kWholeStatesLevelsMax ? apply_by_level(state, step) : apply_whole(state, held, step, levels_);
}

std::vector<LevelStep> ReduceStates::steps() const {
  std::vector<LevelStep> all;
#define MEMBER(identifier) ReduceStepKind::identifier,
  constexpr std::array kKinds{TESSERA_REDUCE_STEPS(MEMBER)};
#undef MEMBER
  for (std::size_t begin = 0; begin < levels_; ++begin) {
    for (std::size_t end = begin + 1; end <= levels_; ++end) {
      for (const bool masters : {false, true}) {
        if (masters && end == levels_) continue;
        for (const ReduceStepKind kind : kKinds)
          all.push_back(LevelStep{kind, static_cast<std::uint8_t>(begin), static_cast<std::uint8_t>(end), masters});
      }
    }
  }
  return all;
}

std::optional<std::vector<std::uint32_t>> splits_of(const LevelProgram& program, std::size_t levels, ReduceGoal goal) {
  const ReduceStates states(levels);
  State state = states.start();
  std::vector<std::uint32_t> splits;
  for (const LevelStep& step : program.steps) {
    auto applied = states.apply(state, states.held(state), step);
    if (!applied) return std::nullopt;
    splits.push_back(applied->split);
    state = std::move(applied->state);
  }
  return state == states.goal(goal) ? std::optional(std::move(splits)) : std::nullopt;
}

ReduceGraph::ReduceGraph(std::size_t levels)
    : states_(levels),
      steps_(states_.steps()),
      goals_{states_.goal(ReduceGoal::all_reduce), states_.goal(ReduceGoal::reduce_scatter)} {
  number_of(states_.start());
}

std::int32_t ReduceGraph::number_of(const State& state) {
  const auto [found, is_new] = numbers_.emplace(state, static_cast<std::int32_t>(nodes_.size()));
  if (is_new) {
    nodes_.emplace_back();
    state_of_.push_back(state);
  }
  return found->second;
}

const std::vector<ReduceGraph::Edge>& ReduceGraph::edges(std::int32_t node) {
  const auto at = static_cast<std::size_t>(node);
  if (!nodes_[at].edges) {
    std::vector<Edge> edges;
    const ReduceStates::HeldChunks held = states_.held(state_of_[at]);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto applied = states_.apply(state_of_[at], held, steps_[i]);
      if (!applied) continue;
      const std::size_t price = (i << levels()) + applied->split;
      edges.push_back(Edge{steps_[i], applied->split, number_of(applied->state), price});
    }
    nodes_[at].edges = std::move(edges);
  }
  return *nodes_[at].edges;
}

bool ReduceGraph::is_goal(std::int32_t node, ReduceGoal goal) const {
  return state_of_[static_cast<std::size_t>(node)] == goals_[static_cast<std::size_t>(goal)];
}

}  // namespace tessera::synth
