// The borders of a pipeline between the devices of several ranks: what a visit has made is sent when it is there, and
// taken in by the visit that reads it. In between it is on its way beside all other work.
//
// A long message sets out only when its place is ready. So each rank offers the places of what will come to it as soon
// as they are free, in the order in which it will come: never does what is ready wait for a rank that is at other work,
// or waits itself.
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

  // Offers places for what comes first.
  base::Status offer();
  // Called on all ranks, crossing by crossing, when `from` is there.
  base::Status send(synth::RegisterId from, synth::RegisterId to, std::int64_t microbatch);
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
  void copy_here(const Route& route, synth::RegisterId from, synth::RegisterId to) const;
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
  std::map<int, std::deque<Expected>> expected_;  // of each rank that sends, what no place has been offered for
};

}  // namespace tessera::runtime
