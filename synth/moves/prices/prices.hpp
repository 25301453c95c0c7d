// The machine model: the price of a step, and lower bounds. Apart from all planners.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/layout/cluster/step_cost.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::synth {

// Figures are exact for up to 512 devices. For more
// devices, bytes still are exact but for wide reductions (synth/moves/collective/even_sum.hpp), and so are seconds of
// other sums, of steps with up to 400,000 messages, and of copies that a TileExchange counts. Other copies are priced
// by what comes in over every link, which a NearestExchange knows, and as if what goes out were dealt evenly over the
// links of the units that hold something; rounds by the busiest device's own link. The bound of seconds is the time on
// a device's own link, or on that of the first unit of a level.
inline constexpr std::int64_t kExactDevicesMax = 512;
inline constexpr std::int64_t kExactMessagesMax = 400'000;

StepCost cost(const RunMachine& machine, const Collective& step, const ArrayType& before, const ArrayType& after);
// The same for any set of copies within a mesh (a slice of a split dimension, say): element size in bytes given.
StepCost cost_of_copies(const RunMachine& machine, const Mesh& mesh, const std::vector<BoxCopy>& copies,
                        std::int64_t element_bytes);

struct LowerBound {
  std::int64_t received_bytes_total = 0;
  double seconds = 0;
};
LowerBound lower_bound(const RunMachine& machine, const ArrayType& from, const ArrayType& to);
// What follows from single devices and their own links, wherever on the machine the mesh lies.
LowerBound bound_of_devices(const RunMachine& machine, const ArrayType& from, const ArrayType& to);

}  // namespace tessera::synth
