// What a plan is asked for beside its types.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "synth/moves/plan/plan.hpp"

namespace tessera::synth {

// What becomes of the source after the plan.
enum class Source : std::uint8_t {
  dies,        // nobody uses it, and its boxes can be freed one by one: an exchange may be cut into rounds
  kept_whole,  // nobody uses it, but no part of it is freed before the others
  lives_on,    // it is used again: a budget has to hold it in every step, not only in those that read it
};

struct PlanOptions {
  Planner planner = Planner::tessera;
  bool collectives_only = false;
  std::optional<std::int64_t> within_bytes;  // of the plan's peak
  Source source = Source::dies;  // ignored without a budget; the figures of a plan leave one that lives on out
  friend auto operator<=>(const PlanOptions&, const PlanOptions&) = default;
};

}  // namespace tessera::synth
