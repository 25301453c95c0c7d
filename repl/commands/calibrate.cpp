// `tessera calibrate`: a machine file out of measurements, on the ranks of a launcher, or on those that it starts.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/exit.hpp"
#include "repl/files.hpp"
#include "repl/ranks/launcher.hpp"
#include "repl/ranks/loss.hpp"
#include "tessera/calibration.hpp"
#include "tessera/mpi.hpp"

namespace tessera::repl {

namespace {

int start_ranks(const CalibrateOptions& options, Console& console) {
  if (mpi::name().empty())
    return console.refuse("this Tessera was built without MPI; build with -DTESSERA_MPI=openmpi or mpich");
  std::vector<std::string> words{"calibrate", "-o", options.output};
  if (options.devices > 0) words.insert(words.end(), {"--devices", std::to_string(options.devices)});
  console.complain(become_launcher(options.ranks, words));
  return kExitWorld;
}

int write(const Machine& machine, const CalibrateOptions& options, Console& console) {
  const std::string text = machine_text(machine);
  if (options.output == "-") {
    console.out(text);
    return kExitDone;
  }
  if (const auto why = replace_file(options.output, text)) {
    console.complain(*why);
    return kExitWorld;
  }
  console.out(text);
  return kExitDone;
}

}  // namespace

int perform(const CalibrateOptions& options, Console& console) {
  if (options.ranks > 1 && Launch::ranks_by_launcher() == 1) return start_ranks(options, console);
  auto launch = Launch::begin();
  if (!launch) return failed(launch.diagnostics(), console);
  const auto machine = calibrate(on_ranks(base_config(console), *launch), options.devices);
  if (!machine) {
    const int status = failed(machine.diagnostics(), console);
    if (is_hopeless(machine.diagnostics()) && launch->ranks() > 1) abandon(*launch, console.finish(status));
    return status;
  }
  return launch->rank() == 0 ? write(*machine, options, console) : kExitDone;
}

}  // namespace tessera::repl
