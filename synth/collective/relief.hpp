// Private to synth: how much of what near senders send comes from farther holders instead, so that no link is busy for
// longer than need be.
//
// Those who hold one cell in one unit send alike: an equal part of what their unit fetches of the cell, an equal part
// of what they send out of it anyway, and what they send in the stead of the cell's holders in other units, of which
// all others send as much. For a given time, how much must come from elsewhere has a least solution: what holders
// cannot send in that time others do, which takes these longer, and so on. The time is good if that ends and the links
// between the units keep it too; the shortest good one is found by halving, unless it gains too little.
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
