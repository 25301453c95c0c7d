// Which operations go along their result, over its tiles by carries.
#pragma once

#include <optional>

#include "synth/moves/collective/carries.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

// How a Scan or a Recur does; nothing of other operations.
inline std::optional<Running> running_of(const Operation& operation) {
  if (const auto* scan = std::get_if<Scan>(&operation))
    return Running{scan->dimension, scan->reverse, carry_kind(scan->op)};
  if (const auto* recur = std::get_if<Recur>(&operation))
    return Running{recur->dimension, recur->reverse, CarryKind::single};
  return std::nullopt;
}

}  // namespace tessera::synth
