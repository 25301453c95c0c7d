// Private to verify: a step whose sends are listed, followed send by send. The list may come from any source.
//
// A device begins with its source tile, as one part of every sum that is still to be made. A copying send hands over a
// box: at hop 0 of the source tile, later one that came at an earlier hop, whole, or else one of the source tile. An
// adding send carries a sum of parts: the sender's own, those that came to it at earlier hops, or both; the receiver
// adds its own. A sum on the way may be copied, too: it takes the place of what the receiver had of the box, its own
// part included, and more may be added to it, or a sum of more parts copied over it, at later hops. In the end every
// element of every target tile has come once, or was there, with all parts of its sum, and nothing else has been added
// to it.
//
// Example: an all_reduce of [0, 4) between devices 0 and 1 is two adding sends of hop 0, [0, 2) to device 0 and [2, 4)
// to device 1, and two copies of hop 1 back.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "synth/moves/plan/plan.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/transfer/box_send.hpp"
#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

// Sends name devices of the run; what they read lies on devices of the mesh before the step, or has come to devices of
// the mesh after it.
class SendsReplay {
 public:
  // `parts_after` has the parts of every sum in each device's tile after the step. `beside`: may devices add up
  // elements that their target tiles have no place for? If so, their memory has been counted elsewhere.
  SendsReplay(const State& before, const Holdings& after, const std::vector<Contributors>& parts_after, bool beside);

  // The sends of a step, or of one of its rounds after the other. `moves`: does the round move this box?
  Fault follow(const ListedSends& listed, const std::function<bool(const Box&)>& moves);
  // After all: is every target tile complete, and nothing in it twice?
  Fault check_tiles() const;
  // Elements that every device of the mesh after the step got from others in what was followed last.
  const Numbers& received() const { return received_; }

 private:
  // The parts of a box that a device has after the hops that are over.
  struct Arrived {
    Contributors parts;
    bool copied = false;            // and so in place of its own
    const BoxSend* copy = nullptr;  // that which was copied last
  };
  using Arrivals = std::map<Box, Arrived>;
  struct Change {
    const BoxSend* send;
    Contributors parts;
  };

  bool had(std::int32_t device, const Box& box) const;
  Fault check(const BoxSend& send) const;
  Fault read(const BoxSend& send, Contributors& parts) const;
  Fault take(const Change& change);
  Fault add(const Change& change, Arrived& arrived, bool is_first) const;
  Fault check_copies() const;
  Fault check_tile(std::size_t device) const;
  static Fault check_apart(const std::vector<Box>& incomplete, const std::vector<Box>& complete);

  const State& before_;
  const Holdings& after_;
  const std::vector<Contributors>& parts_after_;
  bool beside_;
  bool sums_;                      // are parts of sums added up in the step?
  std::vector<Arrivals> arrived_;  // of every device
  Numbers received_;
};

// The seconds of the sends: all at once, or slot by slot.
double seconds_of_sends(const ListedSends& listed, const ArrayType& type, const RunMachine& machine);

}  // namespace tessera::synth::verifier
