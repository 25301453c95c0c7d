// Any bytes as a machine file: what is read is written and read back, and plans of a move and of a sum on it are made
// or refused, by themselves or soon after a stop.
#include <tessera/plan_verdict.hpp>
#include <tessera/tessera.hpp>

#include "tests/fuzz/stopped.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/within_limits.hpp"

namespace {

void expect_answer(const tessera::Machine& machine, const char* from, const char* to) {
  tessera::PlanRequest request;
  request.mesh = "x:4,y:2";
  request.from = from;
  request.to = to;
  request.machine = machine;
  tessera::StopToken stop;
  request.stop = stop;
  const tessera::fuzz::WithinLimits limits(2);
  const tessera::fuzz::Stopped stopped([&] { stop.stop(); });
  const auto plan = tessera::make_plan(request);
  for (const tessera::Diagnostic& diagnostic : plan.diagnostics())
    tessera::fuzz::expect(diagnostic.blame != tessera::Blame::us, diagnostic.message.c_str());
  if (plan.ok())
    tessera::fuzz::expect(tessera::verify_plan(plan->json(), machine, stop).fault.empty() || stop.asked(),
                          "a plan does not verify");
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  const auto machine = parse_machine(text, "fuzz.json");
  for (const Diagnostic& diagnostic : machine.diagnostics())
    expect(diagnostic.blame != Blame::us, diagnostic.message.c_str());
  if (!machine.ok()) return;
  const auto again = parse_machine(machine_text(*machine), "again.json");
  expect(machine->levels.empty() || again.ok(), "what is written cannot be read");
  ::expect_answer(*machine, "f32[64@x,8]", "f32[64,8@y]");
  ::expect_answer(*machine, "f32[64,8]{+x}", "f32[64,8]");
  ::expect_answer(*machine, "f32[4096,4096@y]{+x}", "f32[4096@y,4096]");
}
