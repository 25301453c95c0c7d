// Private to verify: one step replayed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "synth/moves/collective/collective.hpp"
#include "synth/verify/holdings.hpp"

namespace tessera::synth::verifier {

using Fault = std::optional<std::string>;  // what is wrong; nothing if all is well

// The parts of every element's sum that a device's tile has gathered: a bit for each position along the source's
// pending axes.
using Contributors = std::vector<std::uint64_t>;

// The array on its way. Contributors are followed up to 512 devices.
struct State {
  explicit State(const ArrayType& from);

  ArrayType type;
  Holdings standing;
  std::vector<Contributors> gathered;  // of every device; empty where they are not followed
};

// The elements that a round of an exchange moves, for every device.
struct RoundElements {
  Numbers leave;     // of its source tile; of the source's mesh
  Numbers arrive;    // of its target tile; of the target's mesh
  Numbers received;  // of those, from another device
};

// An exchange cut into rounds along a dimension. The tiles of both ends outlive this.
class RoundReplay {
 public:
  RoundReplay(const Holdings& before, const Holdings& after, std::size_t dimension);
  RoundElements elements_of(const Round& round) const;
  // Are all elements of the box among those that the round moves?
  bool moves(const Box& box, const Round& round) const;

 private:
  std::int64_t length_in(const Interval& interval, const Round& round) const;

  const Holdings& before_;
  const Holdings& after_;
  std::size_t dimension_;
  Numbers bounds_;  // where a tile of either end begins or ends along the dimension, ascending
};

// The lists of axes that a step names; none of a step that leads to a target.
std::vector<AxisList> named_axes(const Collective& step);
// May the step be taken here, and does it lead to `after`?
Fault check_step(const State& before, const Collective& step, const ArrayType& after, const Holdings& after_standing);
// Bytes that every device receives from others.
Numbers received_bytes(const State& before, const Collective& step, const Holdings& after);
// The contributors after the step, or why sums would come out wrong.
Fault follow_contributors(State& state, const Collective& step, const Holdings& after);
// Does the state hold the target's data?
Fault check_end(const State& state, const ArrayType& to);
// Is every part of every sum there, once? `contributors` is how many the source had.
Fault check_sums(const State& state, std::int64_t contributors);

}  // namespace tessera::synth::verifier
