// The borders of a pipeline between the devices of several ranks: a value is sent when its visit has made it, and
// received by the visit that reads it. In between it is on its way beside all other work.
//
// A long message sets out only when the memory for it is ready. So each rank posts its receives as soon as their memory
// is free, in the order in which the messages will come: a value that is ready never waits for a rank that is busy, or
// waits itself.
#pragma once

#include <cstdint>
#include <deque>
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
  // `to` of a microbatch gets what `from` is then. At most `places` microbatches are on their way at once.
  struct Crossing {
    synth::RegisterId from;
    synth::RegisterId to;
    std::int64_t microbatch = 0;
    std::size_t places = 1;
  };
  // All crossings, in their order.
  Borders(Team& team, const Storage& storage, const std::vector<Crossing>& crossings);

  // Posts the receives of the first messages.
  base::Status offer();
  // Called on all ranks, crossing by crossing, when `from` is there.
  base::Status send(synth::RegisterId from, synth::RegisterId to, std::int64_t microbatch);
  // Waits until the value of `to` for a microbatch is here; returns at once if it has been taken, or is not sent.
  base::Status take(synth::RegisterId to, std::int64_t microbatch);
  // Waits until all sends are done.
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
    std::map<int, std::int64_t> received;    // what the place was offered for, by rank
    std::optional<std::int64_t> microbatch;  // whose place it is, until it is taken
    bool has_begun = false;                  // the crossing of that microbatch
  };
  struct Route {
    std::vector<Copy> here;
    ByRank incoming;
    ByRank outgoing;
    std::vector<Passage> passages;
  };
  Route route_of(synth::RegisterId from, synth::RegisterId to) const;
  base::Status copy_here(const Route& route, synth::RegisterId from, synth::RegisterId to) const;
  base::Status begin(Route& route, Passage& passage, synth::RegisterId from);
  base::Result<bool> offer_to(int rank, synth::RegisterId to, std::int64_t microbatch);
  static Passage& passage_of(Route& route, std::int64_t microbatch) {
    return route.passages[static_cast<std::size_t>(microbatch) % route.passages.size()];
  }
  std::span<std::byte> room(std::map<int, std::span<std::byte>>& rooms, int rank, std::int64_t bytes);

  Team& team_;
  const Storage& storage_;
  std::map<synth::RegisterId, Route> routes_;
  struct Expected {
    synth::RegisterId to;
    std::int64_t microbatch = 0;
  };
  std::map<int, std::deque<Expected>> expected_;  // of each rank that sends: messages without a posted receive
};

}  // namespace tessera::runtime
