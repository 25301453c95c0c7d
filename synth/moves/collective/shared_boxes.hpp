// Boxes that several devices want, on a machine whose devices are dealt to ranks, of which some share memory: who adds
// up which part of a sum, and who gets a box from afar for its whole node. A plan is the same on any number of ranks,
// so this is settled where a run knows its ranks, by these rules; the runtime does as they say.
//
// Ranks of a node read each other's tiles where they lie; between nodes a box is a message.
//
// Example: the sum of f32[8192] over four devices is wanted by all of them, on ranks 0 and 1, two devices each, in one
// memory. It is cut in four stretches of 2,048 elements. Rank 0 adds up the first two, as one part of 4,096 elements on
// device 0, and rank 1 the others on device 2; every device copies what it lacks. Of f32[512] each rank adds up the
// whole.
//
// Example: devices 2 and 3, on ranks 2 and 3 of one node, want two boxes of device 0, on another node. Device 2 gets
// the first and device 3 the second; each copies the other's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// Where a device is: its rank, and the lowest of the ranks whose memory that one can read.
struct Seat {
  int rank = 0;
  int node = 0;
};
// By the device's number in the mesh of the array that wants the boxes.
using Seats = std::function<Seat(std::int32_t device)>;

using DeviceListRef = std::shared_ptr<const std::vector<std::int32_t>>;

// A device adds up a part of a box from all contributors, in their order; the others that want it copy it there.
struct SharedSum {
  std::int32_t device = 0;
  Box part;
  DeviceListRef contributors;
  DeviceListRef wanted_by;  // by their positions; the device is one of them
};

// All sums of a reduce_scatter or an all_reduce. A box is cut evenly between the devices that want it, as the price and
// the statistics of the step say; stretches that follow each other on one rank are one. Where it costs no more, each
// rank adds up the whole for itself: nothing is left to copy, and one wait is enough.
std::vector<SharedSum> shared_sums(const ArrayType& from, const ArrayType& to, const Seats& seats);

// A box of a device on another node, and the devices of one node that want it, in ascending order.
struct FarBox {
  int node = 0;          // of those that want it
  int sender = 0;        // the rank that has it
  int sender_place = 0;  // how many lower ranks are on that one's machine
  std::vector<std::int32_t> wanted_by;
};

// The device that gets each of the boxes. Boxes of one sender for one node follow each other, and are dealt to the
// node's ranks in turn; senders of one machine begin with different ranks.
std::vector<std::int32_t> receivers(std::span<const FarBox> boxes, const Seats& seats);

}  // namespace tessera::synth
