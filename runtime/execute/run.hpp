// Program -> values. The runtime takes no decisions: one switch over the steps of a verified program.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "runtime/execute/world.hpp"
#include "runtime/memory/kept.hpp"
#include "runtime/values/value.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

struct Outcome {
  std::vector<Value> outputs;
  std::vector<OriginStatistics> statistics;
  std::vector<RankSeconds> seconds;  // on rank 0 those of every rank, on others their own; World::profile
  std::int64_t peak_bytes = 0;       // payload, the largest over devices
  std::int64_t arena_bytes = 0;      // of the device whose part of the arena is the largest
  double clock_seconds = 0;          // of a run that was throttled
  std::vector<KeptArray> kept;       // for the backward pass, where World::passes says which that is
  // The steps that the engine did not take and that ran on copies in the host's memory, by their words, with how often.
  std::vector<std::pair<std::string, std::int64_t>> host_steps;
  std::int64_t room_bytes = 0;  // that steps need of an engine's place beside their arrays, of the one that has most
};

// A verified program with the tiles of its registers and its memory plan: everything that does not depend on data.
// Several threads may run it at the same time.
class PreparedProgram;
base::Result<std::shared_ptr<const PreparedProgram>> prepare(synth::Program program, const World& world);

// Runs on simulated devices or, called on all ranks of a team, on this rank's devices. The outcome is the same on every
// rank, except for the tiles: each rank has those of its own devices. A failure's diagnostics carry the origin of the
// step that failed.
base::Result<Outcome> run(const synth::Program& program, const std::vector<Value>& inputs, const World& world);
// The same for one that is prepared, in the same world but for its functions.
base::Result<Outcome> run(const PreparedProgram& prepared, const std::vector<Value>& inputs, const World& world);

}  // namespace tessera::runtime
