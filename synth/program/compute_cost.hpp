// The modelled time of a local step, where the machine says what its devices can do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

struct ComputeCost {
  double seconds = 0;          // of the device that takes longest: the step ends with it
  std::int64_t slowest = 0;    // the first such device
  double fastest_seconds = 0;  // of the device that is done first
  double operations = 0;       // of all devices together
  double bytes = 0;            // that all devices read and write together
};

// What a step need not fetch from memory, or write to it, because it is taken together with the steps around it.
struct AtHand {
  std::vector<bool> operands = {};  // those behind the end are read
  bool result = false;
};

// A device takes the larger of two times, both for its own tiles: its operations over its speed, and the bytes that it
// reads and writes over its memory's bandwidth. A product's multiply-add is two operations, everything else one for
// each element that is read (a sort of n elements n * log2(n)); f64 takes twice as long. Nothing for steps that move
// data between devices or have effects, and where the machine has not as many devices as the arrays.
std::optional<ComputeCost> compute_cost(const Machine& machine, const Operation& operation,
                                        const std::vector<ArrayType>& operands, const ArrayType& result,
                                        const AtHand& at_hand = {});

// What each device of the result's mesh takes for the step by itself; empty where compute_cost gives nothing.
std::vector<double> seconds_by_device(const Machine& machine, const Operation& operation,
                                      const std::vector<ArrayType>& operands, const ArrayType& result,
                                      const AtHand& at_hand = {});

// A machine of these kinds that lists each of so many devices by itself, by DeviceKind's defaults where the machine
// says nothing of it.
Machine with_every_device(const Machine& machine, std::int64_t devices);

// The modelled time of any step but a collective, on a machine that lists every device: what compute_cost gives, and
// what the carries of a running sum or requests for rows take; of an Assemble the time to read and write its result
// once, and to fetch what devices lack of its parts; of an effect none.
double local_seconds(const Machine& machine, const Operation& operation, const std::vector<ArrayType>& operands,
                     const ArrayType& result);

}  // namespace tessera::synth
