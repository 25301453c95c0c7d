// Private to synth: the costs of steps, each worked out once. A planner meets the same step in many chains, and again
// when the chosen chain becomes a plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "synth/moves/prices/prices.hpp"
#include "synth/moves/reduce/search.hpp"
#include "synth/planner/known_sums.hpp"

namespace tessera::synth {

// What one plan's searches may take, in nanoseconds that they count.
inline constexpr std::int64_t kWorkMax = 350'000'000;

// On up to this many devices pricing a step takes no time that matters.
constexpr std::int64_t kFewDevices = 64;

class Prices {
 public:
  // Both outlive this. Once a stop is asked for (base/stop_scope.hpp), planning ends before the next price. What is
  // taken from the known sums counts as work that was done, so that the same input gives the same plan whatever is
  // known.
  explicit Prices(const RunMachine& machine, KnownSums* known_sums = nullptr)
      : machine_(machine), known_sums_(known_sums) {}
  const RunMachine& machine() const { return machine_; }

  // Searches count what they do, in nanoseconds that it takes about, and end with what they have found where it is
  // enough: counted and not measured, so that the same input gives the same plan everywhere.
  void worked(std::int64_t nanoseconds) { work_ += nanoseconds; }
  bool may_go_on() const { return work_ < share_end_; }
  // So much that even a search that has found nothing yet ends.
  bool is_overdrawn() const { return work_ > 3 * kWorkMax; }
  // What the next of so many searches that are still to come may take: an even share of what is left.
  void begin_share(std::int64_t searches) {
    share_end_ = work_ + std::max<std::int64_t>(0, kWorkMax - work_) / searches;
  }
  // What is left of the share.
  std::int64_t work_left() const { return share_end_ - work_; }

  // The step in its fastest form: a sum gets the program that is faster on the machine than adding up at once, if there
  // is one. Without a machine file sums have no programs.
  Collective best_form(Collective step, const ArrayType& before, const ArrayType& after);
  // Takes over the price of a relay from the search that found it.
  void know(const RelayRef& relay, const StepCost& cost) { relays_.push_back(KnownRelay{relay, cost}); }
  // The cost of a step; for a round, `before` is the type before the whole exchange.
  StepCost of(const Collective& step, const ArrayType& before, const ArrayType& after);

 private:
  std::int64_t work_ = 0;
  std::int64_t share_end_ = kWorkMax;

  // A step is identified by its effect between two types; all steps that copy count as an exchange.
  struct Known {
    CollectiveKind kind;
    ArrayType before;
    ArrayType after;
    StepCost cost;
  };
  struct KnownProgram {
    CollectiveKind kind;
    ArrayType before;
    ArrayType after;
    ReduceProgramRef program;  // null where none is faster
    StepCost cost;
  };
  struct KnownRelay {
    RelayRef recipe;
    StepCost cost;
  };
  // If all tiles have one size, before and after, nothing else about them matters for the price of a sum. Otherwise
  // sums whose largest tiles are nearly as large have the same program, found for the first of them, and prices of
  // their own.
  struct SumSize {
    CollectiveKind kind;
    MeshRef mesh;
    AxisList axes;
    std::int64_t tile_bytes_before;
    std::int64_t tile_bytes_after;
    bool is_exact;
    friend bool operator==(const SumSize&, const SumSize&) = default;
  };
  static std::optional<SumSize> size_of_sum(const Collective& step, const ArrayType& before, const ArrayType& after);
  struct KnownSize {
    SumSize size;
    std::optional<StepCost> direct;
    std::optional<StepCost> by_program;  // and then the program, null where none is faster
    ReduceProgramRef program;
  };
  KnownSize* known_size(const Collective& step, const ArrayType& before, const ArrayType& after);
  KnownSums::Program searched(const Collective& step, const ArrayType& before, const ArrayType& after,
                              double seconds_max);
  KnownSums::Program priced(ReduceProgramRef program, const Collective& step, const ArrayType& before,
                            const ArrayType& after, double seconds_max);
  KnownProgram& programmed(const Collective& step, const ArrayType& before, const ArrayType& after);
  StepCost of_direct_sum(const Collective& step, const ArrayType& before, const ArrayType& after);
  StepCost of_program(const Collective& step, const ArrayType& before, const ArrayType& after);
  StepCost of_relay(const Collective& step, const ArrayType& before, const ArrayType& after);
  StepCost of_round(const Round& round, const ArrayType& before, const ArrayType& after);
  StepCost remembered(CollectiveKind kind, const Collective& step, const ArrayType& before, const ArrayType& after);

  // Where the sum is kept for other plans; nothing where its tiles have several sizes.
  std::optional<KnownSums::Key> shared_key(const KnownSize* known, const ArrayType& before);

  const RunMachine& machine_;
  KnownSums* known_sums_;
  ReduceGraphs graphs_;  // that searches for programs share: they do not depend on sizes
  std::vector<Known> known_;
  std::vector<KnownProgram> programs_;
  std::vector<KnownSize> sizes_;
  std::vector<KnownRelay> relays_;
  std::vector<StepCost> rounds_;  // of the exchange whose first round was asked for last
};

}  // namespace tessera::synth
