// Plans with all their sends, plans that are read from any source, and what the verifier says of them.
//
//     auto plan = tessera::make_plan({.mesh = "x:4", .from = "f32[8@x, 8]", .to = "f32[8, 8@x]"});
//     auto verdict = tessera::verify_plan(*tessera::json_with_sends(*plan));
//     std::cout << (verdict.fault.empty() ? "it is what it takes" : verdict.fault);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

// Plan::json with the sends of every step, one by one: a text that a verifier needs no planner to follow. Fails with
// `too-many-sends`.
TESSERA_API Result<std::string> json_with_sends(const Plan& plan);

// The verifier's answer for a plan that was read.
struct PlanVerdict {
  std::optional<Plan> plan;  // where the text could be read
  std::string fault;         // what is wrong with it, in words without an end; empty: every figure is what it takes
};
// Reads a plan, one JSON object as Plan::json writes it, and replays it on the machine (empty: flat). The plan may come
// from any source: every figure in it is checked. A token that is asked to stop ends it: the fault then says so.
TESSERA_API PlanVerdict verify_plan(std::string_view json, const Machine& machine = {},
                                    const std::optional<StopToken>& stop = {});

}  // namespace tessera
