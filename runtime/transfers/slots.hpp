// Boxes on their way between the devices of several ranks, as this rank takes part: shared by relays and reductions by
// programs.
//
// A beat is what goes on at once: a slot or, of a program that has sums to put in place, half a slot. In every beat a
// rank sends each far rank at most one message, with all boxes of the beat, and reads boxes of near
// ranks in their memory. A box that it passes on, or adds to, came in an earlier beat. Receives are begun a beat ahead,
// and so are messages of data that was there from the beginning, so that the link is never idle between two beats. A
// rank waits only for ranks that it exchanges boxes with. If nothing is overwritten, messages are packed and unpacked
// piece by piece as they go and come; otherwise as a whole, before the beat can change their data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/ranks/team.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

// The place of a device's box: in its tile of the array that is moved, in that of the result, or in a dense box of its
// own beside them.
struct SlotPlace {
  enum class Of : std::uint8_t { source, result, beside };
  Of of = Of::source;
  std::size_t device = 0;   // its number in the mesh of the array moved (source), or of the result
  std::int64_t offset = 0;  // beside: of `home` in the device's part of the arena
  synth::Box home;          // beside
};

// A box that a device gets: copied from one place, or combined from several, in this order.
struct SlotWork {
  synth::Box box;
  std::vector<SlotPlace> from;
  SlotPlace to;
};

// The same on all ranks, but for work that this rank has no part in.
class SlotSchedule {
 public:
  virtual ~SlotSchedule() = default;
  virtual std::int64_t beats() const = 0;
  // The work of a beat: the boxes that this rank gets, and those that others get from it; in the same order on both
  // sides of a message.
  virtual std::vector<SlotWork> works(std::int64_t beat) const = 0;

  std::vector<int> near_peers;    // ranks of this one's node that have to be done with the beat before
  std::vector<int> near_readers;  // ranks that read this one's memory
  bool has_reads = false;         // does any rank read of another?
  bool writes_once = false;       // is nothing that is there, or that has come, ever overwritten?
};

// Boxes that go from one array to another as the schedule says.
struct SlotTask {
  const SlotSchedule* schedule = nullptr;
  synth::RegisterId from;
  synth::RegisterId to;
};

// A device copies the part of its result that it already holds before the first beat. Several arrays go on at once,
// beat by beat: all their boxes from one rank to another in a beat are one message.
base::Status run_slots(Team& team, std::span<const SlotTask> tasks, const Storage& storage);

}  // namespace tessera::runtime
