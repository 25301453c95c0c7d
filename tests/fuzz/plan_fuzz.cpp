// Any bytes as the JSON of a plan: what is read may be verified, on a machine of levels too, and is printed and read
// back to the same text. To verify ends by itself or soon after a stop.
#include "synth/planner/plan.hpp"

#include "base/stop_scope.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/fuzz/stopped.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/within_limits.hpp"

namespace {

void replay(const tessera::synth::Plan& plan, const tessera::synth::Machine& machine) {
  const tessera::fuzz::WithinLimits limits(1.5);
  const tessera::fuzz::Stopped stopped;
  (void)tessera::base::guarded_until_stopped([&]() -> tessera::base::Status {
    const tessera::base::StopScope scope{tessera::base::StopToken(&stopped.flag())};
    return tessera::synth::verify(plan, machine);
  });
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  const auto plan = synth::read_json(text);
  expect_no_bug(plan);
  if (!plan.ok()) return;
  replay(*plan, synth::Machine{});
  replay(*plan, synth::Machine{{{"node", 4, 12.5e9, 5e-6}, {"gpu", 4, 300e9, 1e-6}}});
  const std::string printed = synth::print_json(*plan);
  const auto again = synth::read_json(printed);
  expect(again.ok(), "what is printed cannot be read");
  expect(synth::print_json(*again) == printed, "what is printed reads back differently");
}
