// The engine that a session's programs run on.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "tessera/tessera.hpp"

namespace tessera::runtime {
class Engine;
class Team;
}  // namespace tessera::runtime

namespace tessera::embed {

// The ranks of a configuration's team; none without one.
using TeamRef = base::Result<std::shared_ptr<runtime::Team>>;
// None: this process's cores.
using EngineRef = base::Result<std::shared_ptr<runtime::Engine>>;

// The engine that the configuration asks for. Called on all ranks; it fails on all if it fails on one.
EngineRef open_engine(const Config& config, const TeamRef& team);
// The engine of a fork, whose configuration may be another.
EngineRef engine_of_fork(const EngineRef& engine, const Config& before, const Config& config, const TeamRef& team);

// The GPUs of the process at a place among as many processes of a machine.
// Of GPUs 0 to 3 the second of two processes has 2 and 3, and the second of six has 0.
std::vector<int> gpus_of_place(const std::vector<int>& all, int place, int places);

}  // namespace tessera::embed
