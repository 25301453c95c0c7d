// The borders of a pipeline between the devices of several ranks: what a visit has made is sent when it is there, and
// taken in by the visit that reads it. In between it is on its way beside all other work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/memory/gather.hpp"
#include "runtime/ranks/team.hpp"
#include "runtime/transfers/storage.hpp"

namespace tessera::runtime {

class Borders {
 public:
  Borders(Team& team, const Storage& storage) : team_(team), storage_(storage) {}

  // Called on all ranks, at the same step: `to` of a microbatch gets what `from` is now. At most `places` microbatches
  // are on their way at once.
  base::Status send(synth::RegisterId from, synth::RegisterId to, std::int64_t microbatch, std::size_t places);
  // Waits until what `to` gets of a microbatch is here; nothing to do where it has been taken, or is not sent.
  base::Status take(synth::RegisterId to, std::int64_t microbatch);
  // Waits until all that was sent has gone.
  base::Status finish();

 private:
  struct Copy {
    std::size_t source = 0;
    std::size_t target = 0;
    synth::Box box;
  };
  using ByRank = std::map<int, std::map<TileBox, std::set<std::size_t>>>;  // with the devices that get a box
  // A microbatch's messages in one of the places.
  struct Passage {
    std::map<int, std::span<std::byte>> outgoing;
    std::map<int, std::span<std::byte>> incoming;
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::optional<std::int64_t> microbatch;  // that is still to be taken
  };
  struct Route {
    std::vector<Copy> here;
    ByRank incoming;
    ByRank outgoing;
    std::vector<Passage> passages;
  };
  Route route_of(synth::RegisterId from, synth::RegisterId to) const;
  void copy_here(const Route& route, synth::RegisterId from, synth::RegisterId to) const;
  base::Status begin(Route& route, Passage& passage, synth::RegisterId from);
  std::span<std::byte> room(std::map<int, std::span<std::byte>>& rooms, int rank, std::int64_t bytes);

  Team& team_;
  const Storage& storage_;
  std::map<synth::RegisterId, Route> routes_;
};

}  // namespace tessera::runtime
