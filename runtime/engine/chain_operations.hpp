// A chain of steps as a list of operations on numbered arrays and slots.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "runtime/engine/tiles.hpp"
#include "runtime/memory/memory_plan.hpp"

namespace tessera::runtime {

// The place of an operand: an array outside of the chain, or a slot of the task's own memory, which holds a block.
struct ChainPlace {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t array = kNone;
  std::size_t slot = kNone;
  synth::RegisterId id;     // whose shape is meant
  bool is_passing = false;  // made and used up in one group
  bool is_cold = false;     // an array that no earlier operation of the chain reads
};

struct ChainOperation {
  const synth::Apply* apply;  // a Map or a Reduce
  synth::ElementType element;
  std::vector<ChainPlace> operands;
  std::size_t slot = ChainPlace::kNone;   // what it makes
  std::size_t array = ChainPlace::kNone;  // where that goes besides, or instead
  bool is_passing = false;                // only operations of its group read what it makes
  std::size_t group_end = 0;              // elementwise neighbours whose results have one shape are a group

  synth::RegisterId result() const { return apply->results[0]; }
};

class ChainOperations {
 public:
  // `lead` as in ChainSteps.
  ChainOperations(std::span<const synth::Step> steps, std::size_t lead, const MemoryPlan& plan, const Tiles& tiles);

  const std::vector<ChainOperation>& operations() const { return operations_; }
  const std::vector<synth::RegisterId>& arrays() const { return arrays_; }
  std::size_t slots() const { return used_.size(); }
  // Do its results go past the caches?
  bool streams() const { return streams_; }
  std::size_t lead() const { return lead_; }
  // Are all arrays taken as flat, and the last one reduced to a scalar?
  bool is_flat() const { return is_flat_; }
  // Does a step outside of the chain read the last result?
  bool keeps_last() const { return is_kept(*computed_.back()); }
  // A register whose tiles have the leading dimensions of all results' tiles.
  synth::RegisterId shape_of() const { return operations_.front().result(); }

 private:
  bool is_kept(const synth::Apply& apply) const { return plan_[apply.results[0]].where != RegisterPlan::Where::blocks; }
  std::int64_t bytes_written(const Tiles& tiles) const;
  void find_readers(std::span<const synth::Step> steps);
  void add(const synth::Apply& apply, const Tiles& tiles);
  ChainPlace place_of(synth::RegisterId id);
  std::size_t array_number(synth::RegisterId id);
  synth::RegisterId viewed(synth::RegisterId id) const;
  std::size_t last_reader(synth::RegisterId id, std::size_t maker) const;
  std::size_t take_slot(synth::RegisterId id, std::size_t maker, bool is_passing);
  void find_groups(const Tiles& tiles);

  const MemoryPlan& plan_;
  std::size_t lead_;
  bool is_flat_ = false;
  std::vector<const synth::Apply*> computed_;
  std::vector<ChainOperation> operations_;
  std::vector<synth::RegisterId> arrays_;
  std::map<synth::RegisterId, synth::RegisterId> view_of_;  // what the chain's reshapes look at
  std::map<synth::RegisterId, std::size_t> slot_of_;
  std::map<synth::RegisterId, std::size_t> last_reader_;  // by number in computed_
  std::vector<std::size_t> group_ends_;                   // of every operation's group
  // The operation after which a slot is free for results that pass in a group, and for all results. Groups are run
  // strip by strip: a value that outlives a group, or was there before it, must not be overwritten inside it.
  struct Slot {
    std::size_t passing_after, all_after;
  };
  std::vector<Slot> used_;
  std::map<synth::RegisterId, bool> is_passing_;  // of what is in slots
  std::set<synth::RegisterId> read_;              // arrays, at the end of all views
  bool streams_ = false;
};

}  // namespace tessera::runtime
