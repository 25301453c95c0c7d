// Any bytes as a program, checked and elaborated through the public interface. Nothing is run.
#include <tessera/tessera.hpp>

#include "tests/fuzz/target.hpp"

namespace {

void expect_no_bug(const tessera::Diagnostics& diagnostics) {
  for (const tessera::Diagnostic& diagnostic : diagnostics) {
    tessera::fuzz::expect(diagnostic.blame != tessera::Blame::us, diagnostic.message.c_str());
  }
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  Session session(Config{});
  const auto program = session.check(text, "fuzz");
  ::expect_no_bug(program.diagnostics());
  if (!program.ok()) return;
  const auto elaborated = program->elaborated();
  ::expect_no_bug(elaborated.diagnostics());
  ::expect_no_bug(program->device_program().diagnostics());
  ::expect_no_bug(session.check(*elaborated, "elaborated").diagnostics());
}
