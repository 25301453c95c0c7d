// Any bytes as a program, through the public interface: checked and elaborated, and run within small limits.
#include <tessera/tessera.hpp>

#include "tests/fuzz/target.hpp"
#include "tests/fuzz/within_limits.hpp"

namespace {

void expect_no_bug(const tessera::Diagnostics& diagnostics) {
  for (const tessera::Diagnostic& diagnostic : diagnostics) {
    tessera::fuzz::expect(diagnostic.blame != tessera::Blame::us, diagnostic.message.c_str());
  }
}

constexpr double kSecondsMax = 0.25;

tessera::Config small_limits() {
  tessera::Config config;
  config.memory_bytes_max = 64 << 20;
  config.devices_max = 64;
  config.steps_max = 20'000;
  config.output_bytes_max = 100'000;
  config.seconds_max = kSecondsMax;
  return config;
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  {
    const WithinLimits limits(kSecondsMax + 1);
    Session limited(small_limits());
    ::expect_no_bug(limited.run(text, "fuzz").diagnostics());
    ::expect_no_bug(limited.run("let after = 1\n", "after").diagnostics());
  }
  Config config;
  config.seconds_max = 20 * kSecondsMax;
  Session session(config);
  const auto program = session.check(text, "fuzz");
  ::expect_no_bug(program.diagnostics());
  if (!program.ok()) return;
  const auto elaborated = program->elaborated();
  ::expect_no_bug(elaborated.diagnostics());
  ::expect_no_bug(program->device_program().diagnostics());
  ::expect_no_bug(session.check(*elaborated, "elaborated").diagnostics());
}
