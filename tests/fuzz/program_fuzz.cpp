// Any bytes as the text of a device program: what is read prints, and reads back to the same text; what is in order and
// wants no inputs runs within small limits.
#include "runtime/execute/run.hpp"
#include "synth/program/program.hpp"
#include "tests/fuzz/stopped.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/within_limits.hpp"

namespace {

void run_within_limits(const tessera::synth::Program& program) {
  const tessera::fuzz::WithinLimits limits(1.5);
  const tessera::fuzz::Stopped stopped;
  tessera::runtime::World world;
  world.output = [](std::string_view) {};
  world.clock = [] { return 0.0; };
  world.files.kind = tessera::runtime::FilePolicy::Kind::none;
  world.stop = &stopped.flag();
  world.memory_bytes_max = 64 << 20;
  world.steps_max = 20'000;
  world.output_bytes_max = 100'000;
  tessera::fuzz::expect_no_bug(tessera::runtime::run(program, {}, world));
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  const auto program = synth::read_program(text);
  expect_no_bug(program);
  if (!program.ok()) return;
  if (synth::verify(*program).ok() && program->inputs.empty()) run_within_limits(*program);
  const std::string printed = synth::print(*program);
  const auto again = synth::read_program(printed);
  expect(again.ok(), "what is printed cannot be read");
  expect(synth::print(*again) == printed, "what is printed reads back differently");
}
