// How the ranks of a session meet, and what is said of them at once.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embed/convert.hpp"
#include "embed/session_impl.hpp"
#include "embed/team_impl.hpp"
#include "runtime/kernels/blas.hpp"
#include "runtime/kinds.hpp"
#include "runtime/ranks/texts.hpp"

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

// Of all ranks.
base::Result<std::shared_ptr<runtime::Team>> meet_on(const Team::Impl& team_impl, const Config& config) {
  TESSERA_TRY(messenger, team_impl.make_messenger());
  const auto sharing = config.share_memory ? runtime::MemorySharing::wanted : runtime::MemorySharing::off;
  TESSERA_TRY(team, runtime::Team::meet(std::move(messenger), sharing));
  TESSERA_TRY(processors, runtime::share_texts(*team, runtime::blas_processor()));
  if (team->rank() > 0 || !config.log) return std::move(team);
  if (team->lacks_sharing()) config.log(to_public(Texts{}, base::make(runtime::Kind::memory_not_shared)));
  if (const auto how = differences(processors))
    config.log(to_public(Texts{}, base::make(runtime::Kind::processors_differ, *how)));
  return std::move(team);
}

}  // namespace

TeamRef meet(const Config& config) {
  if (!config.team) return std::shared_ptr<runtime::Team>();
  return base::guarded([&] { return meet_on(*config.team.impl(), config); });
}

}  // namespace tessera::embed
