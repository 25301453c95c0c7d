#include "repl/ranks/worker.hpp"
#include "repl/commands/commands.hpp"
#include "repl/line/gpu_options.hpp"
#include "repl/process/exit.hpp"

namespace tessera::repl {

int perform(const WorkerOptions& options, Console& console) {
  if (Launch::ranks_by_launcher() == 1) {
    console.complain("`tessera worker` is a rank of a session; tessera --ranks N starts them");
    return kExitCommand;
  }
  auto launch = Launch::begin();
  if (launch) return work(*launch, on_gpus(on_ranks(base_config(console), *launch), options.gpu));
  if (Launch::rank_by_launcher() == 0) refuse_worker(launch.diagnostics());
  return kExitWorld;
}

}  // namespace tessera::repl
