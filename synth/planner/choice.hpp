// Private to synth: choosing among chains that all lead from one type to another.
//
// The fastest need not win: a difference of a hundredth cannot be measured. Among the chains within a hundredth of the
// fastest, the one that receives the fewest bytes wins; then the one of the lowest peak, of the fewest launches, and
// the one met first.
//
// Example: `f32[4096,4096@x] -> f32[4096@z,4096@y]` on x:2,y:2,z:2 can be made by a gather in 168.8 us, which receives
// 128 MiB, or by a permute in 169.8 us, which receives 64: the permute wins.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "synth/moves/plan/plan.hpp"
#include "synth/planner/chain.hpp"
#include "synth/planner/prices.hpp"

namespace tessera::synth {

// A plan may take so many times as long as the fastest and still be chosen.
inline constexpr double kAsFast = 1.01;

// The beginning of a chain, priced, and the type that it leads to.
struct Way {
  Chain steps;
  ArrayType type;
  double seconds = 0;
  std::int64_t received_bytes = 0;
  std::int64_t launches = 0;  // steps that move something

  // Takes one more step, in its best form. Fails where the step may not be taken.
  base::Status take(const Collective& step, Prices& prices);
};

// Chooses among plans as above.
Plan chosen(std::vector<Plan> plans);

class Choice {
 public:
  // All three outlive this. No array on a device may be larger than the larger of both ends.
  Choice(const ArrayType& from, const ArrayType& to, Prices& prices);

  // Nothing slower is chosen.
  double seconds_max() const { return seconds_max_; }
  double fastest_seconds() const { return seconds_max_ / kAsFast; }
  // Would a chain that takes so long at least, and receives so much at least, be passed over?
  bool is_hopeless(double seconds_least, std::int64_t bytes_least) const;
  // Prices the rest of a chain as long as the whole can still be chosen. Chains with an array beyond the bound cannot.
  base::Status consider(Way way, const Chain& rest);
  // The seconds of the chain considered last; endless if it cannot be chosen.
  double newest_seconds() const { return newest_seconds_; }
  // All chains that could be chosen when they were considered.
  std::vector<Chain> considered() const;
  // The chain chosen; nothing where none was considered that keeps the bound.
  base::Result<std::optional<Chain>> best() &&;

 private:
  struct Candidate {
    Chain chain;
    double seconds = 0;
    std::int64_t received_bytes = 0;
    std::int64_t launches = 0;
    std::int64_t peak_bytes = 0;  // counted where it decides
  };
  base::Status count_peaks(std::vector<Candidate>& candidates) const;

  const ArrayType& from_;
  Prices& prices_;
  std::int64_t bound_bytes_;
  double seconds_max_ = std::numeric_limits<double>::infinity();
  double newest_seconds_ = std::numeric_limits<double>::infinity();
  std::vector<Candidate> candidates_;
  std::size_t fastest_ = 0;
};

}  // namespace tessera::synth
