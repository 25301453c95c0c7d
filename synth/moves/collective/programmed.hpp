// A reduction whose step has a program: its groups of devices, their chunks as boxes, and its cost.
//
// In an all_reduce a chunk is an even share, in row-major order, of the tile that all members have; in a reduce_scatter
// it is the tile that its member gets. Chunks are cut into stretches in row-major order.
//
// Of a wide reduction, with more members or devices than are looked at one by one, the figures are those of EvenSum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/even_sum.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/moves/transfer/reduce_moves.hpp"
#include "synth/moves/transfer/slot_prices.hpp"

namespace tessera::synth {

class ProgrammedReduction {
 public:
  // Nothing if the program's result is not that of the step, or if a wide reduction has no even program.
  static std::optional<ProgrammedReduction> of(const Collective& step, const ArrayType& before, const ArrayType& after);

  // The moves of the first group. All groups' moves have as many hops, slots and stretches; only those by units differ
  // in more.
  const ReduceMoves& moves() const { return moves_[0]; }
  const ReduceMoves& moves(std::size_t group) const { return moves_[groups_[group].moves]; }
  // The moves that differ between groups, and the index of a group's among them.
  const std::vector<ReduceMoves>& kinds_of_moves() const { return moves_; }
  std::size_t kind_of_moves(std::size_t group) const { return groups_[group].moves; }
  bool scatters() const { return scatters_; }
  std::size_t groups() const { return groups_.size(); }
  // The device of a member, a number of the mesh.
  std::int32_t device(std::size_t group, std::int32_t member) const {
    return (*groups_[group].devices)[static_cast<std::size_t>(member)];
  }
  // f(group, move) with all moves of a hop in which a member that `wants(group, member)` takes part, and perhaps with
  // others; in an order that does not depend on who wants them.
  template <class Wants, class F>
  void for_each_move(std::size_t hop, const Wants& wants, const F& f) const {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (moves().even) {
        for_each_even_move(group, hop, wants, f);
      } else {
        for (const ReduceMove& move : moves(group).hops[hop].moves) f(group, move);
      }
    }
  }
  std::int64_t chunk_elements(std::size_t group, std::int32_t chunk) const;
  // A chunk, whole or a stretch of it.
  std::vector<Box> boxes(std::size_t group, std::int32_t chunk) const;
  std::vector<Box> boxes(std::size_t group, std::int32_t chunk, std::int64_t stretch) const;

  // The bytes that each device needs beside its tiles before and after: a second tile for values made aside, and the
  // chunks that are not its own. One figure for all devices: the most that one of them needs.
  std::int64_t beside_bytes() const;
  // The place of a member's foreign chunk in that, in elements; each is the whole box of the chunk, dense.
  std::int64_t foreign_offset(std::size_t group, std::int32_t member, std::int32_t chunk) const;

  std::vector<std::int64_t> received_elements() const;  // of every device
  // This and the next not of a wide reduction.
  StepCost cost(const Cluster& cluster) const;
  // The best number of stretches (synth/moves/transfer/stretches.hpp), and its seconds.
  std::pair<std::int64_t, double> best_stretches(const Cluster& cluster) const;
  std::vector<BoxSend> sends() const;  // between devices of the run

 private:
  struct Group {
    std::shared_ptr<const std::vector<std::int32_t>> devices;
    std::vector<Box> boxes;  // of a reduce_scatter that of every chunk, else one for all of them
    std::size_t moves = 0;   // which of moves_
  };
  ProgrammedReduction() : mesh_(Mesh::single_device()) {}
  template <class Wants, class F>
  void for_each_even_move(std::size_t group, std::size_t hop, const Wants& wants, const F& f) const {
    const EvenProgram& program = *moves().even;
    for (std::int32_t first = 0; first < program.members; ++first) {
      if (place_of(program.hops[hop].digits, first) != 0) continue;
      const std::vector<std::int32_t> talkers = others_along(program.hops[hop].digits, first);
      if (std::none_of(talkers.begin(), talkers.end(), [&](std::int32_t member) { return wants(group, member); }))
        continue;
      for (const ReduceMove& move : moves_with(program, hop, first)) f(group, move);
    }
  }
  class Lanes;
  class SlotMessages;
  std::vector<SlotMessages> slots(const Lanes& lanes) const;
  static SlotPrices prices(const Lanes& lanes, const std::vector<SlotMessages>& slots);
  bool make_moves(const Collective& step, const AxisList& reduced);
  bool make_unit_moves(const ReduceProgram& program, std::int64_t members);
  Interval chunk_interval(std::size_t group, std::int32_t chunk) const;
  std::int32_t run_device(std::size_t group, std::int32_t member) const {
    return mesh_->run_device(device(group, member));
  }
  std::int64_t elements_of(std::size_t group, const std::vector<std::int32_t>& chunks) const;

  bool scatters_ = false;
  std::int64_t element_bytes_ = 1;
  MeshRef mesh_;
  std::vector<ReduceMoves> moves_;
  std::vector<Group> groups_;
  std::optional<EvenSum> wide_;
};

}  // namespace tessera::synth
