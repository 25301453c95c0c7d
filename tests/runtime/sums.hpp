// Plans that finish sums, as programs that make their own data.
#pragma once

#include "synth/planner/plan.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime::test {

// Fills an array of the type that the plan begins with, so that every device has parts of its own, and takes it through
// the plan's steps: the last ones of the program, in their order. Its output is what the plan ends with.
synth::Program program_of_sums(const synth::Plan& plan);

// Has a step of the plan a reduction program?
bool has_program(const synth::Plan& plan);

}  // namespace tessera::runtime::test
