// What the statements of a run cost. `tessera/tessera.hpp` includes this.
#pragma once

#include <cstdint>

#include "tessera/result.hpp"

namespace tessera {

// The cost of a statement; only statements that communicated are listed.
struct StatementStatistics {
  Place place;
  std::uint32_t statement = 0;  // which of its text, from 0
  std::int64_t steps = 0;
  std::int64_t received_bytes = 0;
  std::int64_t peak_bytes = 0;
  double seconds = 0;
};

// Seconds on the rank where they are least and on the one where they are most, by the session's clock.
struct SecondsOverRanks {
  double least = 0;
  double most = 0;
};

// Where a statement's time went; statements that took a step are listed. Rank 0 knows it of all ranks, others of
// themselves.
struct StatementProfile {
  Place place;
  std::uint32_t statement = 0;  // which of its text, from 0
  SecondsOverRanks computing;
  SecondsOverRanks moving;   // elements between devices
  SecondsOverRanks waiting;  // for other ranks, and for messages on their way
};

}  // namespace tessera
