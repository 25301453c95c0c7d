// Typed -> Program: calls inlined, plans spelled out step by step, names gone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "base/source.hpp"
#include "base/stop.hpp"
#include "synth/program/program.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// What a step's origin number means.
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

base::Result<Lowered> lower(const Typed& typed, Keep keep, base::StopToken stop = {});

}  // namespace tessera::typeck
