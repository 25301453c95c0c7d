// Typed -> Program: calls inlined, plans spelled out step by step, names gone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/source.hpp"
#include "base/stop.hpp"
#include "synth/program/program.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// The meaning of a step's origin number.
struct Origin {
  base::Span span;              // the expression
  std::uint32_t statement = 0;  // index into Typed::statements
  synth::Pass pass = synth::Pass::none;
};

struct Lowered {
  synth::Program program;
  std::vector<Origin> origins;              // by Step::origin
  std::vector<std::uint32_t> input_slots;   // the session value each program input wants
  std::vector<std::uint32_t> output_slots;  // the slot each program output fills
};

enum class Keep : std::uint8_t {
  nothing,      // a script: values are freed after their last use
  bound_names,  // a session: every binding that can still be reached is an output
};

// Fails for a program of more steps than `steps_max`.
base::Result<Lowered> lower(const Typed& typed, Keep keep, base::StopToken stop = {},
                            std::size_t steps_max = synth::kProgramStepsMax);

// Lowers a region to a program of its own, which hands back the region's results. Values from outside become its
// inputs. Nothing if it has too many steps.
std::optional<Lowered> lower_alone(const Typed& typed, const Region& region, base::StopToken stop = {},
                                   std::size_t steps_max = synth::kProgramStepsMax);

// The body of a loop that has just been checked, as it will be lowered: a pipeline is planned from these steps. Values
// from outside the loop are registers that nothing writes.
struct LoopDraft {
  synth::Program program;  // registers and literals
  synth::Body body;
  std::vector<synth::RegisterId> parameters;
  std::vector<synth::RegisterId> next;
  std::vector<base::Span> spans;  // by Step::origin
};
// Nothing if the body has too many steps.
std::optional<LoopDraft> draft_of(const Typed& typed, const Loop& loop, base::StopToken stop = {},
                                  std::size_t steps_max = synth::kProgramStepsMax);

}  // namespace tessera::typeck
