// `tessera calibrate`: a machine file out of measurements, on the ranks of a launcher, or on those that it starts.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"
#include "repl/ranks/launcher.hpp"
#include "repl/ranks/loss.hpp"
#include "tessera/calibration.hpp"
#include "tessera/mpi.hpp"

namespace tessera::repl {

namespace {

int start_ranks(const CalibrateOptions& options, Console& console) {
  if (mpi::name().empty())
    return console.refuse("this Tessera was built without MPI; build with -DTESSERA_MPI=openmpi or mpich");
  if (OutputFile(options.output, console).failed()) return kExitWorld;
  std::vector<std::string> words{"calibrate", "-o", options.output};
  if (options.devices > 0) words.insert(words.end(), {"--devices", std::to_string(options.devices)});
  if (options.throttle) words.emplace_back("--throttle");
  for (const std::string& word : words_of(options.gpu)) words.push_back(word);
  console.complain(become_launcher(options.ranks, words));
  return kExitWorld;
}

// The first rank's; the others have none.
int write(const Machine& machine, std::optional<OutputFile>& output, const CalibrateOptions& options,
          Console& console) {
  if (!output) return kExitDone;
  const std::string text = machine_text(machine);
  const int status = output->write(text);
  if (status == kExitDone && options.output != "-") console.out(text);
  return status;
}

}  // namespace

int perform(const CalibrateOptions& options, Console& console) {
  if (options.ranks > 1 && Launch::ranks_by_launcher() == 1) return start_ranks(options, console);
  auto launch = Launch::begin();
  if (!launch) return failed(launch.diagnostics(), console);
  std::optional<OutputFile> output;
  if (launch->rank() == 0) output.emplace(options.output, console);
  if (output && output->failed()) {
    if (launch->ranks() > 1) abandon(*launch, console.finish(kExitWorld));
    return kExitWorld;
  }
  Config config = on_gpus(on_ranks(base_config(console), *launch), options.gpu);
  config.throttle = options.throttle;
  const auto machine = calibrate(config, options.devices);
  if (!machine) {
    const int status = failed(machine.diagnostics(), console);
    if (is_hopeless(machine.diagnostics()) && launch->ranks() > 1) abandon(*launch, console.finish(status));
    return status;
  }
  return write(*machine, output, options, console);
}

}  // namespace tessera::repl
