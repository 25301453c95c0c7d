// Any bytes as the JSON of a plan: what is read may be verified, and is printed and read back to the same text.
#include "synth/redistribute/plan.hpp"

#include "synth/verify/verify.hpp"
#include "tests/fuzz/target.hpp"

void tessera::fuzz::one_input(std::string_view text) {
  const auto plan = synth::read_json(text);
  expect_no_bug(plan);
  if (!plan.ok()) return;
  (void)synth::verify(*plan, synth::Machine{}).ok();
  const std::string printed = synth::print_json(*plan);
  const auto again = synth::read_json(printed);
  expect(again.ok(), "what is printed cannot be read");
  expect(synth::print_json(*again) == printed, "what is printed reads back differently");
}
