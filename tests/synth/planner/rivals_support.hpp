// Helpers that the tests of rivals share.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/synth/support.hpp"

namespace tessera::synth::test {

// The steps of a rival's verified plan in short, or why there is none: `slice x: dim 0 | permute f32[8@x] | ..`.
inline std::string steps_in_short(Planner planner, std::string_view on, std::string_view from, std::string_view to) {
  const MeshRef shared = mesh(on);
  PlanOptions options;
  options.planner = planner;
  const auto made = plan(type(from, shared), type(to, shared), Machine{}, options);
  if (!made.ok()) return first_message(made);
  std::string text;
  for (const PlanStep& step : made->steps) {
    const std::string what =
        target_of(step.collective) != nullptr ? print(step.after, Spacing::tight) : detail(step.collective, *shared);
    text += fmt::format("{}{} {}", text.empty() ? "" : " | ", name(step.collective), what);
  }
  return text;
}

}  // namespace tessera::synth::test
