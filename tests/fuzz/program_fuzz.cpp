// Any bytes as the text of a device program: what is read prints, and reads back to the same text.
#include "synth/program/program.hpp"
#include "tests/fuzz/target.hpp"

void tessera::fuzz::one_input(std::string_view text) {
  const auto program = synth::read_program(text);
  expect_no_bug(program);
  if (!program.ok()) return;
  (void)synth::verify(*program).ok();
  const std::string printed = synth::print(*program);
  const auto again = synth::read_program(printed);
  expect(again.ok(), "what is printed cannot be read");
  expect(synth::print(*again) == printed, "what is printed reads back differently");
}
