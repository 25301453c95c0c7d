// The commands: each does what its options ask for and gives the exit status.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/line/options.hpp"
#include "repl/process/console.hpp"
#include "repl/process/files.hpp"
#include "tessera/mpi.hpp"

namespace tessera::repl {

int perform(const SessionOptions& options, Console& console);
int perform(const WorkerOptions& options, Console& console);
int perform(const RunOptions& options, Console& console);
int perform(const CheckOptions& options, Console& console);
int perform(const FormatOptions& options, Console& console);
int perform(const ExplainOptions& options, Console& console);
int perform(const PlanOptions& options, Console& console);
int perform(const ConvertOptions& options, Console& console);
int perform(const CompareOptions& options, Console& console);
int perform(const MoveOptions& options, Console& console);
int perform(const CalibrateOptions& options, Console& console);
int perform(const PlaceOptions& options, Console& console);
int perform(const ChooseOptions& options, Console& console);
int perform(const LearnOptions& options, Console& console);
int perform(const DrawOptions& options, Console& console);
int perform(const EstimateOptions& options, Console& console);
int perform(const GpuOptions& options, Console& console);
int perform(const LanguageServerOptions& options, Console& console);
int perform(const Answer& answer, Console& console);

// For several commands
// -----------------------------------------------------------------------------------------------------

// Reports the diagnostics of a failure; gives the exit status.
int failed(const Diagnostics& diagnostics, Console& console);
// The levels in the file; none without a file. Without a value the failure has been reported: the exit status is 2.
std::optional<Machine> read_machine(const std::optional<std::string>& file, Console& console);
// The mesh with what `--place` says of it, if anything.
std::string placed(const std::string& mesh, const std::string& place);
// How to model another machine.
inline constexpr std::string_view kMachineHelp = "--machine FILE gives others";
// The configuration that all sessions of the command line share.
Config base_config(Console& console);
// A script and what it is checked with, its machine and its placement read, or nothing after saying why not.
struct ScriptToCheck {
  Text script;
  Config config;
};
std::optional<ScriptToCheck> script_to_check(const std::string& file, const std::optional<std::string>& machine_file,
                                             const std::string& place, Console& console);
// For sessions of all ranks of a launch. TESSERA_SHARED_MEMORY=off lets ranks of one machine send messages, too.
Config on_ranks(Config config, const Launch& launch);

}  // namespace tessera::repl
