// Shared by timed runs on ranks.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "synth/planner/plan.hpp"
#include "synth/program/program.hpp"

namespace tessera::ranks {

std::string content(const std::string& path);

// Bytes that have come over this process's interfaces but the loop.
std::int64_t received_bytes();

// Takes its input through the steps of the plan.
synth::Program program_of_steps(const synth::Plan& plan);
// The same once, and then so many times in turn; these times have an origin of their own, 1.
synth::Program program_of_turns(const synth::Plan& plan, std::int64_t turns);

// A failure on one rank would leave the others waiting, so this ends them all.
template <class Outcome>
auto taken(Outcome outcome) {
  if (outcome.ok()) return std::move(*outcome);
  if constexpr (requires { outcome.errors(); })
    fmt::print(stderr, "{}\n", outcome.errors().front().message);
  else
    fmt::print(stderr, "{}\n", outcome.diagnostics().front().message);
  std::_Exit(1);
}

}  // namespace tessera::ranks
