// How the ranks of a session meet, and what is said of them at once.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/team_impl.hpp"
#include "runtime/kernels/blas.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/ranks/texts.hpp"
#include "synth/layout/mesh.hpp"

namespace tessera::embed {

namespace {

// `Haswell on ranks 0, 2; Zen on rank 1`; nothing where all are of one kind.
std::optional<std::string> differences(const std::vector<std::string>& kinds) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> ranks_by_kind;
  for (std::size_t rank = 0; rank < kinds.size(); ++rank) {
    const auto known = std::find_if(ranks_by_kind.begin(), ranks_by_kind.end(),
                                    [&](const auto& entry) { return entry.first == kinds[rank]; });
    auto& entry =
        known == ranks_by_kind.end() ? ranks_by_kind.emplace_back(kinds[rank], std::vector<std::size_t>{}) : *known;
    entry.second.push_back(rank);
  }
  if (ranks_by_kind.size() < 2) return std::nullopt;
  std::vector<std::string> parts;
  for (const auto& [kind, ranks] : ranks_by_kind)
    parts.push_back(fmt::format("{} on {} {}", kind, ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::int64_t count_hosts(const runtime::Team& team) {
  std::int64_t hosts = 0;
  for (int rank = 0; rank < team.size(); ++rank) hosts += team.machine(rank) == rank ? 1 : 0;
  return hosts;
}

// Do several hosts run this, and is no level's unit one of them, with all its devices?
bool differs_from(const Machine& machine, const runtime::Team& team) {
  if (team.alone() || machine.levels.empty() || count_hosts(team) == 1) return false;
  std::int64_t devices = 1;
  for (const MachineLevel& level : machine.levels) {
    if (__builtin_mul_overflow(devices, level.count, &devices) || devices > synth::kDevicesMax) return false;
  }
  const runtime::DeviceRanks ranks(team.size(), devices);
  std::int64_t units = 1;
  for (const MachineLevel& level : machine.levels) {
    units *= level.count;
    if (units != count_hosts(team)) continue;
    bool same = true;
    for (std::int64_t device = 0; device < devices; ++device) {
      const std::int64_t first = device / (devices / units) * (devices / units);
      same = same && team.machine(ranks.owner(device)) == team.machine(ranks.owner(first));
    }
    if (same) return false;
  }
  return true;
}

// Called on all ranks.
base::Result<std::shared_ptr<runtime::Team>> meet_on(const Team::Impl& team_impl, const Config& config) {
  TESSERA_TRY(messenger, team_impl.make_messenger());
  // Ranks cannot read each other's GPUs.
  const bool shares = config.share_memory && config.gpus.empty();
  const auto sharing = shares ? runtime::MemorySharing::wanted : runtime::MemorySharing::off;
  TESSERA_TRY(team, runtime::Team::meet(std::move(messenger), sharing));
  TESSERA_TRY(processors, runtime::share_texts(*team, runtime::blas_processor()));
  if (team->rank() > 0 || !config.log) return std::move(team);
  if (differs_from(config.machine, *team)) {
    const std::int64_t hosts = count_hosts(*team);
    config.log(to_public(Texts{}, base::make(runtime::Kind::machine_differs, hosts)));
  }
  if (team->lacks_sharing()) config.log(to_public(Texts{}, base::make(runtime::Kind::memory_not_shared)));
  if (const auto how = differences(processors))
    config.log(to_public(Texts{}, base::make(runtime::Kind::processors_differ, *how)));
  return std::move(team);
}

// Either all ranks have GPUs or none has; words[1] says whether a rank has some.
base::Status all_or_none(const std::vector<runtime::Team::Words>& all) {
  std::vector<std::size_t> without;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank][1] == 0) without.push_back(rank);
  }
  if (without.empty() || without.size() == all.size()) return base::Done{};
  const char* const who = without.size() == 1 ? "rank" : "ranks";
  return base::make(runtime::Kind::gpu_ranks_differ, fmt::format("none for {} {}", who, fmt::join(without, ", ")))
      .suggest("give all ranks the same --gpu and TESSERA_GPU");
}

}  // namespace

base::Status limits_are_limits(const Config& config) {
  if (!(config.seconds_max >= 0)) {
    return base::make(Kind::bad_call, fmt::format("Config::seconds_max is {}, which is no limit: give seconds, or 0",
                                                  config.seconds_max));
  }
  const std::pair<const char*, std::int64_t> counts[] = {{"memory_bytes_max", config.memory_bytes_max},
                                                         {"text_bytes_max", config.text_bytes_max},
                                                         {"nesting_max", config.nesting_max},
                                                         {"devices_max", config.devices_max},
                                                         {"steps_max", config.steps_max},
                                                         {"output_bytes_max", config.output_bytes_max}};
  for (const auto& [name, limit] : counts) {
    if (limit >= 0) continue;
    return base::make(Kind::bad_call,
                      fmt::format("Config::{} is {}, which is no limit: give a number, or 0 for none", name, limit));
  }
  return base::Done{};
}

TeamRef with_limits(const TeamRef& team, const Config& config) {
  TESSERA_TRY_STATUS(limits_are_limits(config));
  return team;
}

TeamRef meet(const Config& config) {
  if (!config.team) return with_limits(std::shared_ptr<runtime::Team>(), config);
  return base::guarded([&]() -> TeamRef {
    TESSERA_TRY(team, meet_on(*config.team.impl(), config));
    TESSERA_TRY(all, team->agree(limits_are_limits(config), {0, config.gpus.empty() ? 0 : 1}));
    TESSERA_TRY_STATUS(all_or_none(all));
    return team;
  });
}

}  // namespace tessera::embed
