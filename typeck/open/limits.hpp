// How much a check makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/source.hpp"
#include "base/stop.hpp"

namespace tessera::typeck {

// A check makes no more values than this, those of gradients and of functions' instances included: what a text means
// may be exponentially larger than the text.
inline constexpr std::size_t kCheckedValuesMax = 1'000'000;

// Thrown where a check would make more values; `statement` is what asks for them: a statement, or an unrolled loop of
// so many turns.
struct TooManyValues {
  base::Span statement;
  std::optional<std::int64_t> turns = {};
};

// What one statement may make, and when its check ends.
struct Limits {
  base::StopToken stop;
  std::size_t values_max = kCheckedValuesMax;
  base::Span statement;
};

}  // namespace tessera::typeck
