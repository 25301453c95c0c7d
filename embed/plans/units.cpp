#include "tessera/units.hpp"

#include "base/units_text.hpp"
#include "embed/host/convert.hpp"
#include "synth/layout/cluster/machine_text.hpp"

namespace tessera {

std::string bytes_text(std::int64_t bytes) { return base::bytes_text(bytes); }
std::string exact_bytes_text(std::int64_t bytes) { return base::exact_bytes_text(bytes); }
std::string seconds_text(double seconds) { return base::seconds_text(seconds); }

std::string bandwidth_text(const MachineLevel& level) {
  return synth::bandwidth_text(embed::to_machine(Machine{.levels = {level}}).levels.front());
}

std::string modelled_text(const Machine& machine) { return synth::modelled_text(embed::to_machine(machine)); }

}  // namespace tessera
