// The device program: what the runtime executes. Every device runs every step on its own tiles; collectives and
// assembles move boxes between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/program/literal.hpp"
#include "synth/program/operation.hpp"

namespace tessera::synth {

using RegisterId = base::Id<struct RegisterTag>;

struct Step;
using Body = std::vector<Step>;

// Runs `body` count times; count is an i64 scalar (below 1: no times). In turn i, `index` is i, and parameter k is
// initial[k] in the first turn and next[k] of the turn before in the others; results[k] is the last. All of initial[k],
// parameters[k], next[k], results[k] have one type. With a condition, the carried value of that number is a bool
// scalar, and there is no turn whose parameter is false; if it is limited, and the value is still true after all turns,
// that is an error.
struct Repeat {
  RegisterId count;
  RegisterId index;
  std::vector<RegisterId> initial;
  std::vector<RegisterId> parameters;
  std::vector<RegisterId> next;
  std::vector<RegisterId> results;
  Body body;
  std::vector<RegisterId> indices_elsewhere = {};  // the index once more on each other mesh that the body needs it on
  std::optional<std::uint32_t> condition = {};
  bool is_limited = false;
};

// The turns of a repeat in another order, with the repeat's results to the bit. A turn, here called a microbatch, is
// cut into visits, each on one mesh but for the steps at which values leave it for other meshes. Visits read values
// that earlier visits have made of the same microbatch. They are taken as `order` lists them: each visit is listed
// `count` times, and the k-th time it takes microbatch k. Only the visit carried_by[k] reads parameter k and makes its
// next value. No step of a visit has an effect but to fail.
struct Pipeline {
  std::int64_t count = 0;
  std::vector<RegisterId> indices;  // each the number of the microbatch, on one mesh
  std::vector<RegisterId> initial;
  std::vector<RegisterId> parameters;
  std::vector<RegisterId> next;
  std::vector<RegisterId> results;
  std::vector<std::uint32_t> carried_by;
  std::vector<Body> visits;
  std::vector<std::uint32_t> order;
};

// Runs one of two bodies by a replicated bool scalar; results[k] is then_results[k] or else_results[k], all of one
// type.
struct Choose {
  RegisterId condition;
  Body then_body;
  std::vector<RegisterId> then_results;
  Body else_body;
  std::vector<RegisterId> else_results;
  std::vector<RegisterId> results;
};

// A plain step: one operation.
struct Apply {
  Operation operation;
  std::vector<RegisterId> operands;
  std::vector<RegisterId> results;  // none (effects) or one
};

struct Step {
  std::uint32_t origin = 0;  // opaque here: the code that lowered the program can look it up (statement and span)
  std::variant<Apply, Repeat, Choose, Pipeline> node;
};

// Single assignment: each register is written by exactly one step, input or loop. Registers of a body may be read
// inside it only.
struct Program {
  base::Store<ArrayType, RegisterId> registers;
  std::vector<RegisterId> inputs;   // given by the caller, in this order
  std::vector<RegisterId> outputs;  // given back, in this order
  Body body;
  base::Store<Literal, LiteralId> literals;
  base::Store<std::string, StringId> strings;
};

// Does the step go on at the same time as the one before it?
inline bool joins(const Step& step) {
  const auto* const apply = std::get_if<Apply>(&step.node);
  const auto* const collect = apply == nullptr ? nullptr : std::get_if<Collect>(&apply->operation);
  return collect != nullptr && collect->joins;
}
// The end of the steps from `begin` on that go on at the same time.
inline std::size_t company_end(const Body& body, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < body.size() && joins(body[end])) ++end;
  return end;
}

inline constexpr std::size_t kProgramStepsMax = 1'000'000;

// Types of operands and results fit every step; registers are written once and before they are read.
base::Status verify(const Program& program);
// Text and back: read(print(p)) prints the same.
std::string print(const Program& program);
base::Result<Program> read_program(std::string_view text);
// 64 bits of the printed program and its meshes: what ranks compare before the first step.
std::uint64_t hash(const Program& program);

}  // namespace tessera::synth
