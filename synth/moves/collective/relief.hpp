// Private to synth: moves part of the work of near senders to farther holders, so that no link is busy for longer than
// necessary.
//
// The devices of one unit that hold a cell share its work evenly. Each sends an equal part of the elements of the cell
// that their unit fetches, of those that leave the unit anyway, and of those that the unit sends in place of holders in
// other units.
//
// A given time fixes how much has to come from elsewhere: elements that holders cannot send within it, others send, who
// then need longer, and so on. The time is good if this ends and the links between the units keep it, too. The shortest
// good time is found by halving, unless it gains too little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::synth {

// The holders of one cell in one unit. Elements stand for the time that a device's own link takes for them.
struct UnitHolders {
  std::size_t cell = 0;
  std::size_t unit = 0;
  double count = 0;
  double fetched = 0;   // by the unit
  double sent_far = 0;  // by each of them, whatever comes from elsewhere
  double from_far = 0;  // the answer: how much of `fetched` the cell's other holders send
};

struct LinksBetween {
  double bandwidth = 1;              // in elements, in the time of one on a device's own link
  std::vector<double> brought_into;  // every unit, whatever else comes from elsewhere
};

// Fills in `from_far`. Each cell has `replicas` holders in all. Nobody need be busy for less than `enough`.
void relieve(std::vector<UnitHolders>& holders, std::size_t cells, double replicas, const LinksBetween& links,
             double enough);

}  // namespace tessera::synth
