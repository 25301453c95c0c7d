// The steps of a run, as `Config::trace` is told of them. `tessera/tessera.hpp` includes this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/result.hpp"

namespace tessera {

// A step that a run has taken, on the devices of one rank.
struct TracedStep {
  // A device's part. Seconds are those of std::chrono::steady_clock on rank 0's machine: the device's own where the
  // work is done device by device, the whole step's where boxes move between devices or several steps are taken
  // together.
  struct Slice {
    std::int64_t device = 0;
    double begin_seconds = 0;
    double end_seconds = 0;
    std::int64_t received_bytes = 0;  // from other devices
    std::int64_t peak_bytes = 0;      // payload alive on the device during the step
  };
  std::string name;            // `all_to_all`, `reduce sum`; of steps taken together all, `multiply, add`
  std::string type;            // of the array that it makes; empty where it makes none
  std::string program;         // how a sum or a relay is made, as plans print it; empty of other steps
  std::optional<Place> place;  // the expression that it comes from
  int rank = 0;
  bool failed = false;  // it was begun and not completed
  // In a pipeline: the visit of which microbatch it belongs to, both from 0; else -1.
  std::int64_t visit = -1;
  std::int64_t microbatch = -1;
  bool is_border = false;  // brings an array from one mesh to another
  std::vector<Slice> devices;
  // The senders and receivers of a change of layout on one mesh of at most 256 devices, on all ranks, ordered by
  // receiver and then by sender.
  struct Transfer {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Transfer> transfers;
};

}  // namespace tessera
