#include "runtime/ranks/engine_probe.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/ranks/level_figures.hpp"

namespace tessera::runtime {

namespace {

// So many bytes tell a link's speed that take this long, but for the last.
constexpr double kLongCopy = 1e-3;
constexpr std::int64_t kCopyLeast = std::int64_t{1} << 20U;
constexpr std::int64_t kCopyMost = std::int64_t{1} << 30U;
constexpr std::int64_t kCopyGrows = 4;
constexpr std::int64_t kFewBytes = 64;
constexpr int kCopyTurns = 8;

// Members that get bytes of each other; those of all groups do so at once. Each has memory to give and to take.
struct CopyGroups {
  std::vector<std::shared_ptr<Arena>> arenas;
  std::vector<std::vector<std::byte*>> groups;
  std::int64_t bytes = 0;  // to give, and to take
};

// `members` at each place, each place a group; or one member at each, all of them one.
base::Result<CopyGroups> groups_of(Engine& engine, std::int64_t members, bool is_one_group, std::int64_t bytes) {
  CopyGroups made{{}, {}, bytes};
  const std::vector<std::int64_t> parts(static_cast<std::size_t>(members), 2 * bytes);
  for (int place = 0; place < engine.places(); ++place) {
    TESSERA_TRY(arena, Arena::reserve(parts, engine.pool(place)));
    if (!is_one_group || made.groups.empty()) made.groups.emplace_back();
    for (std::size_t k = 0; k < parts.size(); ++k) made.groups.back().push_back(arena->part(k));
    made.arenas.push_back(std::move(arena));
  }
  return made;
}

std::vector<BoxMove> moves_of(const CopyGroups& groups, std::int64_t peers, std::int64_t bytes) {
  std::vector<BoxMove> moves;
  for (const std::vector<std::byte*>& group : groups.groups) {
    const auto members = std::ssize(group);
    for (std::int64_t k = 0; k < members; ++k) {
      for (std::int64_t peer = 1; peer <= peers; ++peer) {
        const std::byte* const from = group[static_cast<std::size_t>((k + peer) % members)] + groups.bytes;
        std::byte* const to = group[static_cast<std::size_t>(k)] + (peer - 1) * bytes;
        moves.push_back({dense_view(synth::ElementType::u8, {bytes}, from), {{1}, to}});
      }
    }
  }
  return moves;
}

// The median of the seconds of one of these steps, as runs take them: several are asked for before anybody waits.
base::Result<double> median_of_moves(Engine& engine, const std::vector<BoxMove>& moves, int times) {
  const auto at = [&](std::int64_t i) { return moves[static_cast<std::size_t>(i)]; };
  const ItemList<BoxMove> list(std::ssize(moves), at);
  std::vector<double> all;
  for (int turn = 0; turn <= kCopyTurns; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) TESSERA_TRY_STATUS(engine.copy(list));
    TESSERA_TRY_STATUS(engine.wait());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (turn > 0) all.push_back(took.count() / times);  // the first may compile a kernel
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// The most that a member may give: all of them have an eighth of what runs may take.
std::int64_t bytes_most(const Engine& engine, std::int64_t members) {
  std::int64_t most = kCopyMost;
  for (int place = 0; place < engine.places(); ++place) {
    if (const std::int64_t all = engine.memory_bytes_max(place); all > 0) most = std::min(most, all / 16 / members);
  }
  return most;
}

base::Result<synth::MachineLevel> level_of_groups(Engine& engine, const std::string& name, std::int64_t count,
                                                  std::int64_t members, bool is_one_group) {
  const std::int64_t most = std::max(bytes_most(engine, members), kPeersMax * kFewBytes);
  std::int64_t bytes = std::min(kCopyLeast, most);
  ExchangeSeconds seconds;
  for (;;) {
    TESSERA_TRY(groups, groups_of(engine, members, is_one_group, bytes));
    if (seconds.one == 0) {
      const std::int64_t peers = std::min<std::int64_t>(kPeersMax, count - 1);
      TESSERA_TRY(one, median_of_moves(engine, moves_of(groups, 1, kFewBytes), kEmptyTimes));
      TESSERA_TRY(several, median_of_moves(engine, moves_of(groups, peers, kFewBytes), kEmptyTimes));
      seconds = {one, several, 0};
    }
    TESSERA_TRY(full, median_of_moves(engine, moves_of(groups, 1, bytes), 1));
    seconds.full = full;
    if (full >= kLongCopy || bytes * kCopyGrows > most) return level_of(name, count, seconds, bytes);
    bytes *= kCopyGrows;
  }
}

}  // namespace

base::Result<synth::MachineLevel> level_of_places(Engine& engine) {
  return level_of_groups(engine, "gpu", engine.places(), 1, true);
}

base::Result<synth::MachineLevel> level_of_place(Engine& engine, std::int64_t devices) {
  return level_of_groups(engine, "device", devices, devices, false);
}

}  // namespace tessera::runtime
