// Plans with one thing wrong in them, and what a plan's figures truly are.
#pragma once

#include <cstdint>
#include <string_view>

#include "synth/planner/plan.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::synth::test {

// FOREACH(identifier): what goes wrong.
#define TESSERA_MUTATIONS(FOREACH)                                               \
  FOREACH(step_dropped)                                                          \
  FOREACH(step_doubled)                                                          \
  FOREACH(steps_swapped)                                                         \
  FOREACH(kind_changed)                                                          \
  FOREACH(axis_changed)      /* for another of the mesh, or a part of one */     \
  FOREACH(axes_exchanged)    /* two of one list */                               \
  FOREACH(axis_left_out)     /* of a list of several */                          \
  FOREACH(move_left_out)     /* of a launch of several */                        \
  FOREACH(moves_exchanged)   /* of a launch of several */                        \
  FOREACH(dimension_changed) /* that axes leave, or enter */                     \
  FOREACH(tile_shifted)      /* the layout after a step, and a target with it */ \
  FOREACH(target_changed)    /* and not the layout after the step */             \
  FOREACH(pending_changed)   /* after a step: the axes or the operation */       \
  FOREACH(operation_changed) /* what a keep says */                              \
  FOREACH(round_changed)     /* its number, their count, or the dimension */     \
  FOREACH(rounds_recut)      /* of all rounds: how many, or along what */        \
  FOREACH(from_changed)                                                          \
  FOREACH(to_changed)                                                            \
  FOREACH(step_figure_changed)                                                   \
  FOREACH(plan_figure_changed)                                                   \
  FOREACH(time_changed)                                                          \
  FOREACH(bound_promised) /* by a plan that exceeds it */

enum class Mutation : std::uint8_t {
#define MEMBER(identifier) identifier,
  TESSERA_MUTATIONS(MEMBER)
#undef MEMBER
};
std::string_view name(Mutation mutation);

// Is it the steps that are wrong, and not what is said of them?
bool is_of_steps(Mutation mutation);

// Changes the plan; returns false if it has nothing that can be changed in this way. The new value may equal the old
// one.
bool mutate(Plan& plan, Mutation mutation, Random& random);

// Every step leads where it says it does from where the one before led; false where one may not be taken there.
bool follow_steps(Plan& plan);

// Puts in the figures that the steps have: bytes counted copy by copy and element by element. False where a step has
// none, because types do not fit.
bool recount(Plan& plan, const Machine& machine);

// Do the plans say the same figures? Steps' times may be unsaid, as in a plan that was read.
bool same_figures(const Plan& claimed, const Plan& counted);

}  // namespace tessera::synth::test
